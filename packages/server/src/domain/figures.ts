/**
 * Alert counts of a range by severity, rule, device or user, from rollups, and from the alerts themselves at the edges. Read in the scope of the
 * transaction, like every store.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import { namesOfShown } from './identities.ts';
import { dateOf, floorTo, next, type Piece, type Range, splitRange, type Unit } from './ranges.ts';

export type Figure = 'severity' | 'newSeverity' | 'rule' | 'device' | 'user';

interface Source {
  /** The rollups, the longest unit first. */
  units: readonly Unit[];
  table: Partial<Record<Unit, string>>;
  key: string;
  measure: string;
  /** Condition on alerts at the edges of a range. */
  counts: RawBuilder<boolean>;
}

const all = sql<boolean>`true`;
const sources: Record<Figure, Source> = {
  severity: {
    units: ['month', 'day', 'hour'],
    table: { month: 'rollup_month_severity', day: 'rollup_day_severity', hour: 'rollup_hour_severity' },
    key: 'criticality',
    measure: 'count',
    counts: all,
  },
  newSeverity: {
    units: ['day'],
    table: { day: 'rollup_day_severity' },
    key: 'criticality',
    measure: 'new_count',
    counts: sql`is_new`,
  },
  rule: {
    units: ['month', 'day'],
    table: { month: 'rollup_month_rule', day: 'rollup_day_rule' },
    key: 'rule_id',
    measure: 'count',
    counts: all,
  },
  device: {
    units: ['month', 'day'],
    table: { month: 'rollup_month_device', day: 'rollup_day_device' },
    key: 'device_name',
    measure: 'count',
    counts: sql`device_name is not null`,
  },
  user: {
    units: ['month', 'day'],
    table: { month: 'rollup_month_user', day: 'rollup_day_user' },
    key: 'user_name',
    measure: 'count',
    counts: sql`user_name is not null`,
  },
};

/** Bounds of the data: the present, and the first month that has alerts. */
export interface Horizon {
  now: number;
  /** Undefined where the range starts well after it. */
  firstMonth?: number;
}

/** Days of rules are kept for two months; retention drops them by its own clock, so the last one is not counted on. */
const ruleRetentionDays = 61;

// Beyond these there is nothing, and no date that PostgreSQL and JavaScript write alike.
const firstInstant = 0;
const lastInstant = Date.UTC(9999, 0, 1);

export function piecesOf(figure: Figure, { start, end }: Range, { now, firstMonth }: Horizon): Piece[] {
  const range = { start: Math.max(start, firstInstant), end: Math.min(end, lastInstant) };
  return splitRange(range, {
    units: sources[figure].units,
    now,
    since: {
      ...(figure === 'rule' && { day: floorTo('day', now) - ruleRetentionDays * dayMs }),
      // Hours are dropped at the very age of retention, alerts with their whole month.
      ...(firstMonth !== undefined && { hour: next('month', firstMonth) }),
    },
  });
}

export interface Narrowing {
  criticalities?: readonly number[];
  ruleIds?: readonly number[];
  devices?: readonly string[];
  /** As counts name them: by one of the joined names. */
  users?: readonly string[];
}

function narrowed({ criticalities, ruleIds, devices, users }: Narrowing): RawBuilder<boolean> {
  const conditions = [
    ...(criticalities ? [sql<boolean>`criticality = any(${[...criticalities]}::smallint[])`] : []),
    ...(ruleIds ? [sql<boolean>`rule_id = any(${[...ruleIds]}::integer[])`] : []),
    ...(devices ? [sql<boolean>`device_name = any(${[...devices]}::text[])`] : []),
    ...(users ? [sql<boolean>`user_name = any(${namesOfShown(users)})`] : []),
  ];
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : all;
}

/** Conditions of all pieces of one unit, and which of its rows are subtracted. */
function joinedPieces(pieces: readonly Piece[], column: string): { covered: RawBuilder<boolean>; sign: RawBuilder<number> } {
  const bound = (at: number) => (column === 'day' || column === 'month' ? sql`${dateOf(at)}::date` : sql`${new Date(at)}`);
  const between = ({ from, to }: Piece) =>
    sql<boolean>`(${sql.ref(column)} >= ${bound(from)} and ${sql.ref(column)} < ${bound(to)})`;
  const either = (some: readonly Piece[]) => sql<boolean>`(${sql.join(some.map(between), sql` or `)})`;
  const added = pieces.filter((piece) => piece.sign === 1);
  const isMixed = added.length > 0 && added.length < pieces.length;
  const sign = isMixed
    ? sql<number>`case when ${either(added)} then 1 else -1 end`
    : sql<number>`${sql.lit(added.length > 0 ? 1 : -1)}`;
  return { covered: either(pieces), sign };
}

interface RowOptions {
  narrowing?: Narrowing;
  /** `key` for each row; else only numbers. */
  isKeyed?: boolean;
  /** `organisation_id` for each row too. */
  isByOrganisation?: boolean;
}

/** Fewer organisations than these are added up at once. */
const manyOrganisations = 20;
const isOfMany = (scope: Scope): boolean => scope === 'system' || scope.organisationIds.length >= manyOrganisations;
/** Totals of all organisations (migration 0014). PostgreSQL shows them only to readers of every organisation, whose queries then read no single one’s. */
const totalsOfRules = ['rollup_month_rule_total', 'rollup_month_rule_news'];

/** A query whose rows' `n`, by `key`, add up to the figure. */
export function figureRows(
  figure: Figure,
  scope: Scope,
  pieces: readonly Piece[],
  options: RowOptions = {},
): RawBuilder<unknown> {
  const { table, key, measure, counts } = sources[figure];
  const { narrowing = {}, isKeyed = true, isByOrganisation = false } = options;
  const grouping = [...(isByOrganisation ? [sql.ref('organisation_id')] : []), ...(isKeyed ? [sql.ref(key)] : [])];
  const named = [...(isByOrganisation ? [sql`organisation_id`] : []), ...(isKeyed ? [sql`${sql.ref(key)} as key`] : [])];
  const select = (n: RawBuilder<unknown>) => sql.join([...named, sql`${n} as n`]);
  const parts: RawBuilder<unknown>[] = [];
  for (const unit of ['month', 'day', 'hour'] as const) {
    const ofUnit = pieces.filter((piece) => piece.unit === unit);
    if (ofUnit.length === 0) continue;
    const { covered, sign } = joinedPieces(ofUnit, unit);
    const hasTotals = figure === 'rule' && unit === 'month' && !isByOrganisation && isOfMany(scope);
    for (const totals of hasTotals ? totalsOfRules : [])
      parts.push(sql`select ${select(sql`${sign} * ${sql.ref(measure)}`)} from ${sql.table(totals)}
        where (select app_sees_everything()) and ${covered} and ${narrowed(narrowing)}`);
    parts.push(sql`select ${select(sql`${sign} * ${sql.ref(measure)}`)} from ${sql.table(table[unit]!)}
      where ${hasTotals ? sql`not (select app_sees_everything()) and ` : sql``}${within('organisation_id', scope)} and ${covered} and ${narrowed(narrowing)}`);
  }
  // One query per piece: the planner prunes months only for a plain range.
  for (const piece of pieces.filter(({ unit }) => unit === 'edge')) {
    const { covered, sign } = joinedPieces([piece], 'at');
    parts.push(sql`select ${select(sql`${sign} * count(*)::integer`)} from alerts
      where ${within('organisation_id', scope)} and ${covered} and ${counts} and ${narrowed(narrowing)}
      ${grouping.length > 0 ? sql`group by ${sql.join(grouping)}` : sql``}`);
  }
  if (parts.length === 0) return sql`select null::integer as organisation_id, null as key, 0 as n where false`;
  return sql.join(parts, sql` union all `);
}

/** One number, as an expression within another query. */
export const figureSum = (
  figure: Figure,
  scope: Scope,
  range: Range,
  horizon: Horizon,
  narrowing: Narrowing = {},
): RawBuilder<number> =>
  sql<number>`(select coalesce(sum(n), 0) from (${figureRows(figure, scope, piecesOf(figure, range, horizon), { narrowing, isKeyed: false })}) f)::bigint`;

export interface Counted<K> {
  key: K;
  count: number;
}

/** By key, the most frequent first, then by key. Keys without alerts are left out; joined user names are one key. */
export async function listCounts<K extends string | number>(
  tx: Tx,
  scope: Scope,
  figure: Figure,
  range: Range,
  horizon: Horizon,
  options: RowOptions & { limit?: number } = {},
): Promise<Counted<K>[]> {
  const pieces = piecesOf(figure, range, horizon);
  const isOfUsers = figure === 'user';
  const rowsOf = figureRows(figure, scope, pieces, isOfUsers ? { ...options, isByOrganisation: true } : options);
  const source = isOfUsers
    ? sql`(select coalesce(i.shown_name, u.key) as key, u.n from (${rowsOf}) u
        left join identity_names i on i.organisation_id = u.organisation_id and i.user_name = u.key)`
    : sql`(${rowsOf})`;
  const { rows } = await sql<Counted<K>>`
    select key, sum(n)::bigint as count from ${source} f
    group by key having sum(n) > 0 order by count desc, key limit ${options.limit ?? 100_000}`.execute(tx);
  return rows;
}

/** Retention keeps at least this much, so a range within it needs no look at what was dropped. */
const surelyKeptMs = 27 * dayMs;

/** A list reaches back no further than alerts are kept; figures of dropped months would promise rows that are gone. */
export async function retainedRange(tx: Tx, range: Range, now: number): Promise<{ range: Range; horizon: Horizon }> {
  if (range.start >= now - surelyKeptMs) return { range, horizon: { now } };
  const firstMonth = (await findFirstMonth(tx)) ?? range.end;
  return { range: { ...range, start: Math.max(range.start, firstMonth) }, horizon: { now, firstMonth } };
}

/** Since when there are alerts at all; figures of dropped months must not be promised to a list. */
export async function findFirstMonth(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ name: string | null }>`
    select min(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'alerts'::regclass`.execute(tx);
  const [, year, month] = /_(\d{4})_(\d{2})$/.exec(rows[0]?.name ?? '') ?? [];
  return year && month ? Date.UTC(Number(year), Number(month) - 1, 1) : undefined;
}
