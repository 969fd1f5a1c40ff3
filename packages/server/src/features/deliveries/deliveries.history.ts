/** Deliveries of a target: listed, shown with request and response, and replayed. */
import { quantityEvent } from '@parapet/connectors/out/billing.ts';
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { deliveryHours } from '@parapet/contract/rules/deliveries.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { publish } from '../../core/bus.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { shownDelivery } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';

type Target = Pick<store.TargetRow, 'id' | 'organisationId'>;

/** Names of the clients of deliveries, which the scope of the target's owner leaves out. */
const namesOf = (db: Database, actor: Actor, rows: readonly { clientId: number }[]): Promise<ReadonlyMap<number, string>> =>
  readScoped(db, scopeOf(actor), (tx) =>
    store.readNames(
      tx,
      scopeOf(actor),
      rows.map(({ clientId }) => clientId),
    ),
  );

/** Throws notFound. */
export async function readDelivery(
  db: Database,
  actor: Actor,
  scope: Scope,
  targetId: number,
  id: number,
): Promise<AnswerOf<typeof deliveriesApi.get>> {
  const row = await readScoped(db, scope, (tx) => store.findDelivery(tx, scope, targetId, id));
  if (!row) throw problem.notFound('delivery', id);
  const { request, answer, answerStatus, messageId } = row;
  return { ...shownDelivery(row, await namesOf(db, actor, [row])), request, answer, answerStatus, messageId };
}

export function createHistory({ db, clock }: Pick<DeliveriesDeps, 'db' | 'clock'>, find: FindTarget) {
  const requeue = async (
    tx: Tx,
    actor: Actor,
    scope: Scope,
    { id: target, organisationId }: Target,
    id?: number,
  ): Promise<number> => {
    const now = clock.now();
    const times = { now: new Date(now), until: new Date(now + deliveryHours * hourMs) };
    const count = await store.requeue(tx, scope, target, id, times);
    if (count === 0) return 0;
    const after = id === undefined ? { count } : { delivery: id };
    await recordAudit(tx, actor, { action: 'delivery.replayed', organisationId, target: String(target), after });
    await publish(tx, 'deliveries.due', {});
    return count;
  };

  return {
    async list(
      actor: Actor,
      client: number,
      target: number,
      { page, pageSize }: { page: number; pageSize: number },
    ): Promise<AnswerOf<typeof deliveriesApi.list>> {
      const scope = scopeFor(actor, client);
      const { rows, total } = await readScoped(db, scope, async (tx) => {
        if (!(await store.findTarget(tx, scope, target))) throw problem.notFound('target', target);
        return store.listDeliveries(tx, scope, target, { limit: pageSize, offset: (page - 1) * pageSize });
      });
      const names = await namesOf(db, actor, rows);
      return { results: rows.map((row) => shownDelivery(row, names)), total };
    },

    get: (actor: Actor, client: number, target: number, id: number): Promise<AnswerOf<typeof deliveriesApi.get>> =>
      readDelivery(db, actor, scopeFor(actor, client), target, id),

    async replay(actor: Actor, client: number, target: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const found = await find(tx, actor, scope, target);
        const delivery = await store.findDelivery(tx, scope, target, id);
        if (!delivery) throw problem.notFound('delivery', id);
        if (delivery.event === quantityEvent) throw problem.conflict('Quantities are not replayed. Compare and confirm again.');
        if ((await requeue(tx, actor, scope, found, delivery.digestId ?? id)) === 0)
          throw problem.conflict(`Delivery ${id} was not given up, so it can’t be replayed.`);
      });
    },

    async replayAll(actor: Actor, client: number, target: number): Promise<{ count: number }> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        return { count: await requeue(tx, actor, scope, await find(tx, actor, scope, target)) };
      });
    },
  };
}
