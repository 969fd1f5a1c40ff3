/** Requests of targets to the portal, set up by administrators; and tickets that are read at once. */
import { randomBytes } from 'node:crypto';
import { VendorError } from '@parapet/connectors/errors.ts';
import { callbackSecret } from '@parapet/connectors/out/callbacks.ts';
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { createSend } from './deliveries.http.ts';
import { callbackUrl } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';
import { dueNow } from './deliveries.tickets.people.ts';
import { validValues } from './deliveries.vault.ts';

const minSecret = 8;

/** Address of the portal for each owner. */
export async function originsOf(
  { db, brand }: Pick<DeliveriesDeps, 'db' | 'brand'>,
  rows: readonly { organisationId: number }[],
): Promise<ReadonlyMap<number, string>> {
  const owners = [...new Set(rows.map(({ organisationId }) => organisationId))];
  return readScoped(db, 'system', async (tx) => {
    const origins = new Map<number, string>();
    for (const id of owners) origins.set(id, (await brand.ofMails(tx, id)).origin);
    return origins;
  });
}

export function createCallbackSetup(deps: DeliveriesDeps, find: FindTarget) {
  const { db, clock, vault, kindOf } = deps;
  return {
    async openCallbacks(
      actor: Actor,
      client: number,
      id: number,
      given: string,
    ): Promise<AnswerOf<typeof deliveriesApi.openCallbacks>> {
      const scope = scopeFor(actor, client);
      const { found, stored } = await scoped(db, scope, async (tx) => ({
        found: await find(tx, actor, scope, id),
        stored: (await store.findValues(tx, scope, id))!,
      }));
      const kind = kindOf(stored.kind);
      if (!kind?.callbacks) throw problem.conflict(`Target ${id} sends no requests to the portal.`);
      const { secret: from, subscribe } = kind.callbacks;
      if (from === 'given' && given.length < minSecret)
        throw problem.invalid({ secret: [`Enter the secret that ${kind.title} shows.`] });
      const secret = from === 'given' ? given : randomBytes(32).toString('base64url');
      const { organisationId } = stored;
      const opened = { ...(await vault.open(stored)), [callbackSecret]: secret };
      const secrets = await vault.seal(organisationId, id, opened);
      const address = found.callbackAddress ?? randomBytes(18).toString('base64url');
      const url = callbackUrl((await originsOf(deps, [found])).get(organisationId) ?? '', address);
      // Before the call: the first request of the other side may come before its response.
      await scoped(db, scope, async (tx) => {
        await store.openCallbacks(tx, scope, id, { address, secrets });
        await recordAudit(tx, actor, { action: 'deliveryTarget.callbacksOpened', organisationId, target: String(id) });
      });
      if (subscribe) {
        const { send } = createSend(deps.outbound, Object.values(opened));
        await subscribe(validValues(kind, stored.settings, opened, clock.now()), send, url).catch((error) => {
          if (!(error instanceof VendorError)) throw error;
          throw problem.unavailable(`${kind.title} didn’t accept the address: ${error.message}`);
        });
      }
      return { address: url, secret: from === 'generated' && !subscribe ? secret : null };
    },

    async syncTickets(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const { isPaused } = await find(tx, actor, scope, id);
        if (isPaused) throw problem.conflict('This target is paused. Resume it to read its tickets.');
        if (!(await dueNow(tx, scope, id, new Date(clock.now()))))
          throw problem.conflict('This target has no setup for tickets yet. Set it up first.');
        await publish(tx, 'tickets.due', {});
      });
    },
  };
}
