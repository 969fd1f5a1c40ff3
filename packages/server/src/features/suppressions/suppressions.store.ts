/** SQL of suppressions, the alerts that they match and the cases that they cover. Devices and users match regardless of letter case. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Matching, matches } from '../../domain/hiddenAlerts.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { shownName } from '../../domain/visibility.ts';

/** Condition on alerts `a`: a suppression active at that time covers them. */
const isCovered = (at: Date): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from exceptions s where s.kind = 'suppression' and s.organisation_id = a.organisation_id and s.ends_at > ${at} and (s.rule_id is null or s.rule_id = a.rule_id)
      and (s.device_name is null or lower(s.device_name) = lower(a.device_name)) and (s.user_name is null or lower(s.user_name) = lower(a.user_name)))`;

/** Open cases with a matching alert, all of whose alerts are covered. */
export const listCovered = async (tx: Tx, scope: Scope, matching: Matching, at: Date): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select c.id from cases c
    where ${within('c.organisation_id', scope)} and c.closed_at is null and not c.is_excluded
      and exists (select from case_alerts ca join alerts a on a.id = ca.alert_id and a.at = ca.alert_at where ca.case_id = c.id and ${matches(matching)})
      and not exists (
        select from case_alerts ca join alerts a on a.id = ca.alert_id and a.at = ca.alert_at where ca.case_id = c.id and not ${isCovered(at)})
    order by c.id`.execute(tx);
  return rows.map(({ id }) => id);
};

/** Excluded cases with an alert that no active suppression covers. */
export const listUncovered = async (tx: Tx, scope: Scope, at: Date, most: number): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select c.id from cases c
    where ${within('c.organisation_id', scope)} and c.is_excluded and exists (
      select from case_alerts ca join alerts a on a.id = ca.alert_id and a.at = ca.alert_at where ca.case_id = c.id and not ${isCovered(at)})
    order by c.id limit ${most}`.execute(tx);
  return rows.map(({ id }) => id);
};

export interface StoredSuppression {
  id: number;
  clientOrganizationID: number;
  clientOrganizationName: string;
  ruleID: string | null;
  rule: string | null;
  deviceName: string | null;
  userName: string | null;
  reason: string;
  owner: string;
  createdTime: Date;
  endTime: Date;
  hidden: number;
}

const rowsOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('exceptions as s')
    .innerJoin('organisations as o', 'o.id', 's.organisation_id')
    .leftJoin('rules as r', 'r.id', 's.rule_id')
    .where('s.kind', '=', 'suppression')
    .where(within('s.organisation_id', scope))
    .select([
      's.id',
      's.organisation_id as clientOrganizationID',
      'o.name as clientOrganizationName',
      'r.key as ruleID',
      sql<string | null>`left(r.title, 2000)`.as('rule'),
      's.device_name as deviceName',
      's.user_name as userName',
      's.reason',
      shownName(scope, 's.owner_user_id', 's.owner_name').as('owner'),
      's.created_at as createdTime',
      's.ends_at as endTime',
      's.hidden_count as hidden',
    ]);

export const findSuppression = (tx: Tx, scope: Scope, id: number): Promise<StoredSuppression | undefined> =>
  rowsOf(tx, scope).where('s.id', '=', id).executeTakeFirst();

/** Active ones first, then by end, latest first. */
export async function listSuppressions(
  tx: Tx,
  scope: Scope,
  now: Date,
  { limit, offset, rows }: { limit: number; offset: number; rows: QueryRows | undefined },
): Promise<{ results: StoredSuppression[]; total: number }> {
  const results = await rowsOf(tx, scope)
    .where((eb) => eb.and(isAmong('s', rows)))
    .orderBy(sql`s.ends_at > ${now}`, 'desc')
    .orderBy('s.ends_at', 'desc')
    .orderBy('s.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await tx
    .selectFrom('exceptions as s')
    .where('s.kind', '=', 'suppression')
    .where(within('s.organisation_id', scope))
    .where((eb) => eb.and(isAmong('s', rows)))
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow();
  return { results, total };
}

/** Narrowest matching of each alert: its rule, device and user. */
export async function listMatchings(
  tx: Tx,
  scope: Scope,
  alertIds: readonly number[],
): Promise<(Matching & { alertId: number })[]> {
  const { rows } = await sql<Matching & { alertId: number }>`
    select a.id as "alertId", a.organisation_id as "organisationId", a.rule_id as "ruleId", a.device_name as "deviceName", a.user_name as "userName"
    from alerts a where ${within('a.organisation_id', scope)} and a.id = any(${[...alertIds]}::integer[])
    order by a.organisation_id, a.id`.execute(tx);
  return rows;
}

/** A suppression of exactly this matching that lasts at least as long. */
export async function findSame(
  tx: Tx,
  scope: Scope,
  { organisationId, ruleId, deviceName, userName }: Matching,
  until: Date,
): Promise<{ id: number } | undefined> {
  const { rows } = await sql<{ id: number }>`
    select s.id from exceptions s
    where s.kind = 'suppression' and ${within('s.organisation_id', scope)} and s.organisation_id = ${organisationId} and s.rule_id is not distinct from ${ruleId}::integer
      and lower(s.device_name) is not distinct from lower(${deviceName}::text) and lower(s.user_name) is not distinct from lower(${userName}::text)
      and s.ends_at >= ${until} limit 1`.execute(tx);
  return rows[0];
}

export const insertSuppression = (
  tx: Tx,
  { organisationId, ruleId, deviceName, userName }: Matching,
  row: { reason: string; ownerId: number; ownerName: string; createdAt: Date; endsAt: Date },
): Promise<{ id: number }> =>
  tx
    .insertInto('exceptions')
    .values({
      kind: 'suppression',
      organisation_id: organisationId,
      rule_id: ruleId,
      device_name: deviceName,
      user_name: userName,
      reason: row.reason,
      owner_user_id: row.ownerId,
      owner_name: row.ownerName,
      created_at: row.createdAt,
      ends_at: row.endsAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();

/** Returns undefined for a suppression that had ended. */
export const endSuppression = (tx: Tx, scope: Scope, id: number, at: Date): Promise<{ id: number } | undefined> =>
  tx
    .updateTable('exceptions')
    .set({ ends_at: at })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('ends_at', '>', at)
    .returning('id')
    .executeTakeFirst();
