/** SQL of the risk score: its current inputs, the clients’ statements, and its history by day. */
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { type RiskComponents, type RiskInputs, riskOf, sumInputs } from '@parapet/contract/rules/risk.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { dateOf, floorTo, type Range } from '../../domain/ranges.ts';

const practiceIds = bestPractices.map(({ id }) => id);

export interface ClientInputs extends RiskInputs {
  id: number;
  name: string;
  industry: string;
  /** Version of the totals; 0 before the first entry. */
  version: number;
  changedBy: number | null;
  changedAt: Date | null;
}

interface InputRow {
  id: number;
  name: string;
  industry: string;
  total_servers: number;
  total_workstations: number;
  monitored_servers: number;
  monitored_workstations: number;
  version: number;
  changed_by: number | null;
  changed_at: Date | null;
  checked: number;
  open_sum: number;
  assigned_sum: number;
  investigating_sum: number;
  malicious_sum: number;
}

interface InputsQuery {
  now: number;
  /** Excludes cases opened later. */
  before?: number;
  /** True when one organisation is requested, of any kind; otherwise only monitored ones count. */
  isOne?: boolean;
}

/**
 * Current score inputs per organisation. Until totals are entered, known devices count as all; duplicates count as the device they were merged
 * into. An escalated case is still under investigation and weighs as such.
 */
export async function listInputs(tx: Tx, scope: Scope, query: InputsQuery): Promise<ClientInputs[]> {
  const counted = (type: string, condition = sql`true`) =>
    sql`count(*) filter (where d.device_type = ${type} and ${condition})::integer`;
  const reports = sql`${stateAt(new Date(query.now))} = 'reporting'`;
  const weighed = (...statuses: string[]) =>
    sql`round(coalesce(sum(c.score) filter (where c.status = any(${statuses}::text[])), 0)::numeric, 2)::float8`;
  const { rows } = await sql<InputRow>`
    with device as (
      select d.organisation_id, ${counted('server')} as servers, ${counted('workstation')} as workstations,
        ${counted('server', reports)} as monitored_servers, ${counted('workstation', reports)} as monitored_workstations
      from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null and d.device_type in ('server', 'workstation') group by 1
    ), weight as (
      select c.organisation_id, ${weighed('open')} as open_sum, ${weighed('assigned')} as assigned_sum,
        ${weighed('investigating', 'escalated')} as investigating_sum, ${weighed('malicious')} as malicious_sum
      from cases c where ${within('c.organisation_id', scope)} and c.closed_at is null
        ${query.before === undefined ? sql`` : sql`and c.created_at < ${new Date(query.before)}`} group by 1
    ), done as (
      select p.organisation_id, count(*) filter (where p.is_checked)::integer as checked, max(p.changed_at) as changed_at
      from risk_practices p where ${within('p.organisation_id', scope)} and p.practice = any(${practiceIds}::text[]) group by 1
    )
    select o.id, left(o.name, 200) as name, o.industry,
      coalesce(r.total_servers, device.servers, 0) as total_servers, coalesce(r.total_workstations, device.workstations, 0) as total_workstations,
      coalesce(device.monitored_servers, 0) as monitored_servers, coalesce(device.monitored_workstations, 0) as monitored_workstations,
      coalesce(r.version, 0) as version, r.changed_by, greatest(r.changed_at, done.changed_at) as changed_at, coalesce(done.checked, 0) as checked,
      coalesce(open_sum, 0) as open_sum, coalesce(assigned_sum, 0) as assigned_sum,
      coalesce(investigating_sum, 0) as investigating_sum, coalesce(malicious_sum, 0) as malicious_sum
    from organisations o left join device on device.organisation_id = o.id left join weight on weight.organisation_id = o.id
      left join done on done.organisation_id = o.id left join risk_devices r on r.organisation_id = o.id
    where ${within('o.id', scope)}
      ${query.isOne ? sql`` : sql`and o.deactivated_at is null and (not o.is_partner or device.organisation_id is not null or weight.organisation_id is not null)`}
    order by o.id`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    industry: row.industry.trim(),
    version: row.version,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
    ...inputsOf(row),
    practices: practiceIds.length,
  }));
}

const inputsOf = (row: Omit<InputRow, 'id' | 'name' | 'industry' | 'version' | 'changed_by' | 'changed_at'>) => ({
  devices: {
    totalServers: row.total_servers,
    totalWorkstations: row.total_workstations,
    monitoredServers: row.monitored_servers,
    monitoredWorkstations: row.monitored_workstations,
  },
  checked: row.checked,
  cases: {
    open: row.open_sum,
    assigned: row.assigned_sum,
    investigating: row.investigating_sum,
    malicious: row.malicious_sum,
  },
});

/** Number of organisations in scope that implement each practice. */
export async function countChecked(tx: Tx, scope: Scope, ids: readonly number[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx
    .selectFrom('risk_practices')
    .select(({ fn }) => ['practice', fn.countAll<number>().as('count')])
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', sql<number>`any(${[...ids]}::integer[])`)
    .where('is_checked', '=', true)
    .groupBy('practice')
    .execute();
  return new Map(rows.map(({ practice, count }) => [practice, count]));
}

/** Returns false when the totals are not at `version`. */
export async function updateTotals(
  tx: Tx,
  organisationId: number,
  totals: { totalServers: number; totalWorkstations: number },
  { version, userId, now }: { version: number; userId: number; now: number },
): Promise<boolean> {
  const values = {
    total_servers: totals.totalServers,
    total_workstations: totals.totalWorkstations,
    changed_by: userId,
    changed_at: new Date(now),
  };
  const written =
    version === 0
      ? await tx
          .insertInto('risk_devices')
          .values({ organisation_id: organisationId, ...values })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
      : await tx
          .updateTable('risk_devices')
          .set({ ...values, version: version + 1 })
          .where('organisation_id', '=', organisationId)
          .where('version', '=', version)
          .executeTakeFirst();
  return ('numUpdatedRows' in written ? written.numUpdatedRows : (written.numInsertedOrUpdatedRows ?? 0n)) > 0n;
}

/** Returns the changed practices in their previous state. */
export async function updatePractices(
  tx: Tx,
  organisationId: number,
  wanted: ReadonlyMap<string, boolean>,
  { userId, now }: { userId: number; now: number },
): Promise<{ id: string; isChecked: boolean }[]> {
  const rows = [...wanted].map(([id, is]) => ({ id, is }));
  const { rows: changed } = await sql<{ id: string; was: boolean }>`
    with wanted as (select id, "is" from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (id text, "is" boolean)),
    before as (select w.id, w.is, coalesce(p.is_checked, false) as was from wanted w
      left join risk_practices p on p.organisation_id = ${organisationId} and p.practice = w.id),
    written as (
      insert into risk_practices (organisation_id, practice, is_checked, changed_by, changed_at)
      select ${organisationId}, id, "is", ${userId}, ${new Date(now)} from before where was <> "is" order by id
      on conflict (organisation_id, practice) do update
        set is_checked = excluded.is_checked, changed_by = excluded.changed_by, changed_at = excluded.changed_at
    )
    select id, was from before where was <> "is" order by id`.execute(tx);
  return changed.map(({ id, was }) => ({ id, isChecked: was }));
}

export interface Snapshot extends RiskComponents {
  riskScore: number;
}
type Summed = Omit<InputRow, 'id' | 'name' | 'industry' | 'version' | 'changed_by' | 'changed_at'> & { practices: number };

/** Sums over several organisations’ snapshots; a single one unchanged. */
const sums = sql`count(*)::integer as n, max(s.risk_score) as risk_score, max(s.device_score) as device_score,
  max(s.practice_score) as practice_score, max(s.case_score) as case_score,
  sum(s.total_servers)::float8 as total_servers, sum(s.total_workstations)::float8 as total_workstations,
  sum(s.monitored_servers)::float8 as monitored_servers, sum(s.monitored_workstations)::float8 as monitored_workstations,
  sum(s.checked)::float8 as checked, sum(s.practices)::float8 as practices, sum(s.open_sum) as open_sum, sum(s.assigned_sum) as assigned_sum,
  sum(s.investigating_sum) as investigating_sum, sum(s.malicious_sum) as malicious_sum`;

type SumRow = Summed & { n: number; risk_score: number; device_score: number; practice_score: number; case_score: number };

function snapshotOf(row: SumRow): Snapshot {
  if (row.n === 1)
    return {
      riskScore: row.risk_score,
      deviceScore: row.device_score,
      practiceScore: row.practice_score,
      caseScore: row.case_score,
    };
  const { tempScore, ...parts } = riskOf({ ...inputsOf(row), practices: row.practices });
  return { riskScore: tempScore, ...parts };
}

/** UTC days the range touches, oldest first. */
export async function listSnapshots(
  tx: Tx,
  scope: Scope,
  range: Range,
  limit: number,
): Promise<{ results: (Snapshot & { date: string })[]; total: number }> {
  const { rows } = await sql<SumRow & { date: string; days: number }>`
    select s.day::text as date, count(*) over ()::integer as days, ${sums} from risk_snapshots s
    where ${within('s.organisation_id', scope)} and s.day >= ${dateOf(floorTo('day', range.start))}::date
      and s.day <= ${dateOf(range.end - 1)}::date
    group by 1 order by 1 desc limit ${limit}`.execute(tx);
  return {
    results: rows.map((row) => ({ date: row.date, ...snapshotOf(row) })).reverse(),
    total: rows[0]?.days ?? 0,
  };
}

/** Latest snapshot of each of these organisations, by id. */
export async function listNewest(
  tx: Tx,
  scope: Scope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RiskInputs & Snapshot>> {
  const { rows } = await sql<SumRow & { id: number }>`
    select o.id, 1 as n, s.* from unnest(${[...ids]}::integer[]) as o (id) cross join lateral (
      select * from risk_snapshots s where s.organisation_id = o.id and ${within('s.organisation_id', scope)} order by s.day desc limit 1
    ) s`.execute(tx);
  return new Map(rows.map((row) => [row.id, { ...inputsOf(row), practices: row.practices, ...snapshotOf(row) }]));
}

/** Score of several snapshots. */
export const scoreTogether = (snapshots: readonly (RiskInputs & Snapshot)[]): number | null =>
  snapshots.length === 0 ? null : snapshots.length === 1 ? snapshots[0]!.riskScore : riskOf(sumInputs(snapshots)).tempScore;
