/** Invariant of the reconciliation over random data through the real pipeline, compared with a count of the rows. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertDispositions, alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCorrelationService } from '../../../src/features/correlation/correlation.service.ts';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { daysNear, sumsOf } from './balance.rules.ts';

const rule = (name: string, level: string) => `title: ${name}
id: ${name}
name: ${name}
logsource:
  product: linux
detection:
  selection:
    action: ${name}
  condition: selection
level: ${level}
`;

let t: TestApp;
let rulesDir: string;
let partner: number;
let staff: TestUser;
let correlation: ReturnType<typeof createCorrelationService>;

beforeAll(async () => {
  rulesDir = await mkdtemp(join(tmpdir(), 'balance-rules-'));
  await writeFile(join(rulesDir, 'worm.yml'), rule('worm', 'critical'));
  await writeFile(join(rulesDir, 'scan.yml'), rule('scan', 'low'));
  t = await testApp({ RULES_DIR: rulesDir });
  partner = await t.organisation({ isPartner: true });
  staff = await t.user({ organisationId: partner, role: 'Administrator' });
  correlation = createCorrelationService({ db: t.db, log: silentLog });
});
afterAll(async () => {
  await t.close();
  await rm(rulesDir, { recursive: true });
});

const balanceOf = async (client: number, start: number, end: number): Promise<ReconciliationDay[]> => {
  const answer = await t.call(
    balanceApi.get,
    { params: { client, start: new Date(start).toISOString(), end: new Date(end).toISOString() } },
    staff,
  );
  expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()]);
  return answer.json().results;
};

/** Expected figures, counted from the rows. */
async function rowsOf(client: number) {
  const { rows } = await scoped(t.db, { organisationIds: [client] }, (tx) =>
    sql<{ date: string; alerts: number; fired: number; suppressed: number; autoClosed: number; inCase: number }>`
      select (a.at at time zone 'UTC')::date::text as date, count(*)::integer as alerts, sum(a.fire_count)::integer as fired,
        count(*) filter (where c.id is null and s.alert_id is not null)::integer as suppressed,
        count(*) filter (where c.closed_at is not null and c.closed_by is null)::integer as "autoClosed",
        count(*) filter (where c.id is not null and not (c.closed_at is not null and c.closed_by is null))::integer as "inCase"
      from alerts a left join case_alerts ca on ca.alert_id = a.id and ca.alert_at = a.at left join cases c on c.id = ca.case_id
        left join suppressed_alerts s on s.alert_id = a.id and s.alert_at = a.at
      where a.organisation_id = ${client} group by 1 order by 1 desc`.execute(tx),
  );
  return rows;
}

/** Rows of the lists by disposition on that day; for grouped alerts, their repeats. */
async function listedOf(client: number, date: string): Promise<Record<string, number>> {
  const params = { client, start: `${date}T00:00:00Z`, end: new Date(Date.parse(date) + dayMs).toISOString() };
  const listed: Record<string, number> = {};
  for (const disposition of alertDispositions) {
    const answer = await t.call(alertsApi.list, { params, query: { fate: disposition, pageSize: 200 } }, staff);
    const { results, total } = alertsApi.list.answer.parse(answer.json());
    listed[disposition] = disposition === 'folded' ? results.reduce((sum, { count }) => sum + count - 1, 0) : total;
  }
  return listed;
}

const storedOf = (client: number) =>
  scoped(t.db, { organisationIds: [client] }, async (tx) => {
    const { count: events } = await eventStore.held(tx, client);
    const { dead } = await tx
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('dead'))
      .executeTakeFirstOrThrow();
    return { events, dead };
  });

type Sent =
  | { kind: 'event'; action: 'worm' | 'scan' | 'none'; device: number; at: number; id?: number }
  | { kind: 'bad'; text: string };
const sent: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        kind: fc.constant('event' as const),
        action: fc.constantFrom('worm' as const, 'scan' as const, 'none' as const),
        device: fc.integer({ min: 0, max: 2 }),
        // Up to three days back, to spread over several days.
        at: fc.integer({ min: 0, max: 72 * 60 }),
        // Few ids: events repeat within and across batches.
        id: fc.integer({ min: 0, max: 12 }),
      },
      { requiredKeys: ['kind', 'action', 'device', 'at'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bad' as const),
      text: fc.constantFrom('{', '[]', '"x"', '{"event":{"dataset":"portal.x"}}'),
    }),
  },
);
type Step =
  | { do: 'send'; batch: Sent[] }
  | { do: 'correlate' }
  | { do: 'suppress'; device: number }
  | { do: 'close' | 'reopen'; by: 'portal' | 'staff' }
  | { do: 'move' };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('send' as const), batch: fc.array(sent, { minLength: 1, maxLength: 25 }) }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'correlate' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('suppress' as const), device: fc.integer({ min: 0, max: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('close' as const, 'reopen' as const),
      by: fc.constantFrom('portal' as const, 'staff' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'move' }) },
);

/** A history that covers every disposition, in addition to the random one. */
const everything: Step[] = [
  { do: 'suppress', device: 1 },
  {
    do: 'send',
    batch: [
      { kind: 'event', action: 'worm', device: 0, at: 60, id: 1 },
      { kind: 'event', action: 'worm', device: 0, at: 60, id: 1 },
      { kind: 'event', action: 'worm', device: 0, at: 59 },
      { kind: 'event', action: 'worm', device: 1, at: 50 },
      { kind: 'event', action: 'scan', device: 2, at: 3_000 },
      { kind: 'bad', text: '[]' },
    ],
  },
  { do: 'correlate' },
  { do: 'close', by: 'portal' },
  { do: 'send', batch: [{ kind: 'event', action: 'worm', device: 2, at: 1 }] },
];

describe('any history', () => {
  test('balances on every day and matches the rows', async () => {
    const seen = { duplicate: 0, dead: 0, folded: 0, suppressed: 0, autoClosed: 0, inCase: 0, shown: 0, dropped: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const client = await t.organisation({ parentId: partner });
        const key = await t.ingestKey(client);
        const now = Date.now();
        let arrivals = 0;
        for (const each of steps) await play(client, key, now, each, (count) => (arrivals += count));
        await correlation.run(client);

        const days = await balanceOf(client, now - 5 * dayMs, now + dayMs);
        expect(days.filter(({ isBalanced }) => !isBalanced)).toEqual([]);
        const sum = (of: (each: ReconciliationDay) => number) => days.reduce((total, each) => total + of(each), 0);
        // Sent events, counted by the sender.
        expect(sum(({ received }) => received)).toBe(arrivals);
        const { events, dead } = await storedOf(client);
        expect([sum(({ stored }) => stored), sum((each) => each.dead)]).toEqual([events, dead]);
        const rows = await rowsOf(client);
        expect(
          days
            .filter(({ raised }) => raised > 0)
            .map(({ date, raised, shown, folded, suppressed, autoClosed, inCase }) => ({
              date,
              raised,
              shown,
              folded,
              suppressed,
              autoClosed,
              inCase,
            })),
        ).toEqual(
          rows.map(({ date, alerts, fired, suppressed, autoClosed, inCase }) => ({
            date,
            raised: fired,
            shown: alerts - suppressed - autoClosed - inCase,
            folded: fired - alerts,
            suppressed,
            autoClosed,
            inCase,
          })),
        );
        // The list behind each number has the same length.
        for (const each of days.filter(({ raised }) => raised > 0))
          expect([each.date, await listedOf(client, each.date)]).toEqual([
            each.date,
            Object.fromEntries(alertDispositions.map((disposition) => [disposition, each[disposition]])),
          ]);
        for (const name of ['duplicate', 'dead', 'folded', 'suppressed', 'autoClosed', 'inCase', 'shown'] as const)
          seen[name] += sum((each) => each[name]);
      }),
      { numRuns: 25, endOnFailure: true, examples: [[everything]] },
    );
    // The histories are meaningful: each outcome occurred.
    for (const name of ['duplicate', 'dead', 'folded', 'suppressed', 'autoClosed', 'inCase', 'shown'] as const)
      expect([name, seen[name] > 0]).toEqual([name, true]);
  }, 180_000);
});

async function play(client: number, key: string, now: number, each: Step, received: (count: number) => void): Promise<void> {
  const scope = { organisationIds: [client] };
  if (each.do === 'send') {
    const lines = each.batch.flatMap((one) =>
      one.kind === 'bad'
        ? ['{"create":{}}', one.text]
        : [
            JSON.stringify({ create: one.id === undefined ? {} : { _id: `e${one.id}` } }),
            JSON.stringify({
              '@timestamp': new Date(now - one.at * 60_000).toISOString(),
              action: one.action,
              host: { name: `host-${one.device}`, os: { type: 'linux' } },
            }),
          ],
    );
    // An action without a document, which has no event identity.
    const answer = await t.application.app.inject({
      method: 'POST',
      url: '/ingest/logs/_bulk',
      headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
      payload: `${lines.join('\n')}\nno action\n`,
    });
    expect(answer.statusCode).toBe(200);
    received(each.batch.length + 1);
  } else if (each.do === 'correlate') await correlation.run(client);
  else if (each.do === 'suppress') {
    const body = {
      clientOrganizationID: client,
      deviceName: `host-${each.device}`,
      reason: 'known',
      endTime: new Date(now + dayMs).toISOString(),
    };
    expect((await t.call(suppressionsApi.create, { body }, staff)).statusCode).toBe(200);
  } else if (each.do === 'move') {
    const found = await scoped(t.db, scope, async (tx) => ({
      record: await tx.selectFrom('cases').select('id').where('closed_at', 'is', null).orderBy('id').executeTakeFirst(),
      alert: await tx.selectFrom('alerts').select('id').orderBy('id', 'desc').executeTakeFirst(),
    }));
    if (found.record && found.alert)
      await t.call(casesApi.addAlert, { body: { caseID: found.record.id, alertID: found.alert.id } }, staff);
  } else {
    const isClosing = each.do === 'close';
    await scoped(t.db, scope, (tx) =>
      tx
        .updateTable('cases')
        .set(
          isClosing
            ? { status: 'closed', closed_at: new Date(now), closed_by: each.by === 'portal' ? null : staff.id }
            : { status: 'investigating', closed_at: null, closed_by: null },
        )
        .where(sql<boolean>`id in (select id from cases order by random() limit 2)`)
        .execute(),
    );
  }
}

describe('arithmetic', () => {
  const dead = new Set(['not-json']);

  test('sorts reasons and adjusts no sum', () => {
    const counted = {
      intake: { received: 10, stored: 4, duplicate: 1, 'not-json': 2, 'too-long': 3 },
      alerts: 5,
      dispositions: { raised: 7, folded: 2, inCase: 1 },
    };
    expect(sumsOf(counted, dead)).toEqual({
      received: 10,
      stored: 4,
      duplicate: 1,
      dropped: [{ reason: 'too-long', count: 3 }],
      dead: 2,
      raised: 7,
      shown: 4,
      folded: 2,
      suppressed: 0,
      autoClosed: 0,
      inCase: 1,
      isBalanced: true,
    });
    expect(sumsOf({ ...counted, intake: { ...counted.intake, received: 11 } }, dead).isBalanced).toBe(false);
    expect(sumsOf({ ...counted, alerts: 6 }, dead).isBalanced).toBe(false);
    // More in cases than exist: shown as 0 and reported as unbalanced.
    expect(sumsOf({ ...counted, dispositions: { raised: 7, folded: 2, inCase: 9 } }, dead)).toMatchObject({
      shown: 0,
      isBalanced: false,
    });
  });

  test('keeps the sum for any number of reasons', () => {
    const intake = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`reason ${index}`, index + 1]));
    const { dropped } = sumsOf({ intake, alerts: 0, dispositions: {} }, dead);
    expect(dropped).toHaveLength(50);
    expect(dropped.reduce((sum, { count }) => sum + count, 0)).toBe((80 * 81) / 2);
  });

  test.each([
    // A month of Kolkata (+5:30), of New York (−5) and of Auckland (+12): the days of that month.
    ['2026-10-31T18:30:00Z', '2026-11-30T18:30:00Z', '2026-11-01', '2026-12-01'],
    ['2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z', '2026-11-01', '2026-12-01'],
    ['2026-05-31T12:00:00Z', '2026-06-30T12:00:00Z', '2026-06-01', '2026-07-01'],
    // A day, and an hour of one.
    ['2026-03-03T00:00:00Z', '2026-03-04T00:00:00Z', '2026-03-03', '2026-03-04'],
    ['2026-03-03T20:00:00Z', '2026-03-03T21:00:00Z', '2026-03-03', '2026-03-04'],
    // Leap day.
    ['2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z', '2028-02-29', '2028-03-01'],
    // Up to now, early and late in the day: includes today.
    ['2030-06-01T00:00:00Z', '2030-06-15T03:05:00Z', '2030-06-01', '2030-06-16'],
    ['2030-06-14T18:30:00Z', '2030-06-14T20:05:00Z', '2030-06-14', '2030-06-15'],
  ])('rounds %s to %s to the days from %s until before %s', (start, end, first, last) => {
    const now = start.startsWith('2030') ? Date.parse(end) - 4 * 60_000 : Date.parse('2029-01-01T00:00:00Z');
    const range = daysNear({ start: Date.parse(start), end: Date.parse(end) }, now);
    expect([range.start, range.end].map((at) => new Date(at).toISOString().slice(0, 10))).toEqual([first, last]);
  });
});

test('rejects foreign clients and All for client users; All lists each client in scope', async () => {
  const [one, two, strange] = [
    await t.organisation({ parentId: partner }),
    await t.organisation({ parentId: partner }),
    await t.organisation(),
  ];
  for (const client of [one, two, strange]) await t.send(await t.ingestKey(client), [{ message: 'x' }]);
  const now = Date.now();
  const params = { start: new Date(now - dayMs).toISOString(), end: new Date(now + dayMs).toISOString() };
  const own = await t.user({ organisationId: one, role: 'Analyst' });
  expect((await t.call(balanceApi.get, { params: { client: two, ...params } }, own)).statusCode).toBe(403);
  expect((await t.call(balanceApi.get, { params: { client: 0, ...params } }, own)).statusCode).toBe(403);
  expect((await t.call(balanceApi.get, { params: { client: strange, ...params } }, staff)).statusCode).toBe(403);
  expect((await t.call(balanceApi.get, { params: { client: one, ...params } }, own)).json()).toMatchObject({
    total: 1,
    results: [{ clientOrganizationID: one, received: 1, stored: 1, isBalanced: true }],
  });
  const all = (await balanceOf(0, now - dayMs, now + dayMs)).map(({ clientOrganizationID }) => clientOrganizationID);
  expect(all).toEqual(expect.arrayContaining([one, two]));
  expect(all).not.toContain(strange);
});
