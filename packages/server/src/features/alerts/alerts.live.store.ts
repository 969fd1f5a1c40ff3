/** SQL of the live stream: alerts by id, and those that a reader missed. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { readRows, type StoredRow } from './alerts.rows.ts';

const maxMissed = 500;
/** Transactions commit in another order than their alerts’ ids were assigned; none takes longer than this. */
const overlapMs = 30_000;
/** Ids that the overlap covers at least, and ids scanned at most after a long break. */
const overlapIds = 5_000;
const maxLookedThrough = 200_000;

export interface Cursor {
  /** The newest assigned id. */
  newest: number;
  /** The reader’s newest id; undefined when there is nothing to catch up. */
  after: number | undefined;
  /** Time at which that one was raised. */
  raisedAt: Date | undefined;
}

/**
 * Locates a reader’s cursor. Reads across tenants, because the id may belong to another’s alert; only its time is read, and
 * that never leaves the server.
 */
export async function findCursor(tx: Tx, after: number | undefined): Promise<Cursor> {
  const { rows } = await sql<{ newest: number | null; raisedAt: Date | null }>`
    select pg_sequence_last_value('alert_ids'::regclass) as newest,
      ${after === undefined ? sql`null::timestamptz` : sql`(select raised_at from alerts where id <= ${after} order by id desc limit 1)`} as "raisedAt"`.execute(
    tx,
  );
  return { newest: rows[0]?.newest ?? 0, after, raisedAt: rows[0]?.raisedAt ?? undefined };
}

export const listByIds = (tx: Tx, scope: Scope, ids: readonly number[]): Promise<StoredRow[]> =>
  readRows(
    tx,
    scope,
    sql`select a.* from alerts a where a.id = any(${[...ids]}::integer[]) and ${within('a.organisation_id', scope)} order by a.id`,
  );

/** Alerts raised or repeated since shortly before the cursor: the newest 500, oldest first. */
export async function listSince(tx: Tx, scope: Scope, { newest, after, raisedAt }: Cursor): Promise<StoredRow[]> {
  if (after === undefined || raisedAt === undefined) return [];
  const since = new Date(raisedAt.getTime() - overlapMs);
  const firstId = Math.max(after - overlapIds, newest - maxLookedThrough);
  const { rows } = await sql<{ id: number }>`
    (select id from alerts where id > ${firstId} and ${within('organisation_id', scope)} and raised_at > ${since} order by id desc limit ${maxMissed})
    union
    (select alert_id from alert_folds where ${within('organisation_id', scope)} and last_at > ${since} order by last_at desc limit ${maxMissed})
    order by id desc limit ${maxMissed}`.execute(tx);
  return rows.length === 0
    ? []
    : listByIds(
        tx,
        scope,
        rows.map((row) => row.id),
      );
}
