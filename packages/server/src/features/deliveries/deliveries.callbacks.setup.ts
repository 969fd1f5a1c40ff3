/** Requests of targets to the portal, set up by administrators; and tickets that are read at once. */
import { randomBytes } from 'node:crypto';
import { VendorError } from '@parapet/connectors/errors.ts';
import { callbackSecret } from '@parapet/connectors/out/callbacks.ts';
import type { Send, TargetKind } from '@parapet/connectors/out/target.ts';
import type { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { publish } from '../../core/bus.ts';
import { readScoped, type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { Values } from '../../domain/vault.ts';
import type { DeliveriesDeps, FindTarget } from './deliveries.deps.ts';
import { createSend } from './deliveries.http.ts';
import { callbackUrl, isChatOfClient } from './deliveries.shown.ts';
import * as store from './deliveries.store.ts';
import { dueNow } from './deliveries.tickets.people.ts';
import { validValues } from './deliveries.vault.ts';

type Action = 'deliveryTarget.callbacksOpened' | 'deliveryTarget.callbacksClosed';
type Work = (target: { values: Values; send: Send }) => Promise<void> | undefined;

const minSecret = 8;
const minuteText = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;

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
  const read = (actor: Actor, scope: Scope, id: number) =>
    scoped(db, scope, async (tx) => ({
      found: await find(tx, actor, scope, id),
      stored: (await store.findValues(tx, scope, id))!,
    }));

  /** Has the other side changed. Throws unavailable with its words. */
  const change = async (kind: TargetKind, { settings }: { settings: Values }, opened: Values, work: Work): Promise<void> => {
    const { send } = createSend(deps.outbound, Object.values(opened));
    try {
      await work({ values: validValues(kind, settings, opened, clock.now()), send });
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      throw problem.unavailable(`${kind.title} didn’t change its callbacks: ${error.message}`);
    }
  };

  return {
    async openCallbacks(
      actor: Actor,
      client: number,
      id: number,
      given: string,
    ): Promise<AnswerOf<typeof deliveriesApi.openCallbacks>> {
      const scope = scopeFor(actor, client);
      const { found, stored } = await read(actor, scope, id);
      const kind = kindOf(stored.kind);
      if (!kind?.callbacks) throw problem.conflict(`Target ${id} sends no requests to the portal.`);
      if (isChatOfClient(kind, found))
        throw problem.conflict('Buttons in chat need a target of a partner: no role of a client may acknowledge cases.');
      const { secret: from, subscribe } = kind.callbacks;
      if (from === 'given' && given.length < minSecret)
        throw problem.invalid({ secret: [`Enter the secret that ${kind.title} shows.`] });
      const secret = from === 'given' ? given : randomBytes(32).toString('base64url');
      const { organisationId } = stored;
      const opened = { ...(await vault.open(stored)), [callbackSecret]: secret };
      const secrets = await vault.seal(organisationId, id, opened);
      const address = found.callbackAddress ?? randomBytes(18).toString('base64url');
      const url = callbackUrl((await originsOf(deps, [found])).get(organisationId) ?? '', address);
      const set = (row: { address: string | null; secrets?: Buffer }, action: Action) =>
        scoped(db, scope, async (tx) => {
          await store.setCallbacks(tx, scope, id, row);
          await recordAudit(tx, actor, { action, organisationId, target: String(id) });
        });
      // Before the call: the first request of the other side may come before its response.
      await set({ address, secrets }, 'deliveryTarget.callbacksOpened');
      try {
        await change(kind, stored, opened, ({ values, send }) => subscribe?.(values, send, url));
      } catch (error) {
        if (found.callbackAddress === null) await set({ address: null }, 'deliveryTarget.callbacksClosed');
        throw error;
      }
      return { address: url, secret: from === 'generated' && !subscribe ? secret : null };
    },

    async closeCallbacks(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      const { found, stored } = await read(actor, scope, id);
      const kind = kindOf(stored.kind);
      const { organisationId } = stored;
      if (found.callbackAddress === null) throw problem.conflict('Callbacks of this target are off.');
      const { [callbackSecret]: _, ...left } = await vault.open(stored);
      const secrets = await vault.seal(organisationId, id, left);
      await scoped(db, scope, async (tx) => {
        await store.setCallbacks(tx, scope, id, { address: null, secrets });
        await recordAudit(tx, actor, { action: 'deliveryTarget.callbacksClosed', organisationId, target: String(id) });
      });
      const url = callbackUrl((await originsOf(deps, [found])).get(organisationId) ?? '', found.callbackAddress);
      // Off in any case: requests to the address are refused from here on.
      if (kind) await change(kind, stored, left, ({ values, send }) => kind.callbacks?.unsubscribe?.(values, send, url));
    },

    async syncTickets(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      const now = clock.now();
      const at = await scoped(db, scope, async (tx) => {
        const { isPaused, organisationId } = await find(tx, actor, scope, id);
        if (isPaused) throw problem.conflict('This target is paused. Resume it to read its tickets.');
        const due = await dueNow(tx, scope, id, new Date(now));
        if (!due) throw problem.conflict('This target has no setup for tickets yet. Set it up first.');
        await recordAudit(tx, actor, { action: 'deliveryTarget.ticketsSynced', organisationId, target: String(id) });
        await publish(tx, 'tickets.due', {});
        return due;
      });
      if (at.getTime() > now)
        throw problem.conflict(`The PSA accepts no requests before ${minuteText(at)}. Its tickets are read then.`);
    },
  };
}
