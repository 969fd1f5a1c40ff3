/** SQL of past alerts, of what was seen before them, and of the cases that they belong to. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { isMalicious } from '../../domain/maliciousCases.ts';
import type { SeedParty } from './correlation.past.memory.ts';

export interface PastRef {
  id: number;
  at: Date;
  raisedAt: Date;
}

/** In the order in which they were raised; of more than `limit` the newest. */
export async function listPastAlerts(tx: Tx, organisationId: number, start: Date, end: Date, limit: number): Promise<PastRef[]> {
  const { rows } = await sql<PastRef>`
    select * from (
      select id, at, raised_at as "raisedAt" from alerts where organisation_id = ${organisationId} and at >= ${start} and at < ${end}
      order by at desc, id desc limit ${limit}
    ) newest order by "raisedAt", id`.execute(tx);
  return rows;
}

export async function countPastAlerts(tx: Tx, organisationId: number, start: Date, end: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from alerts where organisation_id = ${organisationId} and at >= ${start} and at < ${end}`.execute(
    tx,
  );
  return rows[0]!.count;
}

const maxSeeds = 200_000;

/** Parties that were seen before the range; of those seen since, their days then are at least 1. */
export async function listPartiesBefore(tx: Tx, organisationId: number, start: Date): Promise<SeedParty[]> {
  const { rows } = await sql<Omit<SeedParty, 'firstAt' | 'lastAt'> & { firstAt: Date; lastAt: Date }>`
    select kind, value, party, first_at as "firstAt", last_at as "lastAt", days from entity_parties
    where organisation_id = ${organisationId} and first_at < ${start} and kind not in ('account', 'sid', 'sids', 'name')
    order by last_at desc limit ${maxSeeds}`.execute(tx);
  const before = start.getTime();
  return rows.map(({ firstAt, lastAt, days, ...party }) => ({
    ...party,
    firstAt: firstAt.getTime(),
    lastAt: Math.min(before, lastAt.getTime()),
    days: Math.max(1, days - Math.ceil(Math.max(0, lastAt.getTime() - before) / dayMs)),
  }));
}

/** Cases of these alerts, by alert. */
export async function listCasesOf(
  tx: Tx,
  organisationId: number,
  alertIds: readonly number[],
): Promise<Map<number, { caseId: number; isMalicious: boolean }>> {
  if (alertIds.length === 0) return new Map();
  const { rows } = await sql<{ alertId: number; caseId: number; isMalicious: boolean }>`
    select ca.alert_id as "alertId", c.id as "caseId", coalesce(${isMalicious}, false) as "isMalicious" from case_alerts ca
    join cases c on c.id = ca.case_id and c.organisation_id = ${organisationId}
    where ca.organisation_id = ${organisationId} and ca.alert_id = any (${integerColumn(alertIds)})`.execute(tx);
  return new Map(rows.map(({ alertId, ...found }) => [alertId, found]));
}
