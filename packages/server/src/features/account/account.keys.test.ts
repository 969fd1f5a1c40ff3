/** Scopes and address ranges of API keys, credentials created with them, and notices to owners. */
import { isAvailableToKeys, type KeyScope } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { agentsApi } from '@parapet/contract/agents.ts';
import { endpoints } from '@parapet/contract/api.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import type { Updateable } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { createAccountService } from './account.service.ts';

const t = useTestApp();
let partner: number;
let client: number;
let owner: TestUser;
beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'The client' });
});
beforeEach(async () => {
  owner = await t.user({ organisationId: partner, role: 'Administrator' });
});

const createKey = async (scopes: KeyScope[], addressRanges: string[] = []) =>
  (await t.call(accountApi.createApiKey, { body: { name: 'Script', scopes, addressRanges } }, owner)).json() as {
    id: number;
    key: string;
  };
const listTags = (key: string, remoteAddress = '127.0.0.1') =>
  t.application.app.inject({
    url: `/api/v1/tags?selectedClientOrgID=${client}`,
    headers: { authorization: `Bearer ${key}` },
    remoteAddress,
  });
const createIngestKey = (key: string) =>
  t.call(ingestKeysApi.create, { params: { client }, body: { name: 'Log host' } }, { token: key });
const createToken = (key: string) =>
  t.call(agentsApi.createToken, { params: { client }, body: { name: 'Servers', maxUses: 5, hours: 24 } }, { token: key });
const send = async (key: string) => (await t.send(key, [{ message: 'x' }])).statusCode;

describe('scopes', () => {
  test.each<[KeyScope[], number, number, number]>([
    [['read'], 200, 403, 403],
    [['triage'], 403, 200, 403],
    [['read', 'triage'], 200, 200, 403],
    [['ingest'], 403, 403, 200],
    [['administer', 'respond'], 403, 403, 403],
  ])('%j: reads %i, tags %i, creates ingest keys %i', async (scopes, reads, tags, mints) => {
    const { key } = await createKey(scopes);
    const tag = { body: { clientOrganizationID: client, name: `${scopes} ${owner.id}` } };
    expect((await listTags(key)).statusCode).toBe(reads);
    expect((await t.call(tagsApi.saveNew, tag, { token: key })).statusCode).toBe(tags);
    expect((await createIngestKey(key)).statusCode).toBe(mints);
  });

  test('appear in the refusal when missing', async () => {
    const { key } = await createKey(['read']);
    expect((await createIngestKey(key)).json().error).toContain('lacks the scope ingest');
  });

  test('allow no creation of API keys', async () => {
    const { key } = await createKey(['read', 'triage', 'respond', 'administer', 'ingest']);
    const answer = await t.call(accountApi.createApiKey, { body: { name: 'Another' } }, { token: key });
    expect(answer.statusCode).toBe(403);
    expect((await t.call(accountApi.apiKeys, {}, owner)).json().total).toBe(1);
  });

  test('allow no call that requires a person, before its input is read', async () => {
    const { key } = await createKey(['read', 'triage', 'respond', 'administer', 'ingest']);
    // The role is checked first where only the Host or only the client’s people may call.
    const ofRoles = ['installation:write', 'legalHolds:write', 'cases:answer'];
    const closed = endpoints.filter(({ allow }) => !isAvailableToKeys(allow) && !ofRoles.includes(allow));
    expect(closed.map(({ id }) => id)).toContain('account.createApiKey');
    const answers = await Promise.all(closed.map((endpoint) => t.call(endpoint, {} as never, { token: key })));
    expect(answers.map((answer, i) => `${closed[i]?.id} ${answer.json().error}`)).toEqual(
      closed.map(({ id, summary }) => `${id} An API key may not do this; sign in for it: ${summary}`),
    );
  });
});

describe('address ranges', () => {
  test('refuse the key elsewhere and audit the refusal', async () => {
    const { id, key } = await createKey(['read'], ['203.0.113.0/24', '2001:db8::/32']);
    expect((await listTags(key, '203.0.113.7')).statusCode).toBe(200);
    expect((await listTags(key, '2001:db8::7')).statusCode).toBe(200);
    const refused = await listTags(key, '198.51.100.7');
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toBe('This API key may not be used from 198.51.100.7.');
    const rows = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select('address')
        .where('actor_user_id', '=', owner.id)
        .where('action', '=', 'call.denied')
        .execute(),
    );
    expect(rows).toEqual([{ address: '198.51.100.7' }]);
    expect((await t.call(accountApi.apiKeys, {}, owner)).json().results).toMatchObject([
      { id, addressRanges: ['203.0.113.0/24', '2001:db8::/32'] },
    ]);
  });
});

describe('credentials created with a key', () => {
  test('appear with the key and count while live', async () => {
    const { id, key } = await createKey(['ingest']);
    await createIngestKey(key);
    await createToken(key);
    // Created by the user, not with the key.
    await t.call(ingestKeysApi.create, { params: { client }, body: { name: 'Manual' } }, owner);
    const { results, total } = (await t.call(accountApi.mintedByApiKey, { params: { id } }, owner)).json();
    expect(total).toBe(2);
    expect(results).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'ingestKey', name: 'Log host', clientOrganizationName: 'The client', revokedAt: null }),
        expect.objectContaining({ kind: 'enrolmentToken', name: 'Servers', clientOrganizationID: client }),
      ]),
    );
    expect((await t.call(accountApi.apiKeys, {}, owner)).json().results[0].minted).toBe(2);
  });

  test('survive the key unless revoked with it', async () => {
    const minting = await createKey(['ingest']);
    const survivingIngestKey = (await createIngestKey(minting.key)).json().key;
    await t.call(accountApi.revokeApiKey, { params: { id: minting.id } }, owner);
    expect(await send(survivingIngestKey)).toBe(200);

    const ended = await createKey(['ingest']);
    const endedIngestKey = (await createIngestKey(ended.key)).json().key;
    await createToken(ended.key);
    expect(await send(endedIngestKey)).toBe(200);
    const answer = await t.call(accountApi.revokeApiKey, { params: { id: ended.id }, query: { withMinted: 'true' } }, owner);
    expect(answer.json()).toEqual({ revoked: 2 });
    expect(await send(endedIngestKey)).toBe(401);
    const { results } = (await t.call(accountApi.mintedByApiKey, { params: { id: ended.id } }, owner)).json();
    expect(results.map((row: { revokedAt: string | null }) => row.revokedAt !== null)).toEqual([true, true]);
    const actions = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action'])
        .where('actor_user_id', '=', owner.id)
        .where('organisation_id', '=', client)
        .execute(),
    );
    expect(actions.map(({ action }) => action)).toEqual(expect.arrayContaining(['ingestKey.revoked', 'enrolmentToken.revoked']));
  });

  test('stay hidden from colleagues', async () => {
    const { id, key } = await createKey(['ingest']);
    await createIngestKey(key);
    const colleague = await t.user({ organisationId: partner, role: 'Administrator' });
    expect((await t.call(accountApi.mintedByApiKey, { params: { id } }, colleague)).statusCode).toBe(404);
  });
});

describe('notices', () => {
  const update = (id: number, fields: Updateable<Tables['api_keys']>) =>
    scoped(t.db, 'system', (tx) => tx.updateTable('api_keys').set(fields).where('id', '=', id).execute());
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  async function notices(): Promise<string[]> {
    const subjects: string[] = [];
    const account = createAccountService({
      db: t.db,
      idleMinutes: 60,
      outbox: { queue: async (_tx, mail) => void (mail.to.includes(owner.email) && subjects.push(mail.kind)) },
    });
    await account.sendKeyNotices();
    await account.sendKeyNotices();
    return subjects;
  }

  test('go out once, 14 days before expiry', async () => {
    const { id } = await createKey(['read']);
    await update(id, { expires_at: inDays(15) });
    expect(await notices()).toEqual([]);
    await update(id, { expires_at: inDays(13), created_at: inDays(-50) });
    expect(await notices()).toEqual(['apiKey.expiring']);
  });

  test('skip short-lived, expired and revoked keys', async () => {
    const short = await createKey(['read']);
    await update(short.id, { expires_at: inDays(7) });
    const ended = await createKey(['read']);
    await update(ended.id, { expires_at: inDays(-1), created_at: inDays(-50) });
    const revoked = await createKey(['read']);
    await update(revoked.id, { expires_at: inDays(5), created_at: inDays(-50), revoked_at: new Date() });
    expect(await notices()).toEqual([]);
  });

  test('list the scopes assigned to an older key', async () => {
    const { id } = await createKey(['read', 'triage', 'respond', 'ingest']);
    await update(id, { is_scopes_notice_due: true });
    expect(await notices()).toEqual(['apiKey.scoped']);
  });
});
