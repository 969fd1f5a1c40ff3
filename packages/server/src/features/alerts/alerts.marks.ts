/**
 * Marks alerts as seen or unseen and updates every figure that counts new ones: the rollups of day and month and those of
 * cases. Holds the locks of correlation and raising, so that no count is lost; then locks alerts before cases, each in the
 * order of ids.
 */
import { problem } from '@parapet/contract/problem.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import { integerColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Database } from '../../core/db/connect.ts';
import { byKey, retrying, type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { lockAlerts, lockCorrelation } from '../../domain/alerts-lock.ts';
import { recordAudit } from '../../domain/audit.ts';
import { dateOf, floorTo } from '../../domain/ranges.ts';

/** Alerts of a case per transaction: raising waits no longer than these take. */
const atOnce = 2_000;
/** Concurrent marks in the other direction may undo progress: bounds the rounds. */
const maxRounds = 500;

interface Marked {
  id: number;
  at: Date;
  organisationId: number;
  criticality: number;
}

/**
 * Marks these alerts and writes an audit entry for each organisation. Returns the changed ones; ids outside the scope are
 * skipped. With the times of the first and the last one, other months are not searched.
 */
export async function markAlerts(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  ids: readonly number[],
  isNew: boolean,
  times?: readonly [first: Date, last: Date],
): Promise<{ id: number; at: Date; organisationId: number }[]> {
  // A time of JavaScript ends at its millisecond.
  const isThen = times
    ? sql<boolean>`at >= ${times[0]} and at < ${times[1]}::timestamptz + interval '1 millisecond'`
    : sql<boolean>`true`;
  const organisations = await sql<{ id: number }>`
    select distinct organisation_id as id from alerts
    where ${within('organisation_id', scope)} and id = any(${integerColumn(ids)}) and ${isThen} and is_new <> ${isNew} order by 1`.execute(
    tx,
  );
  for (const { id } of organisations.rows) {
    // Otherwise a case that adds an alert at this moment would count its former mark.
    await lockCorrelation(tx, id);
    await lockAlerts(tx, id);
  }
  // Locked by a separate statement: the next one then sees what the former holder has written.
  const { rows: alerts } = await sql<Marked>`
    select id, at, organisation_id as "organisationId", criticality from alerts
    where ${within('organisation_id', scope)} and id = any(${integerColumn(ids)}) and ${isThen} and is_new <> ${isNew}
    order by id for no key update`.execute(tx);
  if (alerts.length === 0) return [];
  await writeMarks(tx, alerts, isNew);
  for (const [organisationId, some] of Map.groupBy(alerts, (alert) => alert.organisationId)) {
    const alertIds = some.map((alert) => alert.id);
    await recordAudit(tx, actor, {
      action: isNew ? 'alerts.markedUnseen' : 'alerts.markedSeen',
      organisationId,
      target: alertIds.length === 1 ? String(alertIds[0]) : '',
      after: { changed: alertIds.length, alertIDs: alertIds },
    });
    await publish(tx, 'alert.raised', { organisationId, alertIds });
  }
  return alerts;
}

async function writeMarks(tx: Tx, alerts: readonly Marked[], isNew: boolean): Promise<void> {
  const step = sql.lit(isNew ? 1 : -1);
  const days = alerts.map(({ at }) => dateOf(at.getTime()));
  const months = alerts.map(({ at }) => dateOf(floorTo('month', at.getTime())));
  const times = alerts.map(({ at }) => at.getTime());
  // PostgreSQL then plans for their months only.
  const during = sql`a.at >= ${new Date(Math.min(...times))} and a.at < ${new Date(Math.max(...times))}::timestamptz + interval '1 millisecond'`;
  const { rows: cases } = await sql<{ id: number; organisationId: number }>`
    with marked as (
      select * from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(times)},
        ${integerColumn(alerts.map(({ organisationId }) => organisationId))}, ${integerColumn(alerts.map(({ criticality }) => criticality))},
        ${days}::date[], ${months}::date[]) as m (id, at, organisation_id, criticality, day, month)
    ), changed as (
      update alerts a set is_new = ${isNew} from marked m where a.id = m.id and a.organisation_id = m.organisation_id
        and a.at >= m.at and a.at < m.at + interval '1 millisecond' and ${during}
    ), by_day as (
      update rollup_day_severity r set new_count = r.new_count + ${step} * m.n
      from (select organisation_id, day, criticality, count(*)::integer as n from marked group by 1, 2, 3) m
      where r.organisation_id = m.organisation_id and r.day = m.day and r.criticality = m.criticality
    ), by_month as (
      update rollup_month_severity r set new_count = r.new_count + ${step} * m.n
      from (select organisation_id, month, criticality, count(*)::integer as n from marked group by 1, 2, 3) m
      where r.organisation_id = m.organisation_id and r.month = m.month and r.criticality = m.criticality
    )
    select c.id, c.organisation_id as "organisationId" from cases c
    where c.id in (select ca.case_id from case_alerts ca join marked m on ca.alert_id = m.id)
    order by c.id for no key update of c`.execute(tx);
  if (cases.length === 0) return;
  await sql`
    update cases c set new_count = greatest(0, c.new_count + ${step} * m.n)
    from (
      select case_id, count(*)::integer as n from case_alerts where alert_id = any(${integerColumn(alerts.map(({ id }) => id))}) group by 1
    ) m
    where c.id = m.case_id and c.id = any(${integerColumn(cases.map(({ id }) => id))})`.execute(tx);
  for (const [organisationId, some] of Map.groupBy(cases, (one) => one.organisationId))
    await publish(tx, 'case.changed', { organisationId, caseIds: some.map(({ id }) => id), isNew: false });
}

async function findForeign(tx: Tx, scope: Scope, ids: readonly number[]): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select i.id from unnest(${integerColumn(ids)}) i (id)
    where not exists (select from alerts a where a.id = i.id and ${within('a.organisation_id', scope)}) limit 1`.execute(tx);
  return rows[0]?.id;
}

/** Of a case, those that would change. Throws notFound for a case outside the scope. */
async function listOfCase(tx: Tx, scope: Scope, caseId: number, isNew: boolean): Promise<{ id: number; at: Date }[]> {
  const found = await tx
    .selectFrom('cases')
    .where(within('organisation_id', scope))
    .where('id', '=', caseId)
    .select('id')
    .executeTakeFirst();
  if (!found) throw problem.notFound('case', caseId);
  const { rows } = await sql<{ id: number; at: Date }>`${byKey}
    select ca.alert_id as id, ca.alert_at as at from case_alerts ca
    cross join lateral (
      select is_new from alerts where organisation_id = ca.organisation_id and id = ca.alert_id and at = ca.alert_at limit 1
    ) a
    where ca.case_id = ${caseId} and ${within('ca.organisation_id', scope)} and a.is_new <> ${isNew}
    order by ca.alert_id limit ${atOnce}`.execute(tx);
  return rows;
}

export function createMarks(db: Database) {
  const markOnce = (actor: Actor, { caseID, alertIDs }: MarkTarget, isNew: boolean) => {
    const scope = scopeOf(actor);
    return retrying(() =>
      scoped(db, scope, async (tx) => {
        if (caseID === undefined) {
          const foreign = await findForeign(tx, scope, alertIDs);
          if (foreign !== undefined) throw problem.notFound('alert', foreign);
        }
        if (caseID === undefined)
          return { listed: alertIDs.length, changed: (await markAlerts(tx, scope, actor, alertIDs, isNew)).length };
        const own = await listOfCase(tx, scope, caseID, isNew);
        if (own.length === 0) return { listed: 0, changed: 0 };
        const inOrder = own.map(({ at }) => at).sort((a, b) => a.getTime() - b.getTime());
        const ids = own.map(({ id }) => id);
        const marked = await markAlerts(tx, scope, actor, ids, isNew, [inOrder[0]!, inOrder.at(-1)!]);
        return { listed: own.length, changed: marked.length };
      }),
    );
  };

  return {
    /** Returns the number of changed alerts. */
    async mark(actor: Actor, which: MarkTarget, isNew: boolean): Promise<{ changed: number }> {
      const isCase = which.caseID !== undefined;
      if (isCase === which.alertIDs.length > 0)
        throw problem.invalid({ alertIDs: ['Name either the case, for all of its alerts, or the alerts themselves.'] });
      let changed = 0;
      let listed = atOnce;
      for (let rounds = 0; listed === atOnce && rounds < maxRounds; rounds++) {
        const done = await markOnce(actor, which, isNew);
        changed += done.changed;
        listed = isCase ? done.listed : 0;
      }
      return { changed };
    },
  };
}

export interface MarkTarget {
  caseID?: number | undefined;
  alertIDs: readonly number[];
}
