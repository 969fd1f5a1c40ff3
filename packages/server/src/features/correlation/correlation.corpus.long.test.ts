/** Cases per intrusion and per benign day, over the locked corpora of test/corpus. */
import { randomUUID } from 'node:crypto';
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import {
  alertsOf,
  type CorpusAlert,
  type CorpusRule,
  corpusHash,
  corpusStart,
  readCorpus,
  readCorpusRules,
} from '../../../test/corpus.ts';
import { type SeedRule, seedAlerts, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createCorrelationService } from './correlation.service.ts';

const corpusNames = ['intrusions', 'benign-days', 'intrusions-reserve', 'benign-days-reserve'] as const;
const locked = readCorpus('intrusions');
const intrusions = [...locked, ...readCorpus('intrusions-reserve')];
const benignDays = [...readCorpus('benign-days'), ...readCorpus('benign-days-reserve')];
/** Alerts that arrive within this time are correlated together. */
const batchMs = 20 * minuteMs;

const t = useTestApp();
let correlation: ReturnType<typeof createCorrelationService>;
let facts: Map<string, CorpusRule>;
const rules = new Map<string, Promise<SeedRule>>();

beforeAll(async () => {
  correlation = createCorrelationService({ db: t.db, log: silentLog });
  facts = await readCorpusRules();
});

function ruleOf(slug: string): Promise<SeedRule> {
  const known = rules.get(slug);
  if (known) return known;
  const { title, criticality, tactics } = facts.get(slug)!;
  const rule = seedRule(t.db, { title, criticality }, { tactics });
  rules.set(slug, rule);
  return rule;
}

/** Plays alerts at a client in batches as they arrive. Returns the case of each alert, in the given order. */
async function play(client: number, alerts: readonly CorpusAlert[]): Promise<(number | undefined)[]> {
  // Services that all share, as the device register types them.
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('devices')
      .values([
        { organisation_id: client, name: 'Microsoft 365', device_type: 'productivity' },
        { organisation_id: client, name: 'Microsoft Entra ID', device_type: 'cloudApp' },
      ])
      .execute(),
  );
  const ids: number[] = [];
  const batches = [...Map.groupBy(alerts, ({ at }) => Math.floor(at / batchMs)).values()];
  for (const batch of batches) {
    const seeded = await seedAlerts(
      t.db,
      client,
      await Promise.all(batch.map(async ({ rule, at, device, user }) => ({ at, rule: await ruleOf(rule), device, user }))),
    );
    await scoped(t.db, 'system', async (tx) => {
      await sql`insert into alert_events (organisation_id, alert_id, alert_at, event_id, event_at, text, why, document)
        select ${client}, r.id, to_timestamp(r.at / 1000.0), r.event::uuid, to_timestamp(r.at / 1000.0), '', '{}', r.document
        from jsonb_to_recordset(${JSON.stringify(
          seeded.map(({ id, at }, index) => ({ id, at, event: randomUUID(), document: batch[index]!.document })),
        )}::jsonb) as r (id integer, at float8, event text, document jsonb)`.execute(tx);
      await tx
        .insertInto('correlation_queue')
        .values(seeded.map(({ id, at }) => ({ organisation_id: client, alert_id: id, alert_at: new Date(at) })))
        .execute();
    });
    ids.push(...seeded.map(({ id }) => id));
    await correlation.run(client);
  }
  const members = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('case_alerts').select(['alert_id', 'case_id']).where('organisation_id', '=', client).execute(),
  );
  const caseOf = new Map(members.map(({ alert_id, case_id }) => [alert_id, case_id]));
  return ids.map((id) => caseOf.get(id));
}

const figures: string[] = [];
afterAll(() => {
  if (process.env.SHOW_FIGURES) console.info(figures.join('\n'));
});

/** Cases with alerts of each scenario; the share of the alerts that stand in a case. */
function summarise(alerts: readonly CorpusAlert[], cases: readonly (number | undefined)[]) {
  const found = new Map<string, { alerts: number; placed: number; cases: Set<number> }>();
  alerts.forEach(({ scenario }, index) => {
    const entry = found.get(scenario) ?? { alerts: 0, placed: 0, cases: new Set() };
    found.set(scenario, entry);
    entry.alerts++;
    const id = cases[index];
    if (id === undefined) return;
    entry.placed++;
    entry.cases.add(id);
  });
  for (const [slug, entry] of found)
    figures.push(`${slug}: ${entry.alerts} alerts, ${entry.placed} in ${entry.cases.size} cases`);
  return found;
}

test('the corpora are as they were locked', () => {
  expect(corpusNames.map(corpusHash)).toEqual([
    '49601d64c94554a79fbad52c9302e911e9b2bceca37817d5aeadc0586a740564',
    '532ed84c32a782c4fde62fe6595c60b59af3889c330123527a83fc18e2f56b3d',
    'b803d10f3de324fa7961a29c4a1863bf70bbe7f12ab964dc1de75b2e49bbe454',
    '8e9cbdd762d67c9e47f384454f91c48b6e95250b8b6931fc8a0056db03078ae8',
  ]);
  expect(locked.length).toBeGreaterThanOrEqual(12);
  expect(readCorpus('benign-days').length).toBeGreaterThanOrEqual(12);
  for (const scenario of locked) {
    const alerts = alertsOf(scenario);
    expect.soft(alerts.length, scenario.slug).toBeGreaterThanOrEqual(60);
    expect.soft(alerts.length, scenario.slug).toBeLessThanOrEqual(300);
    expect
      .soft(new Set(alerts.map(({ device }) => device.toLowerCase().split('.')[0])).size, scenario.slug)
      .toBeGreaterThanOrEqual(2);
  }
  const slugs = [...intrusions, ...benignDays].flatMap(alertsOf).map(({ rule }) => rule);
  expect([...new Set(slugs)].filter((slug) => !facts.has(slug))).toEqual([]);
});

describe('an intrusion', () => {
  test.each(intrusions)('is one case, three at most: $slug', async (scenario) => {
    const alerts = alertsOf(scenario);
    const found = summarise(alerts, await play(await t.organisation(), alerts)).get(scenario.slug)!;
    expect(found.cases.size).toBeGreaterThanOrEqual(1);
    expect(found.cases.size).toBeLessThanOrEqual(3);
    // One scenario of the reserve has benign days before.
    if (locked.includes(scenario)) expect(found.placed / found.alerts).toBeGreaterThan(0.8);
  });

  const pairs = Array.from({ length: Math.floor(intrusions.length / 2) }, (_, index) => ({
    first: intrusions[index * 2]!,
    second: intrusions[index * 2 + 1]!,
    benign: benignDays[index * 2]!,
  }));
  test.each(pairs)('is not mixed with another at the same client: $first.slug, $second.slug, $benign.slug', async (pair) => {
    const alerts = [pair.first, pair.second, pair.benign].flatMap(alertsOf).sort((a, b) => a.at - b.at);
    const cases = await play(await t.organisation(), alerts);
    const found = summarise(alerts, cases);
    const foreign = alerts.filter(({ scenario }, index) => {
      const id = cases[index];
      return (
        scenario === pair.benign.slug &&
        id !== undefined &&
        (found.get(pair.first.slug)!.cases.has(id) || found.get(pair.second.slug)!.cases.has(id))
      );
    });
    figures.push(`  ${foreign.length} of ${found.get(pair.benign.slug)!.alerts} benign alerts in a case of an intrusion`);
    const [first, second] = [found.get(pair.first.slug)!.cases, found.get(pair.second.slug)!.cases];
    expect([...first].filter((id) => second.has(id))).toEqual([]);
    expect(Math.max(first.size, second.size)).toBeLessThanOrEqual(3);
  });
});

test.each(benignDays)('a benign day is no case: $slug', async (scenario) => {
  const alerts = alertsOf(scenario);
  const cases = await play(await t.organisation(), alerts);
  summarise(alerts, cases);
  const before = new Set(cases.filter((id, index) => id !== undefined && alerts[index]!.at < corpusStart));
  const onTheDay = new Set(cases.filter((id, index) => id !== undefined && alerts[index]!.at >= corpusStart));
  figures.push(`  learnt with ${before.size} cases, on the day ${onTheDay.size}`);
  // Of the reserve, the afternoon of an administrator opens one.
  expect(onTheDay.size).toBeLessThanOrEqual(scenario.slug === 'on-call-administrator' ? 1 : 0);
});
