/** Test messages, sent while a person waits and outside the order of the queue. */
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { readDelivery } from './deliveries.history.ts';
import * as store from './deliveries.store.ts';
import { attempt, makeMessage, record } from './deliveries.turn.ts';
import { markSent } from './deliveries.work.store.ts';

export function createTests(deps: DeliveriesDeps, find: FindTarget) {
  const { db, clock } = deps;
  return {
    async test(actor: Actor, client: number, id: number): Promise<AnswerOf<typeof deliveriesApi.test>> {
      const scope = scopeFor(actor, client);
      const at = new Date(clock.now());
      const { target, row, name } = await scoped(db, scope, async (tx) => {
        const { organisationId, organisationName: name } = await find(tx, actor, scope, id);
        const target = (await store.findValues(tx, scope, id))!;
        await recordAudit(tx, actor, { action: 'deliveryTarget.tested', organisationId, target: String(id) });
        return { target, name, row: await store.insertTest(tx, { organisationId, targetId: id, at }) };
      });
      const { organisationId } = target;
      const message = await scoped(db, 'system', async (tx) => {
        const about = { event: 'test', subject: `test-${row.id}`, objectId: row.id, facts: {}, eventAt: at, client: name };
        const made = await makeMessage(tx, deps, organisationId, {
          ...about,
          messageId: row.messageId,
          clientId: organisationId,
        });
        await markSent(tx, { id: row.id, attempts: 0, digestAt: null }, made, at);
        return made;
      });
      const made = await attempt(deps, target, { ...row, attempts: 1, openedAs: null, digestAt: null, message });
      await scoped(db, 'system', (tx) => record(tx, deps, id, made, true));
      return readDelivery(db, actor, scope, id, row.id);
    },
  };
}
