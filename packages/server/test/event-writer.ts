/** An event writer on its own database, a second process, and rules; each test has its own organisation. */

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { connect, type Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createDetector, type Detector, readBuiltIn } from '../src/pipeline/detector.ts';
import { createDeviceRegister } from '../src/pipeline/devices.ts';
import type { Document, Event } from '../src/pipeline/event.ts';
import { type Batch, createEventWriter, type DeadLetter, type EventWriter } from '../src/pipeline/event-writer.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { eventRows } from './storedEvents.ts';

export const rule = (name: string, level: string) => `title: ${name}
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
export const correlation = (name: string, body: string) => `title: ${name}
id: ${name}
name: ${name}
correlation:
${body
  .trim()
  .split('\n')
  .map((line) => `  ${line.trimEnd()}`)
  .join('\n')}
level: high
`;
export const ruleFiles = {
  plain: rule('plain', 'medium'),
  other: rule('other', 'critical'),
  minor: rule('minor', 'low'),
  hint: rule('hint', 'informational'),
  failed: rule('failed', 'low'),
  rare: rule('rare', 'low'),
  accepted: rule('accepted', 'low'),
  burst: correlation(
    'burst',
    'type: event_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  gte: 10',
  ),
  spray: correlation(
    'spray',
    'type: value_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  field: user.name\n  gte: 4',
  ),
  first: correlation(
    'first',
    'type: event_count\nrules:\n  - failed\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  gte: 10',
  ),
  taken: correlation('taken', 'type: temporal_ordered\nrules:\n  - first\n  - accepted\ngroup-by:\n  - source.ip\ntimespan: 15m'),
  few: correlation('few', 'type: event_count\nrules:\n  - rare\ngroup-by:\n  - source.ip\ntimespan: 10m\ncondition:\n  lte: 2'),
};

export let database: TestDatabase;
export let second: Database;
export let rulesDir: string;
export let detector: Detector;
export let eventWriter: EventWriter;
export let otherProcess: EventWriter;
export let organisationId = 100;

export const eventWriterOn = (db: Database, groupingWindowMs = hourMs, storedFrom?: number) =>
  createEventWriter({
    db,
    clock: systemClock,
    detector,
    devices: createDeviceRegister(),
    groupingWindowMs,
    storedFrom,
    log: silentLog,
  });

/** Registers the hooks that make the database and an organisation for each test; call it once in a test file. */
export function setUpEventWriter(): void {
  beforeAll(async () => {
    database = await testDatabase({ poolSize: 6 });
    second = connect({ url: database.url, applicationName: 'test', poolSize: 6 });
    rulesDir = await mkdtemp(join(tmpdir(), 'parapet-rules-'));
    for (const [name, text] of Object.entries(ruleFiles)) await writeFile(join(rulesDir, `${name}.yml`), text);
    detector = await createDetector({ db: database.db, builtIn: await readBuiltIn(rulesDir) });
    expect(detector.faults).toEqual([]);
    eventWriter = eventWriterOn(database.db);
    otherProcess = eventWriterOn(second);
    await scoped(database.db, 'system', (tx) => sql`select make_partitions('2026-01-01', '2026-04-01')`.execute(tx));
  });
  afterAll(async () => {
    await second.close();
    await database.close();
    await rm(rulesDir, { recursive: true });
  });
  beforeEach(async () => {
    organisationId++;
    await scoped(database.db, 'system', (tx) =>
      tx
        .insertInto('organisations')
        .values({ id: organisationId, name: `Organisation ${organisationId}`, is_partner: false, parent_id: null })
        .execute(),
    );
  });
}

export const noon = Date.parse('2026-03-10T12:00:00Z');
export let made = 0;

export interface Made {
  at?: number;
  rules?: string[];
  /** null for none. */
  device?: string | null;
  user?: string | null;
  ip?: string;
  document?: Document;
  seed?: string;
  organisationId?: number;
  hasOwnTime?: boolean;
}

export function event({
  at = noon,
  rules = [],
  device = 'web01',
  user = 'mallory',
  ip = '203.0.113.9',
  document = {},
  seed,
  hasOwnTime = true,
  ...rest
}: Made = {}): Event {
  const hex = createHash('sha256')
    .update(seed ?? `event ${made++}`)
    .digest('hex');
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
  return {
    arrival: { raw: JSON.stringify({ id }), index: '', documentId: undefined },
    organisationId: rest.organisationId ?? organisationId,
    receivedAt: hasOwnTime ? noon : at,
    document: {
      '@timestamp': new Date(at).toISOString(),
      source: { ip },
      user: { name: user },
      host: { name: device },
      ...document,
    },
    id,
    at,
    clockSkew: 0,
    hasOwnTime,
    shape: 'ecs',
    deviceName: device ?? undefined,
    userName: user ?? undefined,
    text: `something by ${user}`,
    matches: rules.map((key) => detector.ruleOf(key)!),
    shadowMatches: [],
  };
}
export const batch = (events: Event[], dead: DeadLetter[] = [], counts = new Map<string, number>()): Batch => ({
  organisationId: events[0]?.organisationId ?? organisationId,
  events,
  dead,
  counts: counts.size > 0 ? new Map([[new Date(noon).toISOString().slice(0, 10), counts]]) : new Map(),
});
export const writeBatch = (...events: Event[]) => eventWriter.writeBatch(batch(events));

export const inOrganisation = <T>(read: Parameters<typeof scoped<T>>[2], id = organisationId) =>
  scoped(database.db, { organisationIds: [id] }, read);
export const alerts = (id = organisationId) =>
  inOrganisation(
    (tx) =>
      tx
        .selectFrom('alerts')
        .innerJoin('rules', 'rules.id', 'alerts.rule_id')
        .selectAll('alerts')
        .select('rules.key')
        .orderBy('at')
        .orderBy('id')
        .execute(),
    id,
  );
export const copies = (alertId: number) =>
  inOrganisation((tx) => tx.selectFrom('alert_events').selectAll().where('alert_id', '=', alertId).orderBy('event_at').execute());
export const storedEvents = (id = organisationId) => inOrganisation((tx) => eventRows(tx), id);
export const hits = () => inOrganisation((tx) => tx.selectFrom('correlation_hits').selectAll().orderBy('at').execute());
export const summary = async () => (await alerts()).map((alert) => `${alert.key} ×${alert.fire_count}`);

/** Compares every rollup with count(*) of the alerts, in every grain. */
export async function expectRollupsToHold(): Promise<void> {
  const grains = {
    rollup_hour_severity: {
      keys: 'hour, criticality',
      from: `date_trunc('hour', at, 'UTC') as hour, criticality`,
      where: 'true',
    },
    rollup_day_severity: { keys: 'day, criticality', from: `(at at time zone 'UTC')::date as day, criticality`, where: 'true' },
    rollup_month_severity: {
      keys: 'month, criticality',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, criticality`,
      where: 'true',
    },
    rollup_day_rule: { keys: 'day, rule_id', from: `(at at time zone 'UTC')::date as day, rule_id`, where: 'true' },
    rollup_month_rule: {
      keys: 'month, rule_id',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, rule_id`,
      where: 'true',
    },
    rollup_day_device: {
      keys: 'day, device_name',
      from: `(at at time zone 'UTC')::date as day, device_name`,
      where: 'device_name is not null',
    },
    rollup_month_device: {
      keys: 'month, device_name',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, device_name`,
      where: 'device_name is not null',
    },
    rollup_month_user: {
      keys: 'month, user_name',
      from: `date_trunc('month', at at time zone 'UTC')::date as month, user_name`,
      where: 'user_name is not null',
    },
    rollup_day_user: {
      keys: 'day, user_name',
      from: `(at at time zone 'UTC')::date as day, user_name`,
      where: 'user_name is not null',
    },
  };
  for (const [table, { keys, from, where }] of Object.entries(grains)) {
    const [stored, counted] = await inOrganisation(async (tx) => [
      (await sql.raw(`select ${keys}, count from ${table} order by ${keys}`).execute(tx)).rows,
      (
        await sql
          .raw(`select ${keys}, count(*) from (select ${from} from alerts where ${where}) a group by ${keys} order by ${keys}`)
          .execute(tx)
      ).rows,
    ]);
    expect(stored, table).toEqual(counted);
  }
  for (const table of ['rollup_day_severity', 'rollup_month_severity']) {
    const [stored, counted] = await inOrganisation(async (tx) => [
      (await sql`select coalesce(sum(new_count), 0)::integer as n from ${sql.table(table)}`.execute(tx)).rows,
      (await sql`select count(*)::integer as n from alerts where is_new`.execute(tx)).rows,
    ]);
    expect(stored, table).toEqual(counted);
  }
}
