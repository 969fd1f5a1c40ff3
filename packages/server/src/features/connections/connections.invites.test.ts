/** Invitations to connect, from the mail to the connection. */
import { okta as oktaConnector } from '@parapet/connectors/okta.ts';
import { type ConnectionInvite, connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { startOkta } from '@parapet/world/vendors/okta.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp, waitingMails } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { createConnectionInvites, type InvitesDeps } from './connections.invites.ts';

let t: TestApp;
let okta: Vendor;
let client: number;
let partnerAdmin: TestUser;
let number = 0;

beforeAll(async () => {
  okta = await startOkta();
  t = await testApp({ CONNECTION_ORIGINS: okta.url, ...waitingMails });
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Birch' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
});
afterAll(async () => {
  await t.close();
  await okta.close();
});

const params = () => ({ client });
/** An invitation with a token of the test’s own: the mailed one is sealed. */
async function invite(): Promise<{ id: number; token: string; name: string }> {
  const name = `Okta ${++number}`;
  const body = { kind: 'okta', name, email: 'it@birch.example' };
  const answer = await t.call(connectionInvitesApi.create, { params: params(), body }, partnerAdmin);
  expect(answer.statusCode).toBe(200);
  const { id } = answer.json<ConnectionInvite>();
  const token = `token-${id}`;
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('connection_invites')
      .set({ token_hash: hashOfToken(token) })
      .where('id', '=', id)
      .execute(),
  );
  return { id, token, name };
}
const open = (token: string) => t.call(connectionInvitesApi.open, { body: { token } });
const accept = (token: string, values: Record<string, string> = okta.values) =>
  t.call(connectionInvitesApi.accept, { body: { token, values } });
const stateOf = async (id: number) =>
  (await t.call(connectionInvitesApi.list, { params: params() }, partnerAdmin))
    .json<{ results: ConnectionInvite[] }>()
    .results.find((each) => each.id === id)?.state;
const connections = async () =>
  (await t.call(connectionsApi.list, { params: params() }, partnerAdmin)).json<{ results: { id: number; name: string }[] }>()
    .results;

describe('invitations to connect', () => {
  test('roll back when their mail can’t be queued', async () => {
    const queue = () => Promise.reject(new Error('no mail'));
    const brand = { ofMails: async () => ({ origin: 'https://portal.example' }) };
    const deps = { db: t.db, clock: { now: Date.now }, connectors: [oktaConnector], brand, outbox: { queue } };
    const invites = createConnectionInvites(deps as unknown as InvitesDeps);
    const { id: userId } = partnerAdmin;
    const address = '198.51.100.7';
    const actor = {
      userId,
      address,
      displayName: 'A',
      email: 'a@b.example',
      organisationId: client,
      organisationIds: [client],
      role: 'Administrator',
    };
    const given = { kind: 'okta', name: 'Okta without a mail', email: 'it@birch.example' };
    await expect(invites.create(actor as unknown as Actor, client, given)).rejects.toThrow('no mail');
    const listed = await t.call(connectionInvitesApi.list, { params: params() }, partnerAdmin);
    expect(listed.json<{ total: number }>().total).toBe(0);
  });

  test('mail a link that adds the connection once, audited', async () => {
    const { id, token, name } = await invite();
    const mails = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('mails').selectAll().where('organisation_id', '=', client).where('kind', '=', 'connection.invited').execute(),
    );
    expect(JSON.stringify(mails)).toContain('it@birch.example');
    expect(JSON.stringify(mails)).not.toMatch(/\/connect\/[\w-]{40}/);

    const opened = await open(token);
    expect(opened.json()).toMatchObject({ client: 'Birch', name, kind: { id: 'okta', title: 'Okta' } });
    expect(opened.body).not.toContain('it@birch.example');
    const accepted = await accept(token);
    expect([accepted.statusCode, accepted.json()]).toEqual([200, { name }]);
    const added = (await connections()).find((each) => each.name === name);
    expect(added).toMatchObject({ mayAct: false, state: 'waiting' });
    expect(await stateOf(id)).toBe('used');
    for (const again of [await open(token), await accept(token)]) expect(again.statusCode).toBe(404);
    const audit = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'after'])
        .where('action', 'in', ['connection.invited', 'connection.createdByInvite'])
        .orderBy('id')
        .execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['connection.invited', 'connection.createdByInvite']);
    expect(audit[1]?.after).toMatchObject({ name, invitedEmail: 'it@birch.example' });
  });

  test('stay open after values that the vendor refuses, for twenty tries', async () => {
    const { id, token } = await invite();
    const refused = await accept(token, { ...okta.values, token: '0'.repeat(40) });
    expect([refused.statusCode, refused.json().error]).toEqual([400, expect.stringContaining('401')]);
    expect((await accept(token, { domain: 'x' })).statusCode).toBe(400);
    expect(await stateOf(id)).toBe('open');
    await scoped(t.db, 'system', (tx) => sql`update connection_invites set attempts = 20 where id = ${id}`.execute(tx));
    expect((await accept(token)).statusCode).toBe(404);
  });

  test('add one connection when two calls use a link at once', async () => {
    const { token, name } = await invite();
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 404]);
    expect((await connections()).filter((each) => each.name === name)).toHaveLength(1);
  });

  test('end when revoked, expired, or the client is deactivated', async () => {
    const [revoked, expired, closed] = [await invite(), await invite(), await invite()];
    await t.call(connectionInvitesApi.revoke, { params: { client, invite: revoked.id } }, partnerAdmin);
    await scoped(t.db, 'system', (tx) =>
      sql`update connection_invites set expires_at = now() - interval '1 second' where id = ${expired.id}`.execute(tx),
    );
    expect([await stateOf(revoked.id), await stateOf(expired.id)]).toEqual(['revoked', 'expired']);
    await scoped(t.db, 'system', (tx) => sql`update organisations set deactivated_at = now() where id = ${client}`.execute(tx));
    for (const { token } of [revoked, expired, closed])
      for (const answer of [await open(token), await accept(token)]) expect(answer.statusCode).toBe(404);
    await scoped(t.db, 'system', (tx) => sql`update organisations set deactivated_at = null where id = ${client}`.execute(tx));
    expect((await open(closed.token)).statusCode).toBe(200);
  });

  test('answer unknown tokens like used ones', async () => {
    const { token } = await invite();
    await accept(token);
    const [unknown, used] = [await open('nonsense'), await open(token)];
    expect([unknown.statusCode, unknown.json().error]).toEqual([used.statusCode, used.json().error]);
  });
});
