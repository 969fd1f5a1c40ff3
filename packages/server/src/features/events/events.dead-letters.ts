/** SQL of dead letters, along each organisation’s index of arrival, newest first. */
import type { DeadLetter } from '@parapet/contract/events.ts';
import { type RawBuilder, sql } from 'kysely';
import { storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import type { Range } from '../../domain/ranges.ts';

const maxReasons = 50;

/** Reads along each organisation’s index, so that no more rows are read than shown. */
function newestIn(
  scope: Scope,
  { start, end }: Range,
  conditions: readonly RawBuilder<boolean>[],
  limit: number,
): RawBuilder<unknown> {
  const ids = scope === 'system' ? [] : [...scope.organisationIds];
  const order = sql`order by d.received_at desc, d.id desc limit ${limit}`;
  return sql`select d.* from unnest(${ids}::integer[]) h (organisation_id) cross join lateral (
      select d.* from dead_letters d where ${sql.join(
        [
          sql`d.organisation_id = h.organisation_id and d.received_at >= ${new Date(start)} and d.received_at < ${new Date(end)}`,
          ...conditions,
        ],
        sql` and `,
      )} ${order}
    ) d ${order}`;
}

export interface DeadLetterQuery {
  range: Range;
  /** Of the query in the address. */
  rows: QueryRows | undefined;
  /** Empty: any. */
  reasons: readonly string[];
  limit: number;
  before: { at: number; id: string | undefined } | undefined;
}

export async function listDeadLetters(
  tx: Tx,
  scope: Scope,
  { range, rows: among, reasons, limit, before }: DeadLetterQuery,
): Promise<DeadLetter[]> {
  const conditions = [
    ...isAmong('d', among),
    ...(reasons.length === 0 ? [] : [sql<boolean>`d.reason = any(${reasons.map(storable)}::text[])`]),
    ...(before === undefined
      ? []
      : before.id === undefined
        ? [sql<boolean>`d.received_at < ${new Date(before.at)}`]
        : [sql<boolean>`(d.received_at, d.id) < (${new Date(before.at)}, ${before.id}::bigint)`]),
  ];
  const { rows } = await sql<Omit<DeadLetter, 'receivedAt'> & { receivedAt: Date }>`
    select d.id::text, d.organisation_id as "clientOrganizationID", (select left(name, 200) from organisations where id = d.organisation_id) as "clientOrganizationName",
      d.received_at as "receivedAt", left(d.step, 100) as step, left(d.reason, 100) as reason, left(d.raw, 2000) as raw, length(d.raw) as length
    from (${newestIn(scope, range, conditions, limit)}) d order by d.received_at desc, d.id desc`.execute(tx);
  return rows.map((row) => ({ ...row, receivedAt: row.receivedAt.toISOString() }));
}

/** By reason, the most frequent first; of the newest `limit` and one more. */
export async function countDeadLetters(
  tx: Tx,
  scope: Scope,
  { range, rows: among }: Pick<DeadLetterQuery, 'range' | 'rows'>,
  limit: number,
): Promise<{ reason: string; count: number }[]> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select left(d.reason, 100) as reason, count(*)::integer as count from (${newestIn(scope, range, isAmong('d', among), limit + 1)}) d
    group by 1 order by 2 desc, 1 limit ${maxReasons}`.execute(tx);
  return rows;
}
