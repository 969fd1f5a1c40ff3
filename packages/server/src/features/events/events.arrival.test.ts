/** Reconciliation figures against the rows behind them, over events that arrived by their real channels. */
import { connect } from 'node:net';
import { type DeadLetter, type EventRow, eventsApi } from '@parapet/contract/events.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseWith, type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { scoped } from '../../core/db/scope.ts';
import { dateOf, floorTo } from '../../domain/ranges.ts';

const today = floorTo('day', Date.now());
/** Instants of two days, one of them the last of its day and one the first. */
const instants = [today - dayMs, today - dayMs + 11 * hourMs, today - 1, today];
const days = [today - dayMs, today];
const clients = [2001, 2002] as const;
const stranger = 2003;

let t: TestApp;
let staff: TestUser;
let outsider: TestUser;

beforeAll(async () => {
  t = await testApp(
    { SYSLOG: clients.map((id) => `0=${id}`).join(','), SYSLOG_HOST: '127.0.0.1' },
    await databaseWith(...clients),
  );
  const partner = await t.organisation({ isPartner: true });
  for (const id of clients) await t.organisation({ id, parentId: partner });
  await t.organisation({ id: stranger });
  staff = await t.user({ organisationId: partner, role: 'Administrator' });
  outsider = await t.user({ organisationId: stranger, role: 'Administrator' });
});
afterAll(() => t.close());
afterEach(() => {
  vi.useRealTimers();
});

interface Sent {
  kind: 'now' | 'soon' | 'late' | 'ahead' | 'behind' | 'timeless' | 'bad';
  id: number | undefined;
  text: string;
}
const bad = ['{', '[]', '"x"', 'null', '{"event":{"dataset":"portal.x"}}', `<b>\u202E\u0000${'😀'.repeat(3_000)}`];
const sent: fc.Arbitrary<Sent> = fc.record({
  kind: fc.constantFrom('now', 'soon', 'late', 'ahead', 'behind', 'timeless', 'bad'),
  // Few ids: the same event repeats in this batch, at another instant or on the next day.
  id: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  text: fc.constantFrom(...bad),
});
// A clock slightly ahead is plausible: at the end of a day, that is the next day.
const claimed = { now: 0, soon: 4 * 60_000, late: -20 * dayMs, ahead: 2 * dayMs, behind: -300 * dayMs };

function linesOf({ kind, id, text }: Sent, at: number): string[] {
  if (kind === 'bad') return ['{"create":{}}', text];
  const time = kind === 'timeless' ? {} : { '@timestamp': new Date(at + claimed[kind]).toISOString() };
  return [
    JSON.stringify({ create: id === undefined ? {} : { _id: `${kind} ${id}` } }),
    JSON.stringify({ ...time, message: `${kind} ${id ?? Math.random()}`, host: { name: 'host-1' } }),
  ];
}

async function sendOnce(client: number, key: string, at: number, batch: Sent[]): Promise<void> {
  const answer = await t.application.app.inject({
    method: 'POST',
    url: '/ingest/logs/_bulk',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    payload: `${batch.flatMap((one) => linesOf(one, at)).join('\n')}\nno action\n`,
  });
  expect([client, answer.statusCode]).toEqual([client, 200]);
}

/** One syslog line that is stored, and one that is too long. */
function sendSyslog(client: number): Promise<void> {
  const port = t.application.syslogPorts[clients.indexOf(client as (typeof clients)[number])]!;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.alloc(300 * 1024, 120));
      socket.end('\na line\n', resolve);
    });
    socket.on('error', reject);
  });
}

const receivedOf = (client: number): Promise<number> =>
  scoped(t.db, { organisationIds: [client] }, async (tx) => {
    const rows = await tx.selectFrom('ingest_counters').select('count').where('reason', '=', 'received').execute();
    return rows.reduce((sum, { count }) => sum + Number(count), 0);
  });

const rangeOf = (client: number, from: number, to: number) => ({
  client,
  start: new Date(from).toISOString(),
  end: new Date(to).toISOString(),
});

async function get<
  E extends typeof eventsApi.search | typeof eventsApi.timeline | typeof eventsApi.keptAside | typeof balanceApi.get,
>(endpoint: E, params: ReturnType<typeof rangeOf>, query: object = {}, user = staff) {
  const answer = await t.call(endpoint, { params, query } as never, user);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()]);
  return endpoint.answer.parse(answer.json()) as never;
}

/** Rows of all pages. */
async function rowsOf(params: ReturnType<typeof rangeOf>, pageSize = 7): Promise<EventRow[]> {
  const rows: EventRow[] = [];
  for (let last: EventRow | undefined; ; last = rows.at(-1)) {
    const place = last && { before: last.at, beforeID: last.id };
    const { results }: { results: EventRow[] } = await get(eventsApi.search, params, { by: 'arrived', pageSize, ...place });
    if (results.length === 0) return rows;
    rows.push(...results);
  }
}
async function asideOf(params: ReturnType<typeof rangeOf>, query: object = {}): Promise<DeadLetter[]> {
  const rows: DeadLetter[] = [];
  for (let last: DeadLetter | undefined; ; last = rows.at(-1)) {
    const place = last && { before: last.receivedAt, beforeID: last.id };
    const { results }: { results: DeadLetter[] } = await get(eventsApi.keptAside, params, { pageSize: 3, ...query, ...place });
    if (results.length === 0) return rows;
    rows.push(...results);
  }
}

describe('reconciliation figures', () => {
  const arrivals = new Map<string, number>();

  beforeAll(async () => {
    const keys = new Map<number, string>();
    for (const client of clients) keys.set(client, await t.ingestKey(client));
    const batches = fc.sample(fc.array(sent, { minLength: 10, maxLength: 40 }), {
      numRuns: instants.length * clients.length,
      seed: 20_261_121,
    });
    for (const at of instants) {
      vi.useFakeTimers({ toFake: ['Date'], now: at });
      for (const client of clients) {
        const batch = batches.pop()!;
        await sendOnce(client, keys.get(client)!, at, batch);
        await sendSyslog(client);
        const of = `${client} ${dateOf(at)}`;
        arrivals.set(of, (arrivals.get(of) ?? 0) + batch.length + 3);
        // Syslog lines count for the day on which they arrive, which must not end before.
        const sentOf = [...arrivals].reduce((sum, [key, count]) => sum + (key.startsWith(`${client} `) ? count : 0), 0);
        for (let tries = 0; (await receivedOf(client)) !== sentOf; tries++) {
          expect([client, at, tries < 200]).toEqual([client, at, true]);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    }
    vi.useRealTimers();
  }, 60_000);

  test('open their rows for each client and day, and for several together', async () => {
    const whole = rangeOf(0, today - dayMs, today + dayMs);
    const { results: sheet } = (await get(balanceApi.get, whole)) as ReturnType<typeof balanceApi.get.answer.parse>;
    expect(sheet.map(({ date, clientOrganizationID }) => `${clientOrganizationID} ${date}`).sort()).toEqual(
      [...arrivals.keys()].sort(),
    );
    const seen = { soon: 0, late: 0, ahead: 0, behind: 0, duplicate: 0, dropped: 0, dead: 0 };
    for (const { date, clientOrganizationID: client, ...sums } of sheet) {
      const params = rangeOf(client, Date.parse(date), Date.parse(date) + dayMs);
      expect([date, client, sums.received, sums.isBalanced]).toEqual([date, client, arrivals.get(`${client} ${date}`), true]);

      const rows = await rowsOf(params);
      expect([date, client, new Set(rows.map(({ id, at }) => `${at} ${id}`)).size]).toEqual([date, client, sums.stored]);
      expect(rows).toHaveLength(sums.stored);
      expect(rows.every((row) => row.clientOrganizationID === client && row.receivedAt.startsWith(date))).toBe(true);
      expect(rows.map(({ at }) => at)).toEqual(
        rows
          .map(({ at }) => at)
          .sort()
          .reverse(),
      );
      const timeline: { total: number; bars: { at: string; count: number }[] } = await get(eventsApi.timeline, params, {
        by: 'arrived',
      });
      expect(timeline.total).toBe(sums.stored);
      expect(timeline.bars.reduce((sum, { count }) => sum + count, 0)).toBe(sums.stored);
      // Bars are by arrival too.
      expect(timeline.bars.every(({ at }) => at.startsWith(date))).toBe(true);
      seen.soon += rows.filter(({ at }) => Date.parse(at) >= Date.parse(date) + dayMs).length;
      seen.late += rows.filter(({ at }) => Date.parse(at) < Date.parse(date) - 15 * dayMs).length;
      seen.ahead += rows.filter(({ clockSkew }) => clockSkew === 'future').length;
      seen.behind += rows.filter(({ clockSkew }) => clockSkew === 'past').length;

      const aside = await asideOf(params);
      expect([date, client, new Set(aside.map(({ id }) => id)).size, aside.length]).toEqual([date, client, sums.dead, sums.dead]);
      const { total, reasons }: { total: number; reasons: { reason: string; count: number }[] } = await get(
        eventsApi.keptAside,
        params,
      );
      expect(total).toBe(sums.dead);
      for (const { reason, count } of reasons) {
        expect(aside.filter((row) => row.reason === reason)).toHaveLength(count);
        expect(await asideOf(params, { reason })).toHaveLength(count);
        expect(await get(eventsApi.keptAside, params, { reason, pageSize: 1 })).toMatchObject({ total: count, reasons });
      }
      const first = reasons.slice(0, 2);
      expect(await asideOf(params, { reason: first.map(({ reason }) => reason).join(',') })).toHaveLength(
        first.reduce((sum, { count }) => sum + count, 0),
      );
      seen.duplicate += sums.duplicate;
      seen.dropped += sums.dropped.find(({ reason }) => reason === 'too-long')?.count ?? 0;
      seen.dead += sums.dead;
    }
    // Each outcome occurred in the mixture.
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);

    const sum = (of: (row: (typeof sheet)[number]) => number) => sheet.reduce((all, row) => all + of(row), 0);
    expect(await rowsOf(whole, 50)).toHaveLength(sum(({ stored }) => stored));
    expect(await asideOf(whole)).toHaveLength(sum(({ dead }) => dead));
    expect(await get(eventsApi.timeline, whole, { by: 'arrived' })).toMatchObject({ total: sum(({ stored }) => stored) });
  });

  test('separates days of arrival from days of occurrence', async () => {
    const params = rangeOf(clients[0], days[1]!, days[1]! + dayMs);
    const happened: { results: EventRow[] } = await get(eventsApi.search, params, { pageSize: 200 });
    const arrived: { results: EventRow[] } = await get(eventsApi.search, params, { pageSize: 200, by: 'arrived' });
    expect(arrived.results.length).toBeGreaterThan(happened.results.length);
    const filtered: { results: EventRow[] } = await get(eventsApi.search, params, { pageSize: 200, by: 'arrived', text: 'late' });
    expect(filtered.results.map(({ id }) => id)).toEqual(
      arrived.results.filter(({ text }) => text.includes('late')).map(({ id }) => id),
    );
  });

  test('shows input as sent, truncated to the contract’s length', async () => {
    const rows = await asideOf(rangeOf(0, today - dayMs, today + dayMs));
    const long = rows.find(({ raw }) => raw.includes('😀'))!;
    expect([...long.raw]).toHaveLength(2_000);
    expect(long.length).toBeGreaterThan(3_000);
    expect(long).toMatchObject({ reason: 'not-json', step: 'parse', raw: expect.stringMatching(/^<b>\u202E\uFFFD/) });
    expect(rows.map(({ raw }) => raw)).toContain('no action');
  });

  test('hides all of it from other tenants', async () => {
    const whole = rangeOf(0, today - dayMs, today + dayMs);
    for (const client of clients)
      for (const endpoint of [eventsApi.search, eventsApi.timeline, eventsApi.keptAside])
        expect((await t.call(endpoint, { params: { ...whole, client }, query: {} } as never, outsider)).statusCode).toBe(403);
    const own = { ...whole, client: stranger };
    expect(await get(eventsApi.search, own, { by: 'arrived' }, outsider)).toEqual({ results: [], searchedTo: null });
    expect(await get(eventsApi.timeline, own, { by: 'arrived' }, outsider)).toMatchObject({ total: 0, bars: [] });
    expect(await get(eventsApi.keptAside, own, {}, outsider)).toMatchObject({ total: 0, results: [], reasons: [] });
  });

  test('writes an audit entry for each read of dead letters', async () => {
    await get(eventsApi.keptAside, rangeOf(stranger, today, today + 1), { reason: 'not-json' }, outsider);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .selectAll()
        .where('action', '=', 'events.keptAsideRead')
        .where('actor_user_id', '=', outsider.id)
        .execute(),
    );
    expect(rows.at(-1)).toMatchObject({ organisation_id: stranger, after: { client: stranger, reason: ['not-json'] } });
  });

  test('applies the client’s own retention, at most the portal’s; the longest of several', async () => {
    const stored = async (client: number) => {
      const params = rangeOf(client, today, today + 1);
      const timeline: { keptDays: number } = await get(eventsApi.timeline, params);
      const aside: { keptDays: number } = await get(eventsApi.keptAside, params);
      return [timeline.keptDays, aside.keptDays];
    };
    expect(await stored(clients[0])).toEqual([30, 30]);
    await runAs(t.database.ownerUrl, `update organisations set event_retention_days = 7 where id = ${clients[0]}`);
    expect(await stored(clients[0])).toEqual([7, 7]);
    expect(await stored(0)).toEqual([30, 30]);
  });
});
