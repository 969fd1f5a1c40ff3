import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, useTestDatabase } from '../../test/database.ts';
import { type Seeded, type SeedRule, seedAlerts, seedMonths, seedRule } from '../../test/seed.ts';
import { systemClock } from '../core/clock.ts';
import { type Scope, scoped } from '../core/db/scope.ts';
import { silentLog } from '../core/log.ts';
import { createRetentionService } from '../features/retention/retention.service.ts';
import { type Figure, figureSum, findFirstMonth, listCounts } from './figures.ts';
import { floorTo } from './ranges.ts';

const now = Date.parse('2026-11-21T10:07:00Z');
const begin = Date.parse('2026-05-03T07:11:00Z');
const [one, two, foreign] = [2001, 2002, 2003];
/** Enough for the totals of all organisations to be used, which only a reader of every organisation sees. */
const more = Array.from({ length: 20 }, (_, n) => 2010 + n);
const others = [one, two, ...more];
const every = [1, one, two, foreign, ...more];
const database = useTestDatabase();
let alerts: Seeded[];

beforeAll(async () => {
  const { db } = database;
  await scoped(db, 'system', (tx) =>
    tx
      .insertInto('organisations')
      .values([one, two, foreign, ...more].map((id) => ({ id, name: `Organisation ${id}` })))
      .execute(),
  );
  const rules: SeedRule[] = [];
  for (let criticality = 1; criticality <= 5; criticality++) rules.push(await seedRule(db, { criticality }));
  // Many near midnights and full hours, where edges begin.
  const times = fc.sample(
    fc.oneof(
      fc.integer({ min: begin, max: now }),
      fc
        .tuple(fc.integer({ min: begin, max: now }), fc.integer({ min: -2, max: 2 }))
        .map(([at, off]) => floorTo('day', at) + off * 1_000),
      fc
        .tuple(fc.integer({ min: begin, max: now }), fc.integer({ min: -2, max: 2 }))
        .map(([at, off]) => floorTo('hour', at) + off),
      fc.integer({ min: now - 3 * dayMs, max: now + hourMs }),
    ),
    { numRuns: 1_200, seed: 7 },
  );
  await seedMonths(db, begin - 40 * dayMs, now + 40 * dayMs);
  alerts = [];
  for (const organisationId of [one, two, foreign]) {
    alerts.push(
      ...(await seedAlerts(
        db,
        organisationId,
        times
          .filter((_, index) => index % 3 === organisationId - one)
          .map((at, index) => ({
            at,
            rule: rules[index % 5]!,
            device: index % 7 === 0 ? null : `host-${index % 4}`,
            user: index % 5 === 0 ? null : `user-${index % 3}`,
            isNew: index % 3 === 0,
          })),
      )),
    );
    // Some of it is in the totals, the rest is news.
    if (organisationId === two) await rollUpTotals(db);
  }
  // Retention deletes older days by rule.
  await scoped(db, 'system', (tx) =>
    tx
      .deleteFrom('rollup_day_rule')
      .where('day', '<', new Date(now - 62 * dayMs).toISOString().slice(0, 10))
      .execute(),
  );
});

const rollUpTotals = (db: TestDatabase['db']) =>
  createRetentionService({
    db,
    clock: systemClock,
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  }).rollUpTotals();

const keyOf: Record<Figure, (alert: Seeded) => string | number | null> = {
  severity: (alert) => alert.rule.criticality,
  newSeverity: (alert) => (alert.isNew ? alert.rule.criticality : null),
  rule: (alert) => alert.rule.id,
  device: (alert) => alert.device,
  user: (alert) => alert.user,
};

const instants = fc.integer({ min: begin - 30 * dayMs, max: now + 30 * dayMs });
const ranges = fc
  .tuple(
    fc.oneof(
      instants,
      instants.map((at) => floorTo('day', at)),
      instants.map((at) => floorTo('month', at)),
      instants.map((at) => floorTo('day', at) + 5.75 * hourMs),
    ),
    fc.oneof(
      instants,
      instants.map((at) => floorTo('day', at)),
      instants.map((at) => floorTo('hour', at)),
      fc.constant(now),
    ),
  )
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

describe('figures from rollups', () => {
  for (const figure of Object.keys(keyOf) as Figure[]) {
    test(`equal the counted alerts by ${figure}, in any range and scope`, async () => {
      const firstMonth = floorTo('month', begin - 40 * dayMs);
      await fc.assert(
        fc.asyncProperty(ranges, fc.constantFrom([one], [two], [one, two], others, every), async (range, organisationIds) => {
          const expected = new Map<string | number, number>();
          for (const alert of alerts) {
            const key = keyOf[figure](alert);
            if (
              key === null ||
              !organisationIds.includes(alert.organisationId) ||
              alert.at < range.start ||
              alert.at >= range.end
            )
              continue;
            expected.set(key, (expected.get(key) ?? 0) + 1);
          }
          const scope = { organisationIds };
          const { counts, sum } = await scoped(database.db, scope, async (tx) => ({
            counts: await listCounts<string | number>(tx, scope, figure, range, { now, firstMonth }),
            sum: (await sql<{ sum: number }>`select ${figureSum(figure, scope, range, { now, firstMonth })} as sum`.execute(tx))
              .rows[0]!.sum,
          }));
          expect(new Map(counts.map(({ key, count }) => [key, count]))).toEqual(expected);
          expect(sum).toBe([...expected.values()].reduce((total, count) => total + count, 0));
        }),
        { numRuns: 60 },
      );
    });
  }

  test('show totals of all organisations to a reader of every one only', async () => {
    const shown = (organisationIds: number[]) =>
      scoped(database.db, { organisationIds }, async (tx) => [
        (await sql<{ is: boolean }>`select app_sees_everything() as is`.execute(tx)).rows[0]?.is,
        (await sql`select from rollup_month_rule_total limit 1`.execute(tx)).rows.length,
        (await sql`select from rollup_month_rule_news limit 1`.execute(tx)).rows.length,
      ]);
    expect(await shown(every)).toEqual([true, 1, 1]);
    for (const some of [others, [one], [], every.filter((id) => id !== two)]) expect(await shown(some)).toEqual([false, 0, 0]);
  });

  test('order by count, then by key', async () => {
    const scope = { organisationIds: [one] };
    const counts = await scoped(database.db, scope, (tx) =>
      listCounts<string>(tx, scope, 'device', { start: begin, end: now }, { now }),
    );
    expect(counts).toEqual([...counts].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1)));
  });

  test('narrowed to severities', async () => {
    const scope = { organisationIds: [one] };
    const range = { start: begin + 1_234_567, end: now - 7_654_321 };
    const counts = await scoped(database.db, scope, (tx) =>
      listCounts<number>(tx, scope, 'severity', range, { now }, { narrowing: { criticalities: [4, 5] } }),
    );
    expect(counts.map(({ key }) => key).sort()).toEqual([4, 5]);
  });

  test('show nothing of another organisation, even when a store is given a foreign scope', async () => {
    const mine: Scope = { organisationIds: [one] };
    const theirs: Scope = { organisationIds: [foreign] };
    for (const figure of Object.keys(keyOf) as Figure[]) {
      const counts = await scoped(database.db, mine, (tx) => listCounts(tx, theirs, figure, { start: begin, end: now }, { now }));
      expect(counts).toEqual([]);
      expect(
        await scoped(database.db, mine, (tx) => listCounts(tx, 'system', figure, { start: begin, end: now }, { now })),
      ).not.toEqual([]);
    }
  });

  test('times beyond all calendars are cut, not refused', async () => {
    const scope = { organisationIds: [one] };
    const range = { start: Date.UTC(-1, 0, 1), end: Date.parse('9999-12-31T23:59:59.999Z') };
    const counts = await scoped(database.db, scope, (tx) => listCounts<number>(tx, scope, 'severity', range, { now }));
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(alerts.filter((alert) => alert.organisationId === one).length);
  });
});

test('the first month is the oldest partition’s', async () => {
  expect(await scoped(database.db, { organisationIds: [] }, findFirstMonth)).toBe(floorTo('month', begin - 40 * dayMs));
});
