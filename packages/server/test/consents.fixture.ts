/** Consents against simulated vendors: invitations, and a browser that follows redirects with its cookies. */
import { connectors } from '@parapet/connectors/all.ts';
import type { Http } from '@parapet/connectors/connector.ts';
import { startEntra } from '@parapet/world/vendors/entra.ts';
import { type MicrosoftLogin, startMicrosoftLogin } from '@parapet/world/vendors/microsoft.login.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { hashOfToken, newToken } from '../src/core/secrets.ts';
import { createAddressThrottle } from '../src/domain/throttle.ts';
import { createApplications } from '../src/features/connections/applications.service.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { insertInvite } from '../src/features/connections/connections.invites.store.ts';
import { createMicrosoft } from '../src/features/connections/consents.microsoft.ts';
import { callbackPath } from '../src/features/connections/consents.rules.ts';
import { createConsents } from '../src/features/connections/consents.ts';
import { type TestApp, testApp } from './app.ts';

export const portal = 'https://portal.example';
/** Requests of one address a minute exceed the throttle. */
const patient = 1_000;

export interface ConsentsFixture {
  t: TestApp;
  login: MicrosoftLogin;
  entra: Vendor;
  consents: ReturnType<typeof createConsents>;
  applications: ReturnType<typeof createApplications>;
  /** An open invitation for a client. */
  invite(
    client: number,
    more?: { kind?: string; tenant?: string; name?: string },
  ): Promise<{ id: number; token: string; name: string }>;
  /** Runs a consent as a person at the vendor; returns the outcome. */
  consent(token: string, email: string, decision?: 'accept' | 'cancel'): Promise<string | null>;
  /** Runs an action once, before the next request to a vendor. */
  interrupt(action: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export async function consentsFixture(): Promise<ConsentsFixture> {
  const [login, entra] = [await startMicrosoftLogin(undefined, [portal + callbackPath]), await startEntra()];
  const t = await testApp({ CONNECTION_ORIGINS: `${login.url},${entra.url}`, PUBLIC_URL: portal });
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [login.url, entra.url] });
  const clock = { now: Date.now };
  const vendorHttp = createVendorHttp(outbound);
  let interruption: (() => Promise<unknown>) | undefined;
  const http: Http = async (...request) => {
    const act = interruption;
    interruption = undefined;
    await act?.();
    return vendorHttp(...request);
  };
  const brand = {
    siteOf: async () => ({ organisationId: undefined, origin: portal }),
    ofMails: async () => ({ origin: portal }) as never,
  };
  const shared = { db: t.db, clock, keys: t.keys, brand, simulatedApplication: login.application };
  const applications = createApplications({ ...shared, requireProvidersHost: () => {} });
  const consents = createConsents({
    ...shared,
    http,
    connectors,
    pushKinds: [],
    examples: { entra: entra.values },
    applications,
    microsoft: createMicrosoft({ http, clock }),
    throttle: createAddressThrottle(clock, patient),
    log: silentLog,
  });
  let number = 0;

  return {
    t,
    login,
    entra,
    consents,
    applications,
    async invite(client, { kind = 'entra', tenant, name = `Entra ${++number}` } = {}) {
      const token = newToken();
      const id = await scoped(t.db, 'system', async (tx) => {
        const author = { userId: null as never, userName: 'A partner' };
        const bound = { tenant: tenant ?? null, expiresAt: new Date(Date.now() + 86_400_000) };
        const described = { kind, name, email: 'it@client.example' };
        return insertInvite(tx, { organisationId: client, tokenHash: hashOfToken(token), ...described, ...author, ...bound });
      });
      return { id, token, name };
    },
    async consent(token, email, decision = 'accept') {
      const begun = await consents.begin(token, 'portal.example', '192.0.2.1');
      const browser = new Browser();
      let back = await browser.pick(begun.location, email);
      for (let step = 0; step < 2; step++) {
        const { location } = await consents.finish('portal.example', callbackOf(back), () => begun.bound?.browser, '192.0.2.1');
        if (location.startsWith('/')) return new URLSearchParams(location.split('?')[1]).get('outcome');
        back = await browser.decide(location, decision);
      }
      throw new Error('The consent goes on and on.');
    },
    interrupt(action) {
      interruption = action;
    },
    async close() {
      await t.close();
      await Promise.all([login.close(), entra.close(), outbound.close()]);
    },
  };
}

/** A person's browser at the simulated sign-in. */
export class Browser {
  readonly #cookies: string[] = [];

  /** Signs in; an empty email declines. Returns the query of the callback. */
  pick(url: string, email: string): Promise<URLSearchParams> {
    return this.#open(url, 'account', email);
  }

  decide(url: string, decision: 'accept' | 'cancel'): Promise<URLSearchParams> {
    return this.#open(url, 'decision', decision);
  }

  async #open(url: string, name: string, value: string): Promise<URLSearchParams> {
    const chosen = new URL(url);
    chosen.searchParams.set(name, value);
    const answer = await fetch(chosen, { redirect: 'manual', headers: { cookie: this.#cookies.join('; ') } });
    this.#cookies.push(...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!));
    const location = answer.headers.get('location');
    if (!location) throw new Error(`${chosen.pathname} returned ${answer.status}: ${await answer.text()}`);
    return new URL(location).searchParams;
  }
}

export function callbackOf(query: URLSearchParams) {
  const read = (name: string) => query.get(name) ?? undefined;
  return {
    state: read('state'),
    code: read('code'),
    error: read('error'),
    tenant: read('tenant'),
    isGrant: query.has('admin_consent'),
    isGranted: query.get('admin_consent') === 'True',
  };
}
