import { type alertSorts, alertsApi } from '@parapet/contract/alerts.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { runAs, type TestDatabase, testDatabase } from '../../../test/database.ts';
import { type Seeded, type SeedRule, seedAlerts, seedMonths, seedRule } from '../../../test/seed.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { provenScope } from '../../core/db/scope-proof.ts';
import { type Actor, neverProven } from '../../core/http/actor.ts';
import { silentLog } from '../../core/log.ts';
import { floorTo } from '../../domain/ranges.ts';
import { listAlerts } from './alerts.list.ts';
import { locatePage } from './alerts.places.ts';
import { type AlertsService, createAlertsService } from './alerts.service.ts';

const now = Date.parse('2026-11-21T10:07:00Z');
const begin = Date.parse('2026-07-30T00:00:00Z');
const iso = (at: number) => new Date(at).toISOString();

let database: TestDatabase;
let alerts: AlertsService;
let rules: SeedRule[];
let seeded: Seeded[];

/** Organisations from 3001 on: more than are merged one by one, the first with most of the alerts. */
const organisationIds = Array.from({ length: 20 }, (_, index) => 3001 + index);
const actorOf = (...ids: number[]): Actor => ({
  role: 'Administrator',
  isPartner: true,
  organisationId: ids[0]!,
  organisationIds: ids,
  userId: 1,
  sessionId: '',
  displayName: '',
  email: '',
  ...neverProven,
  address: '',
});
const manyClients = actorOf(...organisationIds);
const few = actorOf(...organisationIds.slice(0, 3));
const one = actorOf(organisationIds[0]!);

beforeAll(async () => {
  database = await testDatabase();
  const { db } = database;
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values(organisationIds.map((id) => ({ id, name: `Organisation ${id}` })))
      .execute(),
  );
  rules = [];
  for (let index = 0; index < 8; index++) {
    rules.push(
      await seedRule(db, {
        title: `Rule ${'dacb'[index % 4]} ${index}`,
        criticality: (index % 5) + 1,
        category: index < 4 ? 'Execution' : 'Discovery',
      }),
    );
  }
  await seedMonths(db, begin, now);
  const texts = ['plain', '100% sure_ly', 'C:\\Windows\\x.exe', `it's "quoted"`, 'percent 100 sure'];
  // Many at one instant, so that ties are broken by id; days without any; most in the last days.
  const times = fc.sample(
    fc.oneof(
      fc.integer({ min: begin, max: now }).filter((at) => new Date(at).getUTCDate() % 5 !== 0),
      fc.integer({ min: 0, max: 20 }).map((hours) => now - hours * 5 * hourMs),
      fc.integer({ min: now - 3 * dayMs, max: now }),
    ),
    { numRuns: 1_500, seed: 11 },
  );
  seeded = [];
  for (const [place, organisationId] of organisationIds.entries()) {
    const mine = times.filter((_, index) => (place === 0 ? index % 2 === 0 : index % 40 === 2 * place - 1));
    seeded.push(
      ...(await seedAlerts(
        db,
        organisationId,
        mine.map((at, index) => ({
          at,
          rule: rules[(index * 7) % 8]!,
          device: index % 9 === 0 ? null : `host-${(index * 5) % 6}`,
          user: index % 4 === 0 ? null : `user-${(index * 3) % 5}`,
          summary: texts[index % texts.length]!,
          isNew: index % 3 !== 0,
          count: index % 10 === 0 ? (index % 7) + 2 : 1,
        })),
      )),
    );
  }
  alerts = createAlertsService({ db, bus: { on: () => () => false }, log: silentLog, clock: movableClock(now) });
});
afterAll(async () => {
  alerts.close();
  await database.close();
});

type Query = Partial<z.input<typeof alertsApi.list.query>>;
const list = (actor: Actor, start: number, end: number, query: Query = {}) =>
  alerts.list(
    actor,
    actor.organisationIds.length === 1 ? actor.organisationIds[0]! : 0,
    iso(start),
    iso(end),
    alertsApi.list.query.parse(query),
  );

interface Wanted {
  actor: Actor;
  start: number;
  end: number;
  query: Query;
}

/** Expected rows, computed from the seed. */
function expected({ actor, start, end, query }: Wanted): Seeded[] {
  const { severity, rule, device, user, category, status, sort, order } = alertsApi.list.query.parse(query);
  const levels = severity.map((name) => ['informational', 'low', 'medium', 'high', 'critical'].indexOf(name) + 1);
  const fits = (alert: Seeded) =>
    actor.organisationIds.includes(alert.organisationId) &&
    alert.at >= start &&
    alert.at < end &&
    (levels.length === 0 || levels.includes(alert.rule.criticality)) &&
    (rule.length === 0 || rule.includes(alert.rule.key)) &&
    (category.length === 0 || category.includes(alert.rule.category)) &&
    (status.length === 0 || status.includes(alert.isNew ? 'new' : 'seen')) &&
    (device === undefined || alert.device === device) &&
    (user === undefined || alert.user === user);
  const keyOf: Record<(typeof alertSorts)[number], (alert: Seeded) => string | number | null> = {
    createdTime: (alert) => alert.at,
    criticality: (alert) => alert.rule.criticality,
    rule: (alert) => alert.rule.title,
    deviceName: (alert) => alert.device,
    userName: (alert) => alert.user,
    count: (alert) => alert.count,
  };
  const turn = order === 'asc' ? 1 : -1;
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return seeded.filter(fits).sort((a, b) => {
    const [x, y] = [keyOf[sort](a), keyOf[sort](b)];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
    } else if (x !== y) return turn * compare(x, y);
    return turn * (compare(a.at, b.at) || compare(a.id, b.id));
  });
}

const instants = fc.integer({ min: begin - 5 * dayMs, max: now + dayMs });
const wanted: fc.Arbitrary<Wanted> = fc
  .record({
    actor: fc.constantFrom(one, few, manyClients),
    range: fc.oneof(
      fc.tuple(instants, instants),
      fc.tuple(
        instants.map((at) => floorTo('day', at)),
        fc.constant(now),
      ),
      fc.constant([begin, now + hourMs] as [number, number]),
    ),
    query: fc.record(
      {
        sort: fc.constantFrom('createdTime', 'criticality', 'rule', 'deviceName', 'userName', 'count'),
        order: fc.constantFrom('asc', 'desc'),
        severity: fc.constantFrom('critical', 'critical,low', 'medium,high,low', 'critical,high,medium,low,informational'),
        status: fc.constantFrom('new', 'seen', 'new,seen'),
        category: fc.constantFrom('Execution', 'Discovery,Execution', 'No such category'),
        device: fc.constantFrom('host-1', 'host-5', 'no such host', 'host-%'),
        user: fc.constantFrom('user-2', 'user_2'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ actor, range: [a, b], query }) => ({ actor, start: Math.min(a, b), end: Math.max(a, b) + 1, query: query as Query }));

describe('pages', () => {
  test('form the whole list, in order, without repeats, with its exact total', async () => {
    await fc.assert(
      fc.asyncProperty(wanted, fc.constantFrom(7, 50, 200), async (want, pageSize) => {
        const all = expected(want);
        const found: number[] = [];
        const pages = Math.min(Math.ceil(all.length / pageSize) + 1, 12);
        for (let page = 1; page <= pages; page++) {
          const { results, total, totalIsAtLeast } = await list(want.actor, want.start, want.end, {
            ...want.query,
            page,
            pageSize,
          });
          expect({ total, totalIsAtLeast }).toEqual({ total: all.length, totalIsAtLeast: false });
          found.push(...results.map((row) => row.id));
        }
        expect(found).toEqual(all.slice(0, pages * pageSize).map((alert) => alert.id));
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  test('agree when opened concurrently, however deep', async () => {
    await fc.assert(
      fc.asyncProperty(wanted, fc.integer({ min: 1, max: 200 }), fc.constantFrom(1, 3, 50), async (want, page, pageSize) => {
        const { results } = await list(want.actor, want.start, want.end, { ...want.query, page, pageSize });
        const all = expected(want);
        expect(results.map((row) => row.id)).toEqual(all.slice((page - 1) * pageSize, page * pageSize).map((alert) => alert.id));
      }),
      { numRuns: 150 },
    );
  }, 120_000);

  test('reverse in ascending order', async () => {
    for (const sort of ['createdTime', 'criticality', 'rule', 'count'] as const) {
      const down = await list(few, begin, now, { sort, pageSize: 200 });
      const up = await list(few, begin, now, { sort, order: 'asc', pageSize: 200, page: Math.ceil(down.total / 200) });
      expect(up.results.at(-1)?.id).toBe(down.results[0]?.id);
    }
  });

  test('begin where the rollups locate them, in the middle of a busy day', () => {
    const days = [3, 5_000, 4].map((count, index) => ({ start: index, end: index + 1, count }));
    expect(locatePage(days, 0, 2)).toEqual({ segments: [days[0]], offset: 0 });
    expect(locatePage(days, 2, 2)).toEqual({ segments: [days[0], days[1]], offset: 2 });
    expect(locatePage(days, 4_003, 50)).toEqual({ segments: [days[1]], offset: 4_000 });
    expect(locatePage(days, 5_002, 50)).toEqual({ segments: [days[1], days[2]], offset: 4_999 });
    expect(locatePage(days, 5_007, 50)).toBeUndefined();
  });
});

describe('a range without end', () => {
  test('may span 25 years or end in the year 9999', async () => {
    const all = expected({ actor: few, start: begin, end: now, query: {} });
    for (const [start, end] of [
      [now - 25 * 365 * dayMs, now],
      [Date.UTC(1, 0, 1), Date.parse('9999-12-31T23:59:59Z')],
    ] as const) {
      const { results, total } = await list(few, start, end);
      expect(total).toBe(seeded.filter((alert) => few.organisationIds.includes(alert.organisationId) && alert.at < end).length);
      expect(results[0]?.id).toBe(end === now ? all[0]?.id : expected({ actor: few, start: begin, end, query: {} })[0]?.id);
    }
  });
});

describe('text search', () => {
  const found = async (text: string) => (await list(one, begin, now + hourMs, { text, pageSize: 200 })).results;
  const mine = () => seeded.filter((alert) => alert.organisationId === one.organisationId);

  test.each(['100% sure_ly', 'C:\\Windows\\', `it's "quoted"`, '%', '_', '\\', `'; drop table alerts; --`, 'sure_', '% %'])(
    'takes %s literally',
    async (text) => {
      const ids = (await found(text)).map((row) => row.id).sort((a, b) => a - b);
      const wantedIds = mine()
        .filter((alert) => [alert.summary, alert.device, alert.user, alert.rule.title].some((value) => value?.includes(text)))
        .map((alert) => alert.id);
      expect(ids).toEqual(wantedIds.sort((a, b) => a - b).slice(-200));
    },
  );

  test('ignores case and includes rules, devices and users', async () => {
    expect((await found('QUOTED')).length).toBeGreaterThan(0);
    expect(new Set((await found('rule A')).map((row) => row.rule))).toEqual(
      new Set(rules.filter((rule) => rule.title.includes('Rule a')).map((rule) => rule.title)),
    );
    expect(new Set((await found('HOST-2')).map((row) => row.deviceName))).toEqual(new Set(['host-2']));
    expect(new Set((await found('user-3')).map((row) => row.userName))).toEqual(new Set(['user-3']));
  });

  test('accepts an alert number', async () => {
    const alert = mine()[17]!;
    expect((await found(String(alert.id))).map((row) => row.id)).toContain(alert.id);
    expect((await found(`#${alert.id}`)).map((row) => row.id)).toEqual([alert.id]);
    expect(await found('9999999999')).toEqual([]);
  });

  test('finds nothing for characters that PostgreSQL cannot hold', async () => {
    for (const text of ['\u0000', 'a\u0000b', '\ud800']) expect(await found(text)).toEqual([]);
    expect((await list(one, begin, now, { device: 'host\u0000', user: '\ud800', rule: '\u0000' })).results).toEqual([]);
  });
});

test('returns fifty rows in less than 40 kB', async () => {
  const page = await list(one, begin, now, { pageSize: 50 });
  expect(page.results).toHaveLength(50);
  expect(JSON.stringify(alertsApi.list.answer.parse(page)).length).toBeLessThan(40_000);
});

test('returns nothing for a foreign scope inside another’s transaction', async () => {
  const mine = { organisationIds: [organisationIds[0]!] };
  for (const theirs of [{ organisationIds: [organisationIds[1]!] }, { organisationIds: organisationIds.slice(1) }]) {
    for (const sort of ['createdTime', 'criticality', 'deviceName', 'rule', 'count'] as const) {
      for (const filter of [{}, { device: 'host-1' }, { isNew: true }]) {
        const found = await scoped(database.db, mine, (tx) =>
          listAlerts(tx, theirs, {
            filter,
            range: { start: begin, end: now },
            sort,
            order: 'desc',
            offset: 0,
            limit: 50,
            horizon: { now },
          }),
        );
        expect(found).toEqual({ results: [], total: 0, totalIsAtLeast: false });
      }
    }
  }
});

describe('query plans', () => {
  /** Plans of all statements of one call, with its own values. */
  async function plansOf(actor: Actor, start: number, end: number, query: Query): Promise<string[]> {
    const client = await database.db.pool.connect();
    const original = client.query.bind(client) as (
      text: string,
      values?: unknown[],
    ) => Promise<{ rows: Record<string, string>[] }>;
    const statements: [string, unknown[]][] = [];
    client.query = ((statement: string | { text: string; values: unknown[] }) => {
      const { text, values } = typeof statement === 'string' ? { text: statement, values: [] } : statement;
      if (/from alerts|join alerts/.test(text)) statements.push([text, values]);
      return original(text, values);
    }) as typeof client.query;
    client.release();
    await list(actor, start, end, query);
    client.query = original as typeof client.query;
    const plans: string[] = [];
    await original(
      `begin; set local app.scope = '${provenScope(database.db.scopeKey, client, actor.organisationIds.join(','))}'; set local enable_seqscan = off`,
    );
    for (const [text, values] of statements) {
      plans.push((await original(`explain ${text}`, values)).rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    await original('rollback');
    expect(plans.length).toBeGreaterThan(0);
    return plans;
  }
  const monthsIn = (plan: string) => new Set([...plan.matchAll(/on alerts_(\d{4}_\d{2})/g)].map((match) => match[1]));

  beforeAll(async () => {
    await runAs(database.ownerUrl, 'analyze');
    // A single connection, so that the watched one is used.
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.db.pool.connect()));
    for (const [index, client] of clients.entries()) client.release(index > 0);
  });

  test.each([
    ['one client', one],
    ['a few', few],
    ['many', manyClients],
  ])('read the newest month alone along an index for %s', async (_name, actor) => {
    const plans = await plansOf(actor, begin, now, {});
    for (const plan of plans) {
      expect([...monthsIn(plan)]).toEqual(['2026_11']);
      expect(plan).not.toMatch(/Seq Scan on alerts/);
    }
    expect(plans.join('\n')).toMatch(/Index Scan (Backward )?(using|on) alerts_2026_11_/);
  });

  test('read only the days of a page deep in a year', async () => {
    const plans = await plansOf(one, begin, now, { page: 60, pageSize: 10 });
    for (const plan of plans) expect(monthsIn(plan).size).toBeLessThanOrEqual(2);
  });

  test('read one device along its index', async () => {
    const plans = await plansOf(one, now - 20 * dayMs, now, { device: 'host-1' });
    expect(plans.join('\n')).toMatch(/alerts_2026_11_organisation_id_device_name_at_id_idx/);
  });
});
