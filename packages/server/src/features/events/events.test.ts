import { randomUUID } from 'node:crypto';
import { eventsApi } from '@parapet/contract/events.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { seedMonths } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { dayMs, hourMs } from '../../core/ranges.ts';
import { listEvents } from './events.store.ts';

const now = Date.now();
const start = now - 20 * dayMs;
const end = now + hourMs;

let t: TestApp;
let client: number;
let sibling: number;
let elsewhere: number;
let analyst: TestUser;
let partnerAdmin: TestUser;

interface Put {
  at: number;
  text?: string;
  document?: object;
  device?: string | null;
}
const put = (organisationId: number, events: Put[]) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    tx
      .insertInto('events')
      .values(
        events.map(({ at, text = 'something', document = {}, device = null }) => ({
          organisation_id: organisationId,
          at: new Date(at),
          id: randomUUID(),
          received_at: new Date(at + 1_000),
          clock_skew: 0,
          shape: 'syslog',
          device_name: device,
          user_name: null,
          text,
          document: JSON.stringify(document),
        })),
      )
      .execute(),
  );
const ask = (id: number, query: object = {}, user = analyst) =>
  t.call(
    eventsApi.search,
    { params: { client: id, start: new Date(start).toISOString(), end: new Date(end).toISOString() }, query } as never,
    user,
  );
const found = async (query: object, id = client, user = analyst) =>
  eventsApi.search.answer.parse((await ask(id, query, user)).json()).results;
const texts = async (query: object, id = client, user = analyst) => (await found(query, id, user)).map((event) => event.text);

beforeAll(async () => {
  t = await testApp();
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  await seedMonths(t.db, start, end);
  await put(client, [
    {
      at: now - 1_000,
      text: 'newest',
      document: { process: { command_line: 'C:\\Windows\\system32\\cmd.exe /c "echo 100%"', note: 'line\nbreak\ttab' } },
      device: 'one',
    },
    { at: now - 3 * hourMs, text: '<script>alert(1)</script> under_score', device: 'one' },
    { at: now - 2 * dayMs, text: 'Ünïcode Überraschung', document: { deep: { er: [{ value: 'Größe 東京' }] } }, device: 'two' },
    { at: now - 15 * dayMs, text: 'oldest needle' },
    { at: start - 1, text: 'too old' },
  ]);
  await put(sibling, [
    { at: now - 2_000, text: 'of a sibling' },
    { at: now - 16 * dayMs, text: 'sibling needle' },
  ]);
  await put(elsewhere, [{ at: now - 1_500, text: 'of a stranger, needle' }]);
});
afterAll(() => t.close());

describe('search through events', () => {
  test('shows all, newest first, whole', async () => {
    expect(await texts({})).toEqual(['newest', '<script>alert(1)</script> under_score', 'Ünïcode Überraschung', 'oldest needle']);
    const [event] = await found({ pageSize: 1 });
    expect(event).toMatchObject({
      clientOrganizationID: client,
      clientOrganizationName: `Organisation ${client}`,
      at: new Date(now - 1_000).toISOString(),
      receivedAt: new Date(now).toISOString(),
      clockSkew: 'none',
      shape: 'syslog',
      deviceName: 'one',
      userName: null,
      document: { process: { note: 'line\nbreak\ttab' } },
    });
  });

  test.each([
    ['the line', 'NEWEST', 'newest'],
    ['a field', 'system32', 'newest'],
    ['backslashes', 'C:\\Windows\\', 'newest'],
    ['quotes', '"echo 100%"', 'newest'],
    ['control characters', 'line\nbreak\ttab', 'newest'],
    ['other alphabets', 'größe 東京', 'Ünïcode Überraschung'],
    ['capitals beyond ASCII', 'üBERRASCHUNG', 'Ünïcode Überraschung'],
    ['an underscore', 'r_s', '<script>alert(1)</script> under_score'],
    ['markup', '<script>', '<script>alert(1)</script> under_score'],
  ])('finds %s', async (_name, text, line) => {
    expect(await texts({ text })).toEqual([line]);
  });

  test.each(['%%', 's_stem32', '\\\\Windows', `'; drop table events; --`, '\u0000', '\ud800'])(
    'takes %j for itself',
    async (text) => {
      expect(await texts({ text })).toEqual([]);
    },
  );

  test('can be cut to a device', async () => {
    expect(await texts({ device: 'two' })).toEqual(['Ünïcode Überraschung']);
    expect(await texts({ device: 'o%' })).toEqual([]);
    expect(await texts({ device: 'one\u0000' })).toEqual([]);
  });

  test('of all clients is one list in the order of time, and never a stranger’s', async () => {
    expect((await texts({}, 0, partnerAdmin)).slice(0, 2)).toEqual(['newest', 'of a sibling']);
    expect(await texts({ text: 'needle' }, 0, partnerAdmin)).toEqual(['oldest needle', 'sibling needle']);
  });

  test('goes on before the last row, without loss or repeats, also where many happened at once', async () => {
    const busy = await t.organisation();
    const user = await t.user({ organisationId: busy, role: 'Analyst' });
    const at = (index: number) => now - Math.floor(index / 30) * 1_000 - (index % 30 === 0 ? 0 : 500);
    await put(
      busy,
      Array.from({ length: 400 }, (_, index) => ({ at: at(index), text: `event ${index}` })),
    );
    const seen: string[] = [];
    let before: string | undefined;
    for (let page = 0; page < 60; page++) {
      const results = await found({ pageSize: 20, ...(before && { before }) }, busy, user);
      if (results.length === 0) break;
      expect(results.length).toBeLessThanOrEqual(200);
      seen.push(...results.map((event) => event.text));
      before = results.at(-1)!.at;
    }
    expect(new Set(seen).size).toBe(400);
    expect(seen).toHaveLength(400);
  });

  test('of another organisation, a sibling or All is 403 to a client’s user, 401 to nobody', async () => {
    for (const id of [sibling, elsewhere, 0]) expect((await ask(id)).statusCode).toBe(403);
    expect(
      (
        await t.call(eventsApi.search, {
          params: { client, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
        } as never)
      ).statusCode,
    ).toBe(401);
  });

  test('a store given a foreign scope inside another’s transaction finds nothing', async () => {
    for (const theirs of [{ organisationIds: [elsewhere] }, { organisationIds: [elsewhere, sibling] }]) {
      for (const text of ['', 'needle']) {
        const ask = { range: { start, end }, text, device: undefined, limit: 50 };
        expect(await scoped(t.db, { organisationIds: [client] }, (tx) => listEvents(tx, theirs, ask))).toEqual([]);
      }
    }
  });

  test('ends with its time, not with the reader’s patience', async () => {
    const scope = { organisationIds: [client, sibling] };
    const search = scoped(
      t.db,
      scope,
      (tx) => listEvents(tx, scope, { range: { start, end }, text: 'nothing like this', device: undefined, limit: 50 }),
      { statementTimeoutMs: 1 },
    );
    await expect(
      search.then(
        () => 'answered',
        (error) => error.code,
      ),
    ).resolves.toMatch(/answered|57014/);
  });
});
