/** Consents at a simulated Microsoft: who may grant, which tenant counts, and what a made-up response achieves. */
import { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { tenants } from '@parapet/world/vendors/microsoft.login.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { Browser, callbackOf, consentsFixture } from '../../../test/consents.fixture.ts';
import { useFixture } from '../../../test/use.ts';
import { scoped } from '../../core/db/scope.ts';
import { createVault } from './connections.vault.ts';

const f = useFixture(consentsFixture, (fixture) => fixture.close());
let partner: number;

beforeAll(async () => {
  partner = await f.t.organisation({ isPartner: true });
});

const client = () => f.t.organisation({ parentId: partner });
const connectionsOf = (organisationId: number) =>
  scoped(f.t.db, 'system', (tx) =>
    tx.selectFrom('connections').selectAll().where('organisation_id', '=', organisationId).orderBy('id').execute(),
  );
const auditOf = (organisationId: number) =>
  scoped(f.t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['action', 'after'])
      .where('organisation_id', '=', organisationId)
      .where('action', 'like', 'connection.%')
      .orderBy('id')
      .execute(),
  );
const free = () => scoped(f.t.db, 'system', (tx) => sql`delete from connections`.execute(tx));
const finish = (query: URLSearchParams, cookie: string | undefined) =>
  f.consents.finish('portal.example', callbackOf(query), () => cookie, '192.0.2.1');
const outcomeIn = (location: string) => new URLSearchParams(location.split('?')[1]).get('outcome');

/** Adds a connection with the tenant and a made-up secret, as a client's administrator can. */
async function createByForm(own: number, tenant: string) {
  const user = await f.t.user({ organisationId: own, role: 'Administrator' });
  const values = { ...f.entra.values, tenant, secret: 'made~up.secret.of.a.guess' };
  const given = { kind: 'entra', name: `By form ${tenant}`, values };
  return f.t.call(connectionsApi.create, { params: { client: own }, body: given as never }, user);
}

/** Signs in as far as the grant. */
async function signedIn(token: string, email: string) {
  const begun = await f.consents.begin(token, 'portal.example', '192.0.2.1');
  const browser = new Browser();
  const back = await browser.pick(begun.location, email);
  const { location } = await finish(back, begun.bound?.browser);
  return { begun, browser, back, location };
}

describe('a consent', () => {
  test('adds a connection that works with the tenant of the signed token, audited with its administrator', async () => {
    await free();
    const own = await client();
    const { token, name } = await f.invite(own);
    expect(await f.consent(token, 'admin@reef.example')).toBe('connected');
    const [connection] = await connectionsOf(own);
    expect(connection).toMatchObject({
      kind: 'entra',
      name,
      account: tenants.reef,
      state: 'active',
      may_act: false,
      consented_by: 'admin@reef.example',
      settings: { tenant: tenants.reef, client: f.login.application.clientId },
    });
    expect(JSON.stringify(connection)).not.toContain(f.login.application.secret);
    const { id, organisation_id: organisationId, secrets } = connection!;
    expect(await createVault(f.t.db, f.t.keys).open({ id, organisationId, secrets })).toEqual({
      secret: f.login.application.secret,
    });
    expect(await auditOf(own)).toEqual([
      {
        action: 'connection.consented',
        after: expect.objectContaining({ consentedBy: 'admin@reef.example', account: tenants.reef }),
      },
    ]);
    await expect(f.consents.begin(token, 'portal.example', '192.0.2.1')).rejects.toThrow('was used');
  });

  test('renews the connection of an earlier one', async () => {
    await free();
    const own = await client();
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('connected');
    const [first] = await connectionsOf(own);
    await scoped(f.t.db, 'system', (tx) => sql`update connections set state = 'stopped', error = 'x'`.execute(tx));
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('connected');
    const after = await connectionsOf(own);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ id: first!.id, name: first!.name, state: 'active', error: null });
    expect((await auditOf(own)).map(({ action }) => action)).toEqual(['connection.consented', 'connection.consentRenewed']);
  });

  test('refuses people who aren’t administrators, even where the tenant consented earlier', async () => {
    await free();
    const own = await client();
    expect(await f.consent((await f.invite(own)).token, 'admin@alder.example')).toBe('connected');
    await free();
    const other = await client();
    expect(await f.consent((await f.invite(other)).token, 'mara.lindt@alder.example')).toBe('notAdministrator');
    expect(await connectionsOf(other)).toEqual([]);
    expect(await auditOf(other)).toEqual([
      { action: 'connection.consentFailed', after: expect.objectContaining({ outcome: 'notAdministrator' }) },
    ]);
  });

  test('refuses another tenant than the invitation names', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own, { tenant: tenants.reef });
    const { location } = await f.consents.begin(token, 'portal.example', '192.0.2.1');
    expect(new URL(location).pathname).toBe(`/${tenants.reef}/oauth2/v2.0/authorize`);
    f.login.spoilToken({ tid: tenants.kelp, iss: `${f.login.url}/${tenants.kelp}/v2.0` });
    expect(await f.consent(token, 'admin@reef.example')).toBe('failed');
    expect(await f.consent(token, 'admin@reef.example')).toBe('connected');
  });

  test('refuses another tenant than the invitation names where the issuer fits any', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own, { tenant: tenants.kelp });
    f.login.publishTemplate();
    expect((await signedIn(token, 'admin@reef.example')).location).toBe('/connect/result?outcome=otherTenant');
    expect(await connectionsOf(own)).toEqual([]);
  });

  test('takes no tenant into two clients', async () => {
    await free();
    const [first, second] = [await client(), await client()];
    expect(await f.consent((await f.invite(first)).token, 'admin@reef.example')).toBe('connected');
    const { token } = await f.invite(second);
    expect((await signedIn(token, 'admin@reef.example')).location).toBe('/connect/result?outcome=taken');
    expect(await connectionsOf(second)).toEqual([]);
  });

  test('ignores what the form of another client claims', async () => {
    await free();
    const [own, other] = [await client(), await client()];
    expect((await createByForm(other, tenants.reef)).statusCode).toBe(200);
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('connected');
  });

  test('reveals to forms of others nothing about its tenant', async () => {
    await free();
    const [own, other] = [await client(), await client()];
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('connected');
    const created: unknown[][] = [];
    const accepted: unknown[][] = [];
    for (const tenant of [tenants.reef, tenants.kelp]) {
      const answer = await createByForm(other, tenant);
      created.push([answer.statusCode, answer.json().error]);
      const { token } = await f.invite(other);
      const values = { ...f.entra.values, tenant, secret: 'made~up.secret.of.a.guess' };
      const accept = await f.t.call(connectionInvitesApi.accept, { body: { token, values } });
      accepted.push([accept.statusCode, accept.json().error.replaceAll(tenant, 'tenant')]);
    }
    expect(created).toEqual([created[1], created[1]]);
    expect(accepted).toEqual([accepted[1], accepted[1]]);
    expect(accepted[0]![0]).toBe(400);
  });

  test('moves a tenant from a deactivated client, whose reactivation resumes nothing', async () => {
    await free();
    const former = await client();
    expect(await f.consent((await f.invite(former)).token, 'admin@reef.example')).toBe('connected');
    await scoped(f.t.db, 'system', (tx) => sql`update organisations set deactivated_at = now() where id = ${former}`.execute(tx));
    const own = await client();
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('connected');
    expect(await connectionsOf(former)).toEqual([]);
    expect((await auditOf(former)).map(({ action }) => action)).toEqual(['connection.consented', 'connection.removed']);
    expect(await connectionsOf(own)).toHaveLength(1);
  });

  test('takes a tenant once when two clients grant at the same time', async () => {
    await free();
    const both = [await client(), await client()];
    const steps = await Promise.all(both.map(async (own) => signedIn((await f.invite(own)).token, 'admin@kelp.example')));
    const ends = await Promise.all(
      steps.map(async ({ begun, browser, location }) => finish(await browser.decide(location, 'accept'), begun.bound?.browser)),
    );
    expect(ends.map(({ location }) => outcomeIn(location)).toSorted()).toEqual(['connected', 'taken']);
    expect((await Promise.all(both.map(connectionsOf))).flat()).toHaveLength(1);
  });

  test('stores the secret that was set during the grant', async () => {
    await free();
    await scoped(f.t.db, 'system', (tx) =>
      sql`insert into organisations (id, name, is_partner) values (1, 'Provider', true) on conflict do nothing`.execute(tx),
    );
    const { clientId: clientID, ...application } = f.login.application;
    const host = { userId: null, organisationId: 1, address: '' } as never;
    await f.applications.save(host, 1, { clientID, ...application });
    const own = await client();
    const { begun, browser, location } = await signedIn((await f.invite(own)).token, 'admin@reef.example');
    const granted = await browser.decide(location, 'accept');
    const secret = 'another~Secret.Of.The.Application.04';
    f.interrupt(() => f.applications.save(host, 1, { clientID, ...application, secret }));
    expect(outcomeIn((await finish(granted, begun.bound?.browser)).location)).toBe('connected');
    const [{ id, secrets } = { id: 0, secrets: Buffer.alloc(0) }] = await connectionsOf(own);
    expect(await createVault(f.t.db, f.t.keys).open({ id, organisationId: own, secrets })).toEqual({ secret });
    await f.applications.remove(host, 1);
  });

  test('adds its connection under another name where a connection has the name', async () => {
    await free();
    const own = await client();
    for (const email of ['admin@reef.example', 'admin@kelp.example', 'admin@alder.example'])
      expect(await f.consent((await f.invite(own, { name: 'Entra' })).token, email)).toBe('connected');
    expect((await connectionsOf(own)).map(({ name }) => name)).toEqual(['Entra', 'Entra 2', 'Entra 3']);
    expect((await auditOf(own)).map(({ after }) => after)).toMatchObject([
      { name: 'Entra' },
      { name: 'Entra 2' },
      { name: 'Entra 3' },
    ]);
  });

  test('adds one connection where two invitations of a kind end at the same time', async () => {
    await free();
    const own = await client();
    const invites = [await f.invite(own), await f.invite(own)];
    const ends = await Promise.all(invites.map(({ token }) => f.consent(token, 'admin@reef.example')));
    expect(ends).toEqual(['connected', 'connected']);
    expect(await connectionsOf(own)).toHaveLength(1);
  });

  test('stays open when declined at either step', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own);
    expect(await f.consent(token, '')).toBe('cancelled');
    expect(await f.consent(token, 'admin@reef.example', 'cancel')).toBe('cancelled');
    expect(await f.consent(token, 'admin@reef.example')).toBe('connected');
  });

  test('stays, to be tried again, where the first test is refused', async () => {
    await free();
    const own = await client();
    f.entra.refuse(true);
    expect(await f.consent((await f.invite(own)).token, 'admin@reef.example')).toBe('untested');
    f.entra.refuse(false);
    expect(await connectionsOf(own)).toMatchObject([{ state: 'active', account: tenants.reef }]);
  });
});

describe('a made-up response', () => {
  test('adds nothing without a signed-in administrator', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own);
    const begun = await f.consents.begin(token, 'portal.example', '192.0.2.1');
    const state = new URL(begun.location).searchParams.get('state')!;
    const forged = new URLSearchParams({ admin_consent: 'True', tenant: tenants.kelp, state });
    expect((await finish(forged, begun.bound?.browser)).location).toBe('/connect/result?outcome=failed');
    expect(await connectionsOf(own)).toEqual([]);
  });

  test('fails with another tenant, and without one', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own);
    const first = await signedIn(token, 'admin@reef.example');
    const state = new URL(first.location).searchParams.get('state')!;
    const foreign = new URLSearchParams({ admin_consent: 'True', tenant: tenants.kelp, state });
    expect((await finish(foreign, first.begun.bound?.browser)).location).toBe('/connect/result?outcome=otherTenant');
    const second = await signedIn(token, 'admin@reef.example');
    const without = new URLSearchParams({ admin_consent: 'True', state: new URL(second.location).searchParams.get('state')! });
    expect((await finish(without, second.begun.bound?.browser)).location).toBe('/connect/result?outcome=otherTenant');
    expect(await connectionsOf(own)).toEqual([]);
  });

  test('fails in another browser, replayed, expired, and at the other step', async () => {
    await free();
    const own = await client();
    const { token } = await f.invite(own);
    const { begun, back, location } = await signedIn(token, 'admin@reef.example');
    const granted = new URLSearchParams({
      admin_consent: 'True',
      tenant: tenants.reef,
      state: new URL(location).searchParams.get('state')!,
    });
    expect((await finish(back, begun.bound?.browser)).location).toBe('/connect/result?outcome=expired');
    for (const cookie of [undefined, 'x'.repeat(43)])
      expect((await finish(granted, cookie)).location).toBe('/connect/result?outcome=expired');
    await scoped(f.t.db, 'system', (tx) => sql`update consent_starts set expires_at = now()`.execute(tx));
    expect((await finish(granted, begun.bound?.browser)).location).toBe('/connect/result?outcome=expired');
    const again = await signedIn(token, 'admin@reef.example');
    const mixed = new URLSearchParams({ code: 'x', state: new URL(again.location).searchParams.get('state')! });
    expect((await finish(mixed, again.begun.bound?.browser)).location).toBe('/connect/result?outcome=failed');
    expect(await connectionsOf(own)).toEqual([]);
  });

  test('ends with an invitation that was revoked during the sign-in', async () => {
    await free();
    const own = await client();
    const { token, id } = await f.invite(own);
    const { begun, browser, location } = await signedIn(token, 'admin@reef.example');
    const granted = await browser.decide(location, 'accept');
    await scoped(f.t.db, 'system', (tx) =>
      tx.updateTable('connection_invites').set({ revoked_at: new Date() }).where('id', '=', id).execute(),
    );
    expect((await finish(granted, begun.bound?.browser)).location).toBe('/connect/result?outcome=gone');
    expect(await connectionsOf(own)).toEqual([]);
  });
});

describe('an ID token', () => {
  const other = { iss: 'https://login.example/other/v2.0' };
  const cases: [string, Record<string, unknown>][] = [
    ['of another issuer', other],
    ['of another audience', { aud: tenants.kelp }],
    ['of another sign-in', { nonce: 'another' }],
    ['without a tenant', { tid: undefined }],
    ['whose tenant isn’t that of its issuer', { tid: tenants.kelp }],
    ['that expired', { exp: 1_700_000_000 }],
  ];
  test.each(cases)('%s is refused', async (_title, claims) => {
    const own = await client();
    const { token } = await f.invite(own);
    f.login.spoilToken(claims);
    expect((await signedIn(token, 'admin@reef.example')).location).toBe('/connect/result?outcome=failed');
    expect(await connectionsOf(own)).toEqual([]);
  });

  test('fails with a foreign signature', async () => {
    const own = await client();
    const { token } = await f.invite(own);
    f.login.forgeToken();
    expect((await signedIn(token, 'admin@reef.example')).location).toBe('/connect/result?outcome=failed');
    expect(await connectionsOf(own)).toEqual([]);
  });
});
