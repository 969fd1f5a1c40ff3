/** Browsers in which a person gets notifications: turned on and off by the person. */
import { createHash, ECDH } from 'node:crypto';
import type { NotifiedBrowser } from '@parapet/contract/browserNotifications.ts';
import { problem } from '@parapet/contract/problem.ts';
import { maxBrowsers } from '@parapet/contract/rules/deliveries.ts';
import { nextId } from '../../core/db/nextId.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import type { DeliveriesDeps } from './deliveries.deps.ts';
import * as store from './deliveries.push.store.ts';

interface Given {
  endpoint: string;
  p256dh: string;
  auth: string;
}

const shown = ({ id, userAgent, service, endpointHash, addedAt, acceptedAt, error }: store.BrowserRow): NotifiedBrowser => ({
  id,
  userAgent,
  service,
  fingerprint: endpointHash.toString('base64url'),
  addedAt: addedAt.toISOString(),
  acceptedAt: acceptedAt?.toISOString() ?? null,
  error,
});

/** Throws invalid for a key that is no point of the curve. */
function checkPoint(p256dh: string): void {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url', 'hex', 'compressed');
  } catch {
    throw problem.invalid({ p256dh: ['This is no key of a browser.'] });
  }
}

export function createBrowsers({ db, clock, pushVault, pushKeys }: DeliveriesDeps) {
  return {
    async browsers(actor: Actor) {
      const rows = await readScoped(db, ownScope(actor), (tx) => store.listBrowsers(tx, ownScope(actor), actor.userId));
      return { results: rows.map(shown), total: rows.length, publicKey: pushKeys.publicKey };
    },

    async addBrowser(actor: Actor, { endpoint, p256dh, auth }: Given, given: string): Promise<NotifiedBrowser> {
      if (!URL.canParse(endpoint)) throw problem.invalid({ endpoint: ['This is no address of a push service.'] });
      checkPoint(p256dh);
      const { organisationId, userId } = actor;
      const service = new URL(endpoint).host;
      const userAgent = given.slice(0, 300);
      const endpointHash = createHash('sha256').update(endpoint).digest();
      const id = await scoped(db, 'system', (tx) => nextId(tx, 'push_subscriptions'));
      const subscription = await pushVault.seal(organisationId, id, { endpoint, p256dh, auth });
      // The address may be another person’s, who used this browser before.
      return scoped(db, 'system', async (tx) => {
        const at = new Date(clock.now());
        const own = { id, organisationId, userId, userAgent };
        const row = await store.insertBrowser(tx, { ...own, endpointHash, subscription, service, at });
        if ((await store.listBrowsers(tx, ownScope(actor), userId)).length > maxBrowsers)
          throw problem.conflict(`You have notifications in ${maxBrowsers} browsers, the maximum. Turn some off first.`);
        await recordOwnAudit(tx, actor, { action: 'user.browserAdded', after: { service, userAgent } });
        return shown(row);
      });
    },

    async removeBrowser(actor: Actor, id: number): Promise<void> {
      await scoped(db, ownScope(actor), async (tx) => {
        const before = await store.removeBrowser(tx, ownScope(actor), actor.userId, id);
        if (!before) throw problem.notFound('browser', id);
        await recordOwnAudit(tx, actor, { action: 'user.browserRemoved', before });
      });
    },
  };
}
