/** Sign-in policy of an organisation, with the secret of a partner’s identity provider. */
import { accountApi } from '@parapet/contract/account.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { afterAll, expect, test } from 'vitest';
import { type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';

const t = await testApp();
afterAll(() => t.close());
const partner = await t.organisation({ isPartner: true, name: 'Quay' });
const client = await t.organisation({ parentId: partner, name: 'Elm' });
const partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
const provider = { issuer: 'https://login.quay.example/v2', clientId: 'portal', clientSecret: 'first secret' };

const save = (singleSignOn: typeof provider | null, user = partnerAdmin, id = partner) =>
  t.call(
    organisationsApi.updateSignInPolicy,
    { params: { id }, body: { isMfaCompulsory: true, allowsFirstMatchByEmail: false, singleSignOn } },
    user,
  );
const detailsOf = async (user: TestUser, id: number) => {
  const answer = await t.call(organisationsApi.details, { params: { id } }, user);
  expect(answer.statusCode).toBe(200);
  return answer.json();
};
const stored = () =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('identity_providers').selectAll().where('organisation_id', '=', partner).executeTakeFirst(),
  );
const secret = async () => {
  const sealed = (await stored())?.client_secret;
  const place = { organisationId: partner, column: 'identity_providers.client_secret', id: partner } as const;
  return sealed ? (await scoped(t.db, 'system', (tx) => t.keys.open(tx, place, sealed))).toString() : null;
};

test('keeps the client secret encrypted and unreadable, and drops it when the issuer changes', async () => {
  const answer = await save(provider);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain(provider.clientSecret);
  expect(answer.json().signInPolicy.singleSignOn).toEqual({ ...provider, clientSecret: '' });
  expect((await stored())?.client_secret?.toString('latin1')).not.toContain(provider.clientSecret);
  expect(await secret()).toBe(provider.clientSecret);

  await save({ ...provider, clientId: 'portal 2', clientSecret: '' });
  expect(await secret()).toBe(provider.clientSecret);
  await save({ ...provider, issuer: 'https://evil.example', clientSecret: '' });
  expect(await secret()).toBe(null);
  await save({ ...provider, issuer: 'https://other.example', clientSecret: 'second secret' });
  expect(await secret()).toBe('second secret');

  const rows = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .selectAll()
      .where('organisation_id', '=', partner)
      .where('action', '=', 'organisation.signInPolicyUpdated')
      .orderBy('id')
      .execute(),
  );
  expect(rows).toHaveLength(4);
  expect(JSON.stringify(rows)).not.toMatch(/first secret|second secret/);
  expect(rows[2]?.after).toMatchObject({ isSecretNew: false, hasSecret: false });
});

test('requires a sign-in within ten minutes, since the issuer can sign in as others', async () => {
  const user = await t.user({ organisationId: partner, role: 'Administrator' });
  const { key } = (
    await t.call(accountApi.createApiKey, { body: { name: 'setup', scopes: ['read', 'administer'] } }, user)
  ).json();
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('sessions')
      .set({ proven_at: new Date(Date.now() - 11 * 60_000) })
      .where('user_id', '=', user.id)
      .execute(),
  );
  const before = await stored();
  for (const token of [user.token, key]) {
    const answer = await save({ ...provider, issuer: 'https://evil.example' }, { ...user, token });
    expect([answer.statusCode, answer.json().error]).toEqual([403, 'Please sign in again to continue']);
  }
  expect(await stored()).toEqual(before);
});

test('accepts https issuers only, and none for a client', async () => {
  for (const issuer of [
    'http://login.quay.example',
    'https://user:pass@login.quay.example',
    'https://login.quay.example/?x=1',
    'https://login.quay.example/#x',
  ]) {
    const answer = await save({ ...provider, issuer });
    expect(answer.statusCode).toBe(400);
    expect(Object.keys(answer.json().errors)).toEqual(['singleSignOn.issuer']);
  }
  const before = await detailsOf(clientAdmin, client);
  const answer = await save(provider, clientAdmin, client);
  expect(answer.json().errors).toEqual({ singleSignOn: ['A client signs in through the identity provider of its partner.'] });
  expect(await detailsOf(clientAdmin, client)).toEqual(before);
  expect((await save(null)).json().signInPolicy.singleSignOn).toBe(null);
  expect(await stored()).toBe(undefined);
});
