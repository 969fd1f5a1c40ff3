import { type KeyScope, keyScopes, may, missingKeyScope } from '@parapet/contract/access.ts';
import { accountApi } from '@parapet/contract/account.ts';
import { endpoints } from '@parapet/contract/api.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { usersApi } from '@parapet/contract/users.ts';
import { sql, type Updateable } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { createTokens } from '../auth/tokens.ts';

const t = useTestApp();
let partner: number;
let client: number;
let user: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
});
beforeEach(async () => {
  user = await t.user({ organisationId: client, role: 'Administrator' });
});

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
const sessionsOf = async (who: Pick<TestUser, 'token'>) => (await t.call(accountApi.sessions, {}, who)).json();
/** Another session of the same user, from another browser. */
async function signInAgain(who: TestUser, fields: Partial<Updateable<Tables['sessions']>> = {}) {
  const id = crypto.randomUUID();
  await system((tx) =>
    tx
      .insertInto('sessions')
      .values({
        id,
        organisation_id: who.organisationId,
        user_id: who.id,
        expires_at: new Date(Date.now() + 3_600_000),
        user_agent: 'Another',
        ...fields,
      } as never)
      .execute(),
  );
  return id;
}
const makeKey = async (who: TestUser, body: { name?: string; scopes?: KeyScope[]; expiresInDays?: number } = {}) => {
  const answer = await t.call(accountApi.createApiKey, { body: { name: 'Script', ...body } }, who);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json() as { id: number; key: string; prefix: string };
};
const statusWith = async (token: string, organisationId = client) =>
  (await t.call(tagsApi.list, { query: { selectedClientOrgID: organisationId } }, { token })).statusCode;
const updateKey = (id: number, fields: Updateable<Tables['api_keys']>) =>
  system((tx) => tx.updateTable('api_keys').set(fields).where('id', '=', id).execute());
const keyRow = (id: number) =>
  system((tx) => tx.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const actionsOf = (who: TestUser) =>
  system(async (tx) =>
    (await tx.selectFrom('audit').select(['action', 'target']).where('actor_user_id', '=', who.id).orderBy('id').execute()).map(
      ({ action, target }) => `${action} ${target}`,
    ),
  );

describe('sessions', () => {
  test('lists live ones, newest first, and marks the current one', async () => {
    const other = await signInAgain(user, { signed_in_at: new Date(Date.now() + 1000) });
    await signInAgain(user, { revoked_at: new Date() });
    await signInAgain(user, { expires_at: new Date(Date.now() - 1) });
    await signInAgain(user, { last_seen_at: new Date(Date.now() - 61 * 60_000) });
    const { results, total } = await sessionsOf(user);
    expect(total).toBe(2);
    expect(results).toMatchObject([
      { id: other, isCurrent: false, userAgent: 'Another', method: 'password' },
      { isCurrent: true },
    ]);
  });

  test('ends one, audited, from the next request on', async () => {
    const [{ id }] = (await sessionsOf(user)).results;
    const other = await signInAgain(user);
    const colleague = { token: await tokenOf(user.id, other) };
    expect((await sessionsOf(colleague)).total).toBe(2);
    expect((await t.call(accountApi.endSession, { params: { id: other } }, user)).statusCode).toBe(200);
    expect((await t.call(accountApi.sessions, {}, colleague)).statusCode).toBe(401);
    expect((await sessionsOf(user)).results.map((row: { id: string }) => row.id)).toEqual([id]);
    expect(await actionsOf(user)).toEqual([`session.ended ${other}`]);
    const again = await t.call(accountApi.endSession, { params: { id: other } }, user);
    expect(again.statusCode).toBe(404);
  });

  test('hides those of other users, even of the same organisation', async () => {
    const colleague = await t.user({ organisationId: client, role: 'Analyst' });
    const [{ id }] = (await sessionsOf(colleague)).results;
    const administrator = await t.user({ organisationId: partner, role: 'Administrator' });
    for (const who of [user, administrator]) {
      expect((await t.call(accountApi.endSession, { params: { id } }, who)).statusCode).toBe(404);
      expect((await t.call(accountApi.endOtherSessions, {}, who)).json()).toEqual({ ended: 0 });
    }
    expect((await sessionsOf(colleague)).total).toBe(1);
  });

  test('ends all but the current one', async () => {
    await signInAgain(user);
    await signInAgain(user);
    expect((await t.call(accountApi.endOtherSessions, {}, user)).json()).toEqual({ ended: 2 });
    expect((await sessionsOf(user)).results).toMatchObject([{ isCurrent: true }]);
    expect(await actionsOf(user)).toEqual([`sessions.ended ${user.id}`]);
  });

  test('returns 401 to anonymous callers', async () => {
    for (const endpoint of [accountApi.sessions, accountApi.apiKeys, accountApi.endOtherSessions])
      expect((await t.call(endpoint, {})).statusCode).toBe(401);
  });
});

const tokenOf = async (userId: number, sessionId: string): Promise<string> => {
  return createTokens(await t.keys.shared('access tokens')).issue(userId, sessionId);
};

describe('API keys', () => {
  test('appear once, are stored as a hash, act with their owner’s permissions and can be revoked', async () => {
    const made = await makeKey(user, { scopes: ['read', 'triage'] });
    expect(made.key).toMatch(/^pak_[\w-]{43}$/);
    expect(made.key.startsWith(made.prefix)).toBe(true);
    expect(JSON.stringify(await keyRow(made.id))).not.toContain(made.key.slice(10));
    expect(await statusWith(made.key)).toBe(200);
    expect(await statusWith(made.key, partner)).toBe(403);
    const wrote = await t.call(
      tagsApi.saveNew,
      { body: { clientOrganizationID: client, name: `By key ${made.id}` } },
      { token: made.key },
    );
    expect(wrote.statusCode).toBe(200);
    const listed = await t.call(accountApi.apiKeys, {}, user);
    expect(listed.json()).toMatchObject({
      total: 1,
      results: [
        {
          id: made.id,
          scopes: ['read', 'triage'],
          addressRanges: [],
          minted: 0,
          revokedAt: null,
          lastUsedAt: expect.any(String),
        },
      ],
    });
    expect(listed.body).not.toContain(made.key.slice(10));
    expect((await t.call(accountApi.revokeApiKey, { params: { id: made.id } }, user)).statusCode).toBe(200);
    expect(await statusWith(made.key)).toBe(401);
    expect((await t.call(accountApi.revokeApiKey, { params: { id: made.id } }, user)).statusCode).toBe(404);
    const actions = await actionsOf(user);
    expect(actions).toContain(`apiKey.created ${made.id}`);
    expect(actions).toContain(`apiKey.revoked ${made.id}`);
    const audit = await system((tx) => tx.selectFrom('audit').selectAll().where('actor_user_id', '=', user.id).execute());
    expect(JSON.stringify(audit)).not.toContain(made.key.slice(10));
  });

  test('end at expiry and with their owner, organisation and partner', async () => {
    const parent = await t.organisation({ isPartner: true });
    const organisationId = await t.organisation({ parentId: parent });
    const owner = await t.user({ organisationId, role: 'Analyst' });
    const made = await makeKey(owner);
    const status = () => statusWith(made.key, organisationId);
    expect(await status()).toBe(200);
    await updateKey(made.id, { expires_at: new Date(Date.now() - 1000) });
    expect(await status()).toBe(401);
    await updateKey(made.id, { expires_at: new Date(Date.now() + 60_000) });
    for (const id of [organisationId, parent]) {
      const set = (deactivated_at: Date | null) =>
        system((tx) => tx.updateTable('organisations').set({ deactivated_at }).where('id', '=', id).execute());
      await set(new Date());
      expect(await status()).toBe(401);
      await set(null);
      expect(await status()).toBe(200);
    }
    const setDeleted = (is_deleted: boolean) =>
      system((tx) => tx.updateTable('users').set({ is_deleted }).where('id', '=', owner.id).execute());
    await setDeleted(true);
    expect(await status()).toBe(401);
    // A reactivated user creates new keys.
    await setDeleted(false);
    expect(await status()).toBe(401);
  });

  test('reflect a role change from the next request on', async () => {
    const made = await makeKey(user, { scopes: ['read', 'triage'] });
    const save = (name: string) =>
      t.call(tagsApi.saveNew, { body: { clientOrganizationID: client, name: `${name} ${made.id}` } }, { token: made.key });
    expect((await save('before')).statusCode).toBe(200);
    const become = (role: string) => system((tx) => tx.updateTable('users').set({ role }).where('id', '=', user.id).execute());
    await become('Analyst');
    expect((await save('after')).statusCode).toBe(403);
    await become('');
    expect(await statusWith(made.key)).toBe(403);
  });

  test('write nothing without the scope, audited', async () => {
    const made = await makeKey(user);
    const answer = await t.call(
      tagsApi.saveNew,
      { body: { clientOrganizationID: client, name: 'not written' } },
      { token: made.key },
    );
    expect(answer.statusCode).toBe(403);
    expect(answer.json().error).toContain('lacks the scope triage');
    expect((await t.call(tagsApi.list, { query: { selectedClientOrgID: client } }, user)).body).not.toContain('not written');
    expect(await actionsOf(user)).toContainEqual(expect.stringMatching(/^call\.denied tags\.saveNew /));
  });

  test('reach no personal calls: sessions, accounts, keys, pictures, the live stream', async () => {
    const host = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Host' });
    const keys = { read: await makeKey(host), all: await makeKey(host, { scopes: [...keyScopes] }) };
    // Rows 3, 7–11, 13, 30 and 38 of the access table, and those of retention, syslog and applications of vendors, spelled out.
    const personal = (id: string) =>
      /^(account\.|assistants\.|auth\.|secondFactor\.|responseDesk\.setPolicy$|retention\.(saveLimits|request)$|operations\.(backUp|release)$|isolation\.run$|syslog\.|vendorApplications\.|mailSubscriptions\.(mine|updateMine)$|sapphire\.insertKnowledge$)/.test(
        id,
      ) ||
      /^users\.(create|update|changePassword|resetMfa|remove|reactivate|invite|makeLink|uploadPicture|removePicture)$/.test(id);
    // Answers are the client’s people’s alone.
    const closed = endpoints.filter(({ allow }) => allow !== 'anyone' && allow !== 'cases:answer');
    expect(closed.filter(({ id }) => personal(id)).length).toBeGreaterThan(15);
    const holder = { role: 'Host', isPartner: true, organisationId: 1 };
    for (const [kind, { key }] of Object.entries(keys))
      for (const { id, allow, method, prefix, path, upload, answers } of closed) {
        expect(may(holder, allow)).toBe(true);
        const url =
          prefix +
          path
            .replace(/:(start|end)/g, '2026-01-01T00:00:00Z')
            .replace(':token', 'a'.repeat(43))
            .replace(/:[a-z]+/gi, 'none');
        const headers = { authorization: `Bearer ${key}`, ...(upload && { 'content-type': upload.types[0] }) };
        const { statusCode, body } = await t.application.app.inject({
          method,
          url,
          headers,
          ...(method !== 'GET' && { payload: upload ? Buffer.from('x') : {} }),
        });
        const isRefused = statusCode === 403 && /API key/.test(body);
        const isBeyond = kind === 'read' && missingKeyScope(['read'], allow) !== undefined;
        expect([kind, id, isRefused]).toEqual([kind, id, personal(id) || answers === 'events' || isBeyond]);
      }
    expect(await system((tx) => tx.selectFrom('api_keys').select('id').where('user_id', '=', host.id).execute())).toHaveLength(2);
  });

  test('require a fresh sign-in to create', async () => {
    await system((tx) =>
      tx
        .updateTable('sessions')
        .set({ proven_at: new Date(Date.now() - 11 * 60_000) })
        .where('user_id', '=', user.id)
        .execute(),
    );
    const answer = await t.call(accountApi.createApiKey, { body: { name: 'Late' } }, user);
    expect(answer.statusCode).toBe(403);
    expect((await t.call(accountApi.apiKeys, {}, user)).json().total).toBe(0);
  });

  test('stay hidden from and irrevocable by other users', async () => {
    const colleague = await t.user({ organisationId: client, role: 'Administrator' });
    const made = await makeKey(colleague);
    expect((await t.call(accountApi.revokeApiKey, { params: { id: made.id } }, user)).statusCode).toBe(404);
    expect((await t.call(accountApi.apiKeys, {}, user)).json().total).toBe(0);
    expect(await statusWith(made.key)).toBe(200);
  });

  test('allow twenty live ones, also under concurrent creation', async () => {
    const answers = await Promise.all(
      Array.from({ length: 26 }, (_, n) => t.call(accountApi.createApiKey, { body: { name: `Key ${n}` } }, user)),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(6);
    const { id } = answers.find(({ statusCode }) => statusCode === 200)!.json();
    await updateKey(id, { expires_at: new Date(Date.now() - 1000) });
    await makeKey(user);
    expect((await t.call(accountApi.createApiKey, { body: { name: 'One more' } }, user)).statusCode).toBe(409);
  });

  test('record their use once a minute', async () => {
    const made = await makeKey(user);
    await statusWith(made.key);
    const first = (await keyRow(made.id)).last_used_at;
    await statusWith(made.key);
    expect((await keyRow(made.id)).last_used_at).toEqual(first);
    await updateKey(made.id, { last_used_at: sql<Date>`now() - interval '61 seconds'` as never });
    await statusWith(made.key);
    expect((await keyRow(made.id)).last_used_at!.getTime()).toBeGreaterThanOrEqual(first!.getTime());
  });

  test('act for their own owner under concurrent use', async () => {
    const organisations = await Promise.all(Array.from({ length: 8 }, () => t.organisation()));
    const keys = await Promise.all(
      organisations.map(async (organisationId) => makeKey(await t.user({ organisationId, role: 'Analyst' }))),
    );
    const statuses = await Promise.all(
      keys.flatMap(({ key }, own) =>
        organisations.map((id, other) => statusWith(key, id).then((status) => [own === other, status])),
      ),
    );
    for (const [isOwn, status] of statuses) expect(status).toBe(isOwn ? 200 : 403);
  });

  test('reject malformed tokens, foreign schemes and hostile text', async () => {
    const made = await makeKey(user);
    const flipped = made.key.slice(0, -2) + (made.key.endsWith('AA') ? 'BB' : 'AA');
    for (const token of [flipped, `${made.key}x`, made.key.slice(0, -1), made.key.slice(4), 'pak_', `pak_${"'".repeat(43)}`])
      expect([token, await statusWith(token)]).toEqual([token, 401]);
    for (const authorization of [`ApiKey ${made.key}`, `bearer ${made.key}`, made.key]) {
      const answer = await t.application.app.inject({
        url: `/api/v1/tags?selectedClientOrgID=${client}`,
        headers: { authorization },
      });
      expect(answer.statusCode).toBe(401);
    }
  });

  test('require a valid name, expiry, scope and address range', async () => {
    for (const body of [
      { name: ' ' },
      { name: 'a\u0000b' },
      { name: 'x'.repeat(201) },
      { name: 'x', expiresInDays: 366 },
      { name: 'x', expiresInDays: 0 },
      { name: 'x', scopes: ['all'] },
      { name: 'x', scopes: [] },
      { name: 'x', addressRanges: ['10.0.0.0/33'] },
      { name: 'x', addressRanges: ['localhost'] },
    ])
      expect((await t.call(accountApi.createApiKey, { body } as never, user)).statusCode).toBe(400);
  });
});

describe('kinds of keys', () => {
  test('limits ingest to ingest keys', async () => {
    const made = await makeKey(user, { scopes: ['read', 'triage'] });
    for (const key of [made.key, user.token])
      for (const scheme of ['ApiKey', 'Bearer']) {
        const answer = await t.application.app.inject({
          method: 'POST',
          url: '/ingest/logs/_bulk',
          headers: { authorization: `${scheme} ${key}`, 'content-type': 'application/x-ndjson' },
          payload: '{"create":{}}\n{"message":"x"}\n',
        });
        expect([scheme, answer.statusCode]).toEqual([scheme, 401]);
      }
  });

  test('refuses ingest keys on all user calls', async () => {
    const key = await t.ingestKey(client);
    for (const { id, allow, method, prefix, path } of endpoints) {
      if (allow === 'anyone') continue;
      const url =
        prefix +
        path
          .replace(/:(start|end)/g, '2026-01-01T00:00:00Z')
          .replace(':token', 'a'.repeat(43))
          .replace(/:[a-z]+/gi, '1');
      for (const scheme of ['Bearer', 'ApiKey']) {
        const headers = { authorization: `${scheme} ${key}` };
        const answer = await t.application.app.inject({ method, url, headers, ...(method !== 'GET' && { payload: {} }) });
        expect([id, scheme, answer.statusCode]).toEqual([id, scheme, 401]);
      }
    }
  });

  test('reads other accounts with a key within its owner’s permissions', async () => {
    const made = await makeKey(user);
    const answer = await t.call(usersApi.list, { params: { client }, query: {} } as never, { token: made.key });
    expect(answer.statusCode).toBe(200);
  });
});
