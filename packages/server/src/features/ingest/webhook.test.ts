/** Webhook sources from end to end: made by people, posted to by products. */
import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { type WebhookAuthentication, webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let client: number;
let admin: TestUser;
const mapping: EventMapping = {
  namespace: 'acme',
  records: ['events'],
  fields: [
    { to: '@timestamp', from: ['at'] },
    { to: 'event.action', from: ['what'] },
    { to: 'user.name', from: ['who'] },
    { to: 'host.name', from: ['machine'] },
  ],
};

async function fresh(): Promise<void> {
  client = await t.organisation();
  admin = await t.user({ organisationId: client, role: 'Administrator' });
}

let number = 0;
async function create(authentication: WebhookAuthentication = 'header', header = 'x-secret', more: Partial<EventMapping> = {}) {
  const body = { name: `Acme ${++number}`, authentication, header, mapping: { ...mapping, ...more } };
  const answer = await t.call(webhookSourcesApi.create, { params: { client }, body }, admin);
  expect(answer.statusCode).toBe(200);
  const source = answer.json<{ id: number; address: string; secret: string; name: string }>();
  return { ...source, url: new URL(source.address).pathname, params: { client, source: source.id } };
}
type Source = Awaited<ReturnType<typeof create>>;

const post = (
  { url, secret }: Pick<Source, 'url' | 'secret'>,
  payload: string | Buffer,
  headers: object = { 'x-secret': secret },
) => t.application.app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, payload });
const rows = () => scoped(t.db, 'system', (tx) => eventRows(tx, client));
const dead = () =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('dead_letters').select(['reason', 'raw']).where('organisation_id', '=', client).execute(),
  );
const shown = async (id: number) =>
  (await t.call(webhookSourcesApi.list, { params: { client } }, admin))
    .json<{ results: { id: number; state: string; events: number; refused: number; refusal: string | null }[] }>()
    .results.find((each) => each.id === id);
const at = (minutes = 1) => new Date(Date.now() - minutes * 60_000).toISOString();
const bodyOf = (...events: object[]) => JSON.stringify({ events });

describe('intake', () => {
  test('stores mapped events before the response, with host, user and time of the sender', async () => {
    await fresh();
    const source = await create();
    const time = at();
    const answer = await post(
      source,
      bodyOf({ at: time, what: 'login', who: 'ann', machine: 'srv-1', extra: 5 }, { what: 'logout' }),
    );
    expect([answer.statusCode, answer.json()]).toEqual([200, { stored: 2, duplicates: 0 }]);
    const stored = await rows();
    const login = stored.find(({ text }) => text.startsWith('login'));
    expect(login).toMatchObject({ device_name: 'srv-1', user_name: 'ann' });
    expect(login?.document).toMatchObject({ '@timestamp': time, acme: { extra: 5 }, event: { dataset: 'acme.events' } });
    expect(stored.find(({ text }) => text.startsWith('logout'))?.device_name).toBe(`${source.name} (webhook)`);
    expect(await shown(source.id)).toMatchObject({ state: 'receiving', events: 2, refused: 0, refusal: null });
  });

  test('recognises events that are sent again, by time and content, and by the delivery’s id', async () => {
    await fresh();
    const source = await create();
    const timed = bodyOf({ at: at(), what: 'a' }, { at: at(2), what: 'b' });
    expect((await post(source, timed)).json()).toEqual({ stored: 2, duplicates: 0 });
    expect((await post(source, timed)).json()).toEqual({ stored: 0, duplicates: 2 });
    const untimed = bodyOf({ what: 'c' });
    const delivery = { 'x-secret': source.secret, 'webhook-id': 'msg_1' };
    expect((await post(source, untimed, delivery)).json()).toEqual({ stored: 1, duplicates: 0 });
    expect((await post(source, untimed, delivery)).json()).toEqual({ stored: 0, duplicates: 1 });
    expect((await post(source, untimed)).json()).toEqual({ stored: 1, duplicates: 0 });
  });

  test('refuses bad records by name and stores the others', async () => {
    await fresh();
    const source = await create();
    const deep = JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`);
    const answer = await post(source, bodyOf({ what: 'good' }, 7 as unknown as object, deep, { what: 'also good' }));
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      stored: 2,
      refused: 2,
      records: [{ record: 2, error: 'This record is not an object.' }, { record: 3 }],
    });
    expect(await rows()).toHaveLength(2);
    expect((await dead()).map(({ reason }) => reason).toSorted()).toEqual(['not-an-object', 'too-deep']);
    expect(await shown(source.id)).toMatchObject({ state: 'refusing', events: 2, refused: 2 });
  });

  test.each([
    ['{"events":[{"what":', 'not JSON'],
    ['{"other":[]}', 'no records at events'],
    ['', 'empty'],
    ['\u0000\u0001', 'not JSON'],
  ])('answers 400 for the body %j', async (body, text) => {
    await fresh();
    const source = await create();
    const answer = await post(source, body);
    expect([answer.statusCode, answer.json().error]).toEqual([400, expect.stringContaining(text)]);
    expect(await rows()).toHaveLength(0);
    expect(await shown(source.id)).toMatchObject({ state: 'refusing', refusal: expect.stringContaining(text) });
    expect((await post(source, bodyOf({ what: 'next' }))).statusCode).toBe(200);
    expect(await shown(source.id)).toMatchObject({ state: 'receiving', refusal: null });
  });

  test('takes NDJSON, gzip and hostile text', async () => {
    await fresh();
    const source = await create('header', 'authorization', { records: [] });
    const lines = [{ what: '<script>\u0000\ud800' }, { what: 'b', constructor: { prototype: 1 } }].map((each) =>
      JSON.stringify(each),
    );
    const headers = { authorization: `Bearer ${source.secret}`, 'content-encoding': 'gzip' };
    const answer = await post(source, gzipSync(lines.join('\n')), headers);
    expect([answer.statusCode, answer.json()]).toEqual([200, { stored: 2, duplicates: 0 }]);
  });

  test('rejects a dataset that is the portal’s own', async () => {
    await fresh();
    const source = await create();
    const answer = await post(source, bodyOf({ what: 'x', event: { dataset: 'portal.connections' } }));
    // It stays in the namespace, where it means nothing.
    expect(answer.json()).toEqual({ stored: 1, duplicates: 0 });
    expect((await rows())[0]?.document).toMatchObject({ event: { dataset: 'acme.events' } });
  });
});

describe('authentication', () => {
  const refusal = 'This webhook address is unknown, or the secret is missing or wrong.';

  test('refuses unknown addresses and wrong secrets alike', async () => {
    await fresh();
    const source = await create();
    const other = await create();
    const tries = [
      post({ ...source, url: '/webhook/AAAAAAAAAAAAAAAAAAAAAAAA' }, '{}'),
      post(source, '{}', {}),
      post(source, '{}', { 'x-secret': other.secret }),
      post({ ...source, url: `/webhook/${await t.ingestKey(client)}` }, '{}'),
    ];
    for (const answer of await Promise.all(tries)) expect([answer.statusCode, answer.json()]).toEqual([401, { error: refusal }]);
  });

  test('verifies HMAC signatures of the body', async () => {
    await fresh();
    const source = await create('hmac', 'x-hub-signature-256');
    const body = bodyOf({ what: 'a' });
    const signed = (text: string) => createHmac('sha256', source.secret).update(text);
    for (const signature of [`sha256=${signed(body).digest('hex')}`, signed(body).digest('hex'), signed(body).digest('base64')])
      expect((await post(source, body, { 'x-hub-signature-256': signature })).statusCode).toBe(200);
    const wrong = await post(source, bodyOf({ what: 'b' }), { 'x-hub-signature-256': `sha256=${signed(body).digest('hex')}` });
    expect([wrong.statusCode, wrong.json().error]).toEqual([401, expect.stringContaining('doesn’t match')]);
    expect((await post(source, body, {})).json().error).toContain('is missing');
    // Anyone can send such requests: counted once a minute, they leave the state as it is.
    expect(await shown(source.id)).toMatchObject({ events: 3, refused: 1, state: 'receiving', refusal: null });
  });

  test('verifies Standard Webhooks, and refuses an old timestamp', async () => {
    await fresh();
    const source = await create('standard');
    const body = bodyOf({ what: 'a' });
    const headersAt = (ms: number) => {
      const [id, time] = [`msg_${randomUUID()}`, String(Math.floor(ms / 1_000))];
      const key = Buffer.from(source.secret.slice(6), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,AAAA v1,${signature}` };
    };
    expect((await post(source, body, headersAt(Date.now()))).statusCode).toBe(200);
    const old = await post(source, body, headersAt(Date.now() - 600_000));
    expect([old.statusCode, old.json().error]).toEqual([401, expect.stringContaining('5 minutes')]);
    const changed = await post(source, `${body} `, headersAt(Date.now()));
    expect(changed.statusCode).toBe(401);
  });

  test('replaces the secret at once, and stops while paused or deactivated', async () => {
    await fresh();
    const source = await create();
    expect((await post(source, bodyOf({ what: 'a' }))).statusCode).toBe(200);
    const replaced = (await t.call(webhookSourcesApi.replaceSecret, { params: source.params }, admin)).json();
    expect((await post(source, bodyOf({ what: 'b' }))).statusCode).toBe(401);
    const renewed = { ...source, secret: replaced.secret };
    await t.call(webhookSourcesApi.pause, { params: source.params, body: { isPaused: true } }, admin);
    expect((await post(renewed, bodyOf({ what: 'c' }))).statusCode).toBe(403);
    await t.call(webhookSourcesApi.pause, { params: source.params, body: { isPaused: false } }, admin);
    expect((await post(renewed, bodyOf({ what: 'd' }))).statusCode).toBe(200);
    await scoped(t.db, 'system', (tx) => sql`update organisations set deactivated_at = now() where id = ${client}`.execute(tx));
    expect((await post(renewed, bodyOf({ what: 'e' }))).statusCode).toBe(401);
  });
});

describe('mappings', () => {
  test('keep versions, audited, and refuse a save over another one', async () => {
    await fresh();
    const source = await create();
    const next = { ...mapping, records: [] };
    const save = (version: number) =>
      t.call(webhookSourcesApi.saveMapping, { params: source.params, body: { mapping: next, version } }, admin);
    expect((await save(1)).json()).toMatchObject({ version: 2, mapping: { records: [] } });
    expect((await save(1)).statusCode).toBe(409);
    expect((await post(source, JSON.stringify({ what: 'now' }))).json()).toEqual({ stored: 1, duplicates: 0 });
    const { results } = (await t.call(webhookSourcesApi.versions, { params: source.params }, admin)).json();
    expect(results.map(({ version }: { version: number }) => version)).toEqual([2, 1]);
    const audit = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'after'])
        .where('target', '=', String(source.id))
        .where('action', 'like', 'webhook%')
        .orderBy('id')
        .execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['webhookSource.created', 'webhookSource.mappingSaved']);
    expect(JSON.stringify(audit)).not.toContain('whsec_');
  });

  test('refuse an ECS section as namespace, a doubled field and a name that exists', async () => {
    await fresh();
    const source = await create();
    const make = (more: object, name = `Other ${++number}`) =>
      t.call(
        webhookSourcesApi.create,
        { params: { client }, body: { name, authentication: 'header', header: 'x-a', mapping: { ...mapping, ...more } } },
        admin,
      );
    expect((await make({ namespace: 'event' })).statusCode).toBe(400);
    expect(
      (
        await make({
          fields: [
            { to: 'message', value: 'a' },
            { to: 'message', value: 'b' },
          ],
        })
      ).statusCode,
    ).toBe(400);
    expect((await make({ fields: [{ to: 'message' }] })).statusCode).toBe(400);
    expect((await make({}, source.name)).statusCode).toBe(409);
  });

  test('hide the secret once it was shown', async () => {
    await fresh();
    const source = await create();
    const listed = await t.call(webhookSourcesApi.list, { params: { client } }, admin);
    expect(listed.body).not.toContain(source.secret);
    const stored = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('webhook_sources').selectAll().where('id', '=', source.id).execute(),
    );
    expect(JSON.stringify(stored)).not.toContain(source.secret);
  });
});
