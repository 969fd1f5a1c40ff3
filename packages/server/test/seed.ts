/** Alerts and cases for tests of readers; inserted as the pipeline does, with rollups from the real write path. */
import { randomUUID } from 'node:crypto';
import { casePercentageOf, caseScoreOf, defaultMaliciousThreshold } from '@parapet/contract/rules/cases.ts';
import { type Insertable, sql } from 'kysely';
import type { Database } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { RuleFacts } from '../src/core/db/tables.detection.ts';
import type { Tables } from '../src/core/db/tables.ts';
import type { GroupedAlert } from '../src/pipeline/grouping.ts';
import { addToRollups } from '../src/pipeline/rollups.ts';

export interface SeedRule {
  id: number;
  key: string;
  title: string;
  category: string;
  criticality: number;
}

export interface SeedAlert {
  /** Milliseconds since 1970. */
  at: number;
  rule: SeedRule;
  device?: string | null;
  user?: string | null;
  summary?: string;
  isNew?: boolean;
  count?: number;
  raisedAt?: number;
}

export interface Seeded extends Required<Omit<SeedAlert, 'rule'>> {
  id: number;
  organisationId: number;
  rule: SeedRule;
}

export async function seedRule(
  db: Database,
  rule: Partial<Omit<SeedRule, 'id'>> = {},
  facts: Partial<RuleFacts> = {},
): Promise<SeedRule> {
  const { key = randomUUID(), title = `Rule ${key.slice(0, 8)}`, category = 'Execution', criticality = 3 } = rule;
  const whole: RuleFacts = {
    description: 'What it looks for.',
    falsePositives: [],
    references: [],
    logSource: 'windows process_creation',
    condition: 'selection',
    techniques: ['T1059.001'],
    tactics: ['execution'],
    ...facts,
  };
  return scoped(db, 'system', async (tx) => {
    const row = await tx
      .insertInto('rules')
      .values({ key, title, category, criticality, facts: JSON.stringify(whole) })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id: row.id, key, title, category, criticality };
  });
}

/** Creates partitions from the first of these times to the last. */
export async function seedMonths(db: Database, ...times: number[]): Promise<void> {
  const [first, last] = [Math.min(...times), Math.max(...times)].map((at) => new Date(at).toISOString().slice(0, 10));
  await scoped(db, 'system', (tx) => sql`select make_partitions(${first}::date, ${last}::date)`.execute(tx));
}

/** Returns the alerts with their ids, in the given order. */
export async function seedAlerts(db: Database, organisationId: number, alerts: readonly SeedAlert[]): Promise<Seeded[]> {
  if (alerts.length === 0) return [];
  await seedMonths(db, ...alerts.map((alert) => alert.at));
  const rows = alerts.map((alert) => ({
    device: 'host-1' as string | null,
    user: 'user-1' as string | null,
    summary: 'Something happened',
    isNew: true,
    count: 1,
    raisedAt: alert.at + 1_000,
    ...alert,
    organisationId,
  }));
  return scoped(
    db,
    { organisationIds: [organisationId] },
    async (tx) => {
      const seeded: Seeded[] = [];
      for (let from = 0; from < rows.length; from += 2_000) {
        const part = rows.slice(from, from + 2_000);
        const { rows: ids } = await sql<{ id: number }>`
          insert into alerts (organisation_id, at, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, is_new)
          select ${organisationId}, to_timestamp(r.at / 1000.0), to_timestamp(r.at / 1000.0), to_timestamp(r."raisedAt" / 1000.0), r."ruleId", r.criticality,
            r.device, r."user", r.summary, r.count, r."isNew"
          from jsonb_to_recordset(${JSON.stringify(part.map(({ rule, ...row }) => ({ ...row, ruleId: rule.id, criticality: rule.criticality })))}::jsonb)
            as r (at float8, "raisedAt" float8, "ruleId" integer, criticality smallint, device text, "user" text, summary text, count integer, "isNew" boolean)
          returning id`.execute(tx);
        for (const [index, row] of part.entries()) seeded.push({ ...row, id: ids[index]!.id });
      }
      await addToRollups(
        tx,
        organisationId,
        rows.map(
          (row) =>
            ({
              at: row.at,
              isNew: true,
              count: row.count,
              rule: row.rule,
              deviceName: row.device ?? undefined,
              userName: row.user ?? undefined,
            }) as unknown as GroupedAlert,
        ),
      );
      for (const row of rows.filter(({ isNew }) => !isNew)) {
        await sql`update rollup_day_severity set new_count = new_count - 1 where organisation_id = ${organisationId}
          and day = ${new Date(row.at).toISOString().slice(0, 10)}::date and criticality = ${row.rule.criticality}`.execute(tx);
      }
      return seeded;
    },
    { statementTimeoutMs: 30_000 },
  );
}

export interface SeedCase {
  organisationId: number;
  /** Time of its first alert and of its opening, in milliseconds since 1970; an hour ago by default. */
  at?: number;
  /** Alerts to create: a number, one minute apart, of a rule of the case’s criticality; or a list. One by default. */
  alerts?: number | readonly SeedAlert[];
  criticality?: number;
  device?: string | null;
  user?: string | null;
  artifacts?: readonly { kind: Tables['case_artifacts']['kind']; value: string; count?: number }[];
  /** Any column of the case. */
  set?: Partial<Insertable<Tables['cases']>>;
}

export interface SeededCase {
  id: number;
  organisationId: number;
  alerts: Seeded[];
}

/** An open case with its alerts and the figures of correlation. */
export async function seedCase(db: Database, seed: SeedCase): Promise<SeededCase> {
  const {
    organisationId,
    at = Date.now() - 3_600_000,
    criticality = 3,
    device = 'host-1',
    user = 'user-1',
    artifacts = [],
  } = seed;
  let { alerts = 1 } = seed;
  if (typeof alerts === 'number') {
    const rule = await seedRule(db, { criticality });
    alerts = Array.from({ length: alerts }, (_, index) => ({ at: at + index * 60_000, rule, device, user }));
  }
  const seeded = await seedAlerts(db, organisationId, alerts);
  const times = seeded.map((alert) => alert.at);
  const byRule = Map.groupBy(seeded, (alert) => alert.rule.id);
  const score = caseScoreOf(
    [...byRule.values()].map((of) => ({ criticality: of[0]!.rule.criticality, alerts: of.length })),
    1,
  );
  const namesOf = (names: (string | null)[]) => [...new Set(names)].filter((name) => name !== null).slice(0, 20);
  return scoped(db, { organisationIds: [organisationId] }, async (tx) => {
    const { id } = await tx
      .insertInto('cases')
      .values({
        organisation_id: organisationId,
        created_at: new Date(at),
        title: 'Something happened on host-1',
        criticality: Math.max(criticality, ...seeded.map((alert) => alert.rule.criticality)),
        score,
        percentage: casePercentageOf(score, defaultMaliciousThreshold),
        alert_count: seeded.length,
        new_count: seeded.filter((alert) => alert.isNew).length,
        first_alert_at: new Date(Math.min(at, ...times)),
        last_alert_at: new Date(Math.max(at, ...times)),
        tactics: ['Execution'],
        device_names: namesOf(seeded.map((alert) => alert.device)),
        user_names: namesOf(seeded.map((alert) => alert.user)),
        // The database requires it of every verdict but Insufficient Information.
        ...(seed.set?.verdict && seed.set.verdict !== 'Insufficient Information' && { confidence: 80 }),
        ...seed.set,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (seeded.length > 0) {
      await sql`insert into case_alerts (organisation_id, case_id, alert_id, alert_at, rule_id, criticality, joined_by)
        select organisation_id, ${id}, id, at, rule_id, criticality, 'the same device' from alerts
        where organisation_id = ${organisationId} and id = any(${seeded.map((alert) => alert.id)}::integer[])`.execute(tx);
    }
    if (artifacts.length > 0) {
      await tx
        .insertInto('case_artifacts')
        .values(
          artifacts.map(({ kind, value, count = 1 }) => ({
            organisation_id: organisationId,
            case_id: id,
            kind,
            value,
            count,
            first_at: new Date(at),
            last_at: new Date(at),
          })),
        )
        .execute();
    }
    return { id, organisationId, alerts: seeded };
  });
}
