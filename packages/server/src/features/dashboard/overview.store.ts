/** SQL of the dashboard’s lists: open cases by age, top entities with the previous period, reporting devices, client comparison. */
import type { dashboardApi } from '@parapet/contract/dashboard.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { type Figure, figureRows, type Horizon, listCounts, type Narrowing, piecesOf } from '../../domain/figures.ts';
import { dateOf, floorTo, type Range } from '../../domain/ranges.ts';
import { listRules } from '../../domain/rules.ts';

type Overview = AnswerOf<typeof dashboardApi.overview>;
type Top = Overview['topRules'][number];
type ClientRow = AnswerOf<typeof dashboardApi.clients>['results'][number];

const topLimit = 10;
export const sparkDays = 14;
const maxClients = 2_000;

/** Five rows, most critical first. Each age range starts where the previous one ends. */
export async function listOpenCases(tx: Tx, scope: Scope, now: number): Promise<Overview['openCases']> {
  const opened = (from: number | undefined, to: number | undefined) => sql`count(*) filter (where
    ${from === undefined ? sql`true` : sql`c.created_at >= ${new Date(now - from * dayMs)}`}
    and ${to === undefined ? sql`true` : sql`c.created_at < ${new Date(now - to * dayMs)}`})`;
  const { rows } = await sql<Overview['openCases'][number]>`
    select c.criticality, ${opened(1, undefined)} as "upTo1Day", ${opened(7, 1)} as "upTo7Days", ${opened(30, 7)} as "upTo30Days",
      ${opened(undefined, 30)} as older
    from cases c where ${within('c.organisation_id', scope)} and c.closed_at is null group by 1`.execute(tx);
  return [5, 4, 3, 2, 1].map(
    (criticality) =>
      rows.find((row) => row.criticality === criticality) ?? {
        criticality,
        upTo1Day: 0,
        upTo7Days: 0,
        upTo30Days: 0,
        older: 0,
      },
  );
}

export interface TopQuery {
  range: Range;
  before: Range;
  horizon: Horizon;
}

async function listTop<K extends string | number>(
  tx: Tx,
  scope: Scope,
  figure: Figure,
  { range, before, horizon }: TopQuery,
  narrowedTo: (keys: K[]) => Narrowing,
): Promise<{ key: K; count: number; before: number }[]> {
  const top = await listCounts<K>(tx, scope, figure, range, horizon, { limit: topLimit });
  if (top.length === 0) return [];
  const narrowing = narrowedTo(top.map(({ key }) => key));
  const earlier = new Map(
    (await listCounts<K>(tx, scope, figure, before, horizon, { narrowing })).map(({ key, count }) => [key, count]),
  );
  return top.map((each) => ({ ...each, before: earlier.get(each.key) ?? 0 }));
}

const line = (text: string): string => text.slice(0, 2_000);
const named = (tops: readonly { key: string; count: number; before: number }[]): Top[] =>
  tops.map((each) => ({ ...each, key: line(each.key), name: line(each.key) }));

export async function listTops(
  tx: Tx,
  scope: Scope,
  query: TopQuery,
): Promise<Pick<Overview, 'topRules' | 'topDevices' | 'topUsers'>> {
  const rules = await listTop<number>(tx, scope, 'rule', query, (ruleIds) => ({ ruleIds }));
  const devices = await listTop<string>(tx, scope, 'device', query, (devices) => ({ devices }));
  const users = await listTop<string>(tx, scope, 'user', query, (users) => ({ users }));
  const facts = new Map(
    (
      await listRules(
        tx,
        rules.map(({ key }) => key),
      )
    ).map((rule) => [rule.id, rule]),
  );
  return {
    topRules: rules.flatMap(({ key, ...counts }) => {
      const rule = facts.get(key);
      return rule ? [{ key: rule.key, name: line(rule.title), ...counts }] : [];
    }),
    topDevices: named(devices),
    topUsers: named(users),
  };
}

/** In the order of device types; duplicates count as the device they were merged into. */
export async function listReporting(tx: Tx, scope: Scope, now: number): Promise<Overview['reporting']> {
  const { rows } = await sql<{ type: DeviceType; total: number; reporting: number }>`
    select d.device_type as type, count(*) as total, count(*) filter (where ${stateAt(new Date(now))} = 'reporting') as reporting
    from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null group by 1`.execute(tx);
  return deviceTypes.map((deviceType) => {
    const row = rows.find(({ type }) => type === deviceType);
    return { deviceType, total: row?.total ?? 0, reporting: row?.reporting ?? 0 };
  });
}

/** Worst first: by malicious cases, open cases, alerts. Partners appear when they have data of their own. */
export async function listClients(
  tx: Tx,
  scope: Scope,
  { range, before, horizon }: TopQuery,
): Promise<{ results: ClientRow[]; total: number }> {
  const { now } = horizon;
  const alertsOf = (over: Range) => sql`(select organisation_id, sum(n) as n from
    (${figureRows('severity', scope, piecesOf('severity', over, horizon), { isKeyed: false, isByOrganisation: true })}) f group by 1)`;
  const today = floorTo('day', now);
  const { rows } = await sql<
    Omit<ClientRow, 'oldestOpenTime' | 'tempScore' | 'spark'> & {
      oldest: Date | null;
      total: number;
      /** Days ago → alerts. */
      days: Record<string, number> | null;
    }
  >`
    with open as (
      select c.organisation_id, count(*) as cases, count(*) filter (where c.status = 'malicious') as malicious, min(c.created_at) as oldest
      from cases c where ${within('c.organisation_id', scope)} and c.closed_at is null group by 1
    ), device as (
      select d.organisation_id, count(*) as devices, count(*) filter (where ${stateAt(new Date(now))} = 'reporting') as reporting
      from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null group by 1
    ), spark as (
      select organisation_id, json_object_agg(ago, n) as days from (
        select organisation_id, ${dateOf(today)}::date - day as ago, sum(count) as n from rollup_day_severity
        where ${within('organisation_id', scope)} and day > ${dateOf(today - sparkDays * dayMs)}::date and day <= ${dateOf(today)}::date group by 1, 2
      ) d group by 1
    ), page as (
      select o.id, left(o.name, 200) as name, open.cases, open.malicious, open.oldest, greatest(a.n, 0) as alerts, greatest(b.n, 0) as before,
        device.reporting, device.devices, spark.days, count(*) over () as total
      from organisations o left join open on open.organisation_id = o.id left join device on device.organisation_id = o.id left join spark on spark.organisation_id = o.id
        left join ${alertsOf(range)} a on a.organisation_id = o.id left join ${alertsOf(before)} b on b.organisation_id = o.id
      where ${within('o.id', scope)} and o.deactivated_at is null
        and (not o.is_partner or open.cases > 0 or device.devices > 0 or a.n > 0)
      order by coalesce(open.malicious, 0) desc, coalesce(open.cases, 0) desc, coalesce(a.n, 0) desc, o.id limit ${maxClients}
    )
    select id as "clientOrganizationID", name as "clientOrganizationName", coalesce(cases, 0)::bigint as "openCases",
      coalesce(malicious, 0)::bigint as malicious, oldest, coalesce(alerts, 0)::bigint as alerts, coalesce(before, 0)::bigint as before,
      coalesce(reporting, 0)::bigint as reporting, coalesce(devices, 0)::bigint as devices, total, days
    from page order by coalesce(malicious, 0) desc, coalesce(cases, 0) desc, coalesce(alerts, 0) desc, id`.execute(tx);
  return {
    results: rows.map(({ oldest, total: _total, days, ...row }) => ({
      ...row,
      spark: Array.from({ length: sparkDays }, (_, index) => days?.[sparkDays - 1 - index] ?? 0),
      oldestOpenTime: oldest?.toISOString() ?? null,
      tempScore: null,
    })),
    total: rows[0]?.total ?? 0,
  };
}
