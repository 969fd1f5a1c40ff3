import { eventsApi } from '@parapet/contract/events.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedMonths } from '../../../test/seed.ts';
import { putEvents } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';
import { listEvents } from './events.store.ts';

const now = Date.now();
const start = now - 20 * dayMs;
const end = now + hourMs;

const t = useTestApp();
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
  user?: string | null;
}
const put = (organisationId: number, events: Put[]) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    putEvents(
      tx,
      organisationId,
      events.map(({ at, text, document, device = null, user = null }) => ({
        at,
        received_at: at + 1_000,
        device_name: device,
        user_name: user,
        text,
        document,
      })),
    ),
  );
const runSearch = (id: number, query: object = {}, user = analyst) =>
  t.call(
    eventsApi.search,
    { params: { client: id, start: new Date(start).toISOString(), end: new Date(end).toISOString() }, query } as never,
    user,
  );
const found = async (query: object, id = client, user = analyst) =>
  eventsApi.search.answer.parse((await runSearch(id, query, user)).json()).results;
const texts = async (query: object, id = client, user = analyst) => (await found(query, id, user)).map((event) => event.text);

beforeAll(async () => {
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

describe('event search', () => {
  test('shows all events, newest first, complete', async () => {
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

  test.each(['%%', 's_stem32', '\\\\Windows', `'; drop table events; --`, '\ud800'])('takes %j literally', async (text) => {
    expect(await texts({ text })).toEqual([]);
  });

  test('filters by device', async () => {
    expect(await texts({ device: 'two' })).toEqual(['Ünïcode Überraschung']);
    expect(await texts({ device: 'o%' })).toEqual([]);
  });

  test('merges all clients in the order of time, without other tenants', async () => {
    expect((await texts({}, 0, partnerAdmin)).slice(0, 2)).toEqual(['newest', 'of a sibling']);
    expect(await texts({ text: 'needle' }, 0, partnerAdmin)).toEqual(['oldest needle', 'sibling needle']);
  });

  test('continues before the last row without loss or repeats, also with many at one time', async () => {
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

  test('continues within an instant that more than 200 events share', async () => {
    const busy = await t.organisation();
    const user = await t.user({ organisationId: busy, role: 'Analyst' });
    await put(
      busy,
      Array.from({ length: 650 }, (_, index) => ({ at: now - (index < 600 ? 5_000 : 5_000 + index), text: `event ${index}` })),
    );
    const seen: string[] = [];
    let last: { at: string; id: string } | undefined;
    for (let page = 0; page < 40; page++) {
      const results = await found({ pageSize: 50, ...(last && { before: last.at, beforeID: last.id }) }, busy, user);
      if (results.length === 0) break;
      seen.push(...results.map((event) => event.text));
      last = results.at(-1);
    }
    expect(new Set(seen).size).toBe(650);
    expect(seen).toHaveLength(650);
  });

  describe('by field', () => {
    const documents: [string, object][] = [
      ['nested', { source: { ip: '203.0.113.5', port: 443 }, event: { code: 4625 }, process: { args: ['-enc', 'SQBFAFgA'] } }],
      ['dotted', { 'source.ip': '203.0.113.5', 'source.port': '443' }],
      ['half', { process: { 'parent.name': 'WINWORD.EXE' }, 'winlog.event_data': { Param1: 'x,y=1' } }],
      ['list', { related: [{ ip: '198.51.100.7' }, { ip: ['198.51.100.8', '203.0.113.5'] }], flag: true, none: null }],
      ['hostile', { 'a"b': { c: 1 }, process: { command_line: `cmd /c "echo 100%_" \\ 'q'; --` } }],
    ];
    let analyst2: TestUser;
    let lines: (...field: string[]) => Promise<string[]>;
    beforeAll(async () => {
      const busy = await t.organisation();
      analyst2 = await t.user({ organisationId: busy, role: 'Analyst' });
      await put(
        busy,
        documents.map(([text, document], index) => ({
          at: now - index * 1_000,
          text,
          document,
          user: index === 0 ? 'ana' : null,
        })),
      );
      lines = async (...field) => texts({ field: field.join(',') }, busy, analyst2);
    });

    test.each<[string[], string[]]>([
      [['source.ip=203.0.113.5'], ['nested', 'dotted']],
      [['source.ip:203.0.113'], ['nested', 'dotted']],
      [['source.ip=203.0.113'], []],
      [['source.port=443'], ['nested', 'dotted']],
      [['source.port:44'], ['nested', 'dotted']],
      [['event.code=4625'], ['nested']],
      [['process.args=SQBFAFgA'], ['nested']],
      [['process.args:qbf'], ['nested']],
      [['process.parent.name=winword.exe'], ['half']],
      [['winlog.event_data.Param1=x,y=1'], []],
      [['winlog.event_data.Param1:x,y'], ['half']],
      [['related.ip=203.0.113.5'], ['list']],
      [['related.ip=198.51.100.7', 'flag=true'], ['list']],
      [['related.ip=198.51.100.7', 'flag=false'], []],
      [['none=null'], []],
      [['process.command_line:100%_'], ['hostile']],
      [['process.command_line:1%0'], []],
      [[`process.command_line:'q'; --`], ['hostile']],
      [['process.command_line:"echo'], ['hostile']],
      [['source=203.0.113.5'], []],
      [['a.b.c.d.e.f.g.h.i=1'], []],
      [['...=1'], []],
    ])('%j', async (field, expected) => {
      expect(await lines(...field)).toEqual(expected);
    });

    test.each([
      'no condition',
      'a b=c',
      `a"b.c=1`,
      `x') or true --=1`,
      '$.source=1',
      '=1',
      'a=',
      `${'a'.repeat(101)}=1`,
      'a[*]=1',
    ])('rejects %j', async (field) => {
      const answer = await runSearch(analyst2.organisationId, { field }, analyst2);
      expect(answer.statusCode).toBe(400);
    });

    test('filters by user', async () => {
      expect(await texts({ user: 'ana' }, analyst2.organisationId, analyst2)).toEqual(['nested']);
      expect(await texts({ user: 'an%' }, analyst2.organisationId, analyst2)).toEqual([]);
    });
  });

  describe('timeline', () => {
    const bars = async (from: number, to: number, query: object, id: number, user: TestUser) => {
      const answer = await t.call(
        eventsApi.timeline,
        { params: { client: id, start: new Date(from).toISOString(), end: new Date(to).toISOString() }, query } as never,
        user,
      );
      expect(answer.statusCode).toBe(200);
      return eventsApi.timeline.answer.parse(answer.json());
    };

    test('counts the search’s matches in at most 200 bars', async () => {
      const busy = await t.organisation();
      const user = await t.user({ organisationId: busy, role: 'Analyst' });
      await put(
        busy,
        Array.from({ length: 1_000 }, (_, index) => ({ at: now - index * 25 * 60_000, text: index % 10 ? 'other' : 'needle' })),
      );
      const whole = await bars(now - 31 * dayMs, now, {}, busy, user);
      expect(whole).toMatchObject({ bucketMinutes: 240, total: 999, isAtLeast: false });
      expect(whole.bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(999);
      expect(whole.bars.length).toBeLessThanOrEqual(200);
      expect([...whole.bars].sort((a, b) => (a.at < b.at ? -1 : 1))).toEqual(whole.bars);
      expect((await bars(now - 20 * dayMs, now, { text: 'needle' }, busy, user)).total).toBe(99);
      const hour = await bars(now - 3_600_000, now + 1, {}, busy, user);
      expect(hour).toMatchObject({ bucketMinutes: 1, total: 3 });
      expect(hour.bars.at(-1)).toEqual({ at: new Date(Math.floor(now / 60_000) * 60_000).toISOString(), count: 1 });
    });

    test('counts events and matches exactly, over all clients too', async () => {
      const parent = await t.organisation({ isPartner: true });
      const boss = await t.user({ organisationId: parent, role: 'Administrator' });
      const [one, other] = [await t.organisation({ parentId: parent }), await t.organisation({ parentId: parent })];
      for (const [id, count] of [
        [one, 7_000],
        [other, 4_000],
      ] as const)
        for (let from = 0; from < count; from += 1_000)
          await put(
            id,
            Array.from({ length: 1_000 }, (_, index) => ({ at: now - (from + index) * 60_000 })),
          );
      expect(await bars(now - 10 * dayMs, now + 1, {}, 0, boss)).toMatchObject({ total: 11_000, isAtLeast: false });
      const found = await bars(now - 10 * dayMs, now + 1, { text: 'something' }, 0, boss);
      expect(found).toMatchObject({ total: 11_000, isAtLeast: false, searchedTo: null });
      const rest = await bars(now - 10 * dayMs, now + 1, { text: 'something', before: new Date(now).toISOString() }, 0, boss);
      expect(rest.total).toBe(10_998);
      expect(await bars(now - 10 * dayMs, now + 1, {}, other, boss)).toMatchObject({ total: 4_000, isAtLeast: false });
    }, 60_000);
  });

  test('rejects more than 31 days with a text; each query writes an audit entry', async () => {
    const parent = await t.organisation();
    const user = await t.user({ organisationId: parent, role: 'Analyst' });
    for (const endpoint of [eventsApi.search, eventsApi.timeline]) {
      const answer = await t.call(
        endpoint,
        {
          params: {
            client: parent,
            start: new Date(now - 31 * dayMs - 1).toISOString(),
            end: new Date(now).toISOString(),
          },
        } as never,
        user,
      );
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error).toContain('at most 31 days');
    }
    await found({ text: 'what I look for', field: 'source.ip=203.0.113.5' }, parent, user);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').where('organisation_id', '=', parent).where('action', '=', 'events.searched').selectAll().execute(),
    );
    expect(rows).toMatchObject([
      { actor_user_id: user.id, after: { text: 'what I look for', field: ['source.ip=203.0.113.5'], client: parent } },
    ]);
  });

  test('returns 403 to a client’s user for other organisations, siblings and All, 401 to anonymous callers', async () => {
    for (const id of [sibling, elsewhere, 0]) expect((await runSearch(id)).statusCode).toBe(403);
    expect(
      (
        await t.call(eventsApi.search, {
          params: { client, start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
        } as never)
      ).statusCode,
    ).toBe(401);
  });

  test('returns nothing for a foreign scope inside another’s transaction', async () => {
    for (const theirs of [{ organisationIds: [elsewhere] }, { organisationIds: [elsewhere, sibling] }]) {
      for (const text of ['', 'needle']) {
        const search = { range: { start, end }, filter: { search: '', text, field: [] }, limit: 50 };
        expect(await scoped(t.db, { organisationIds: [client] }, (tx) => listEvents(tx, theirs, search))).toMatchObject({
          results: [],
        });
      }
    }
  });

  test('ends at its own time limit', async () => {
    const scope = { organisationIds: [client, sibling] };
    const search = scoped(
      t.db,
      scope,
      (tx) =>
        listEvents(tx, scope, { range: { start, end }, filter: { search: '', text: 'nothing like this', field: [] }, limit: 50 }),
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
