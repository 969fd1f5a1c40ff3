/** SQL of the feeds. They belong to the installation: readable and writable in system scope only. */
import type { FeedKind } from '@parapet/contract/advisoryFeeds.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

export interface FeedRow {
  kind: FeedKind;
  url: string;
  isOn: boolean;
  failures: number;
  error: string | null;
  errorAt: Date | null;
  readAt: Date | null;
  nextAt: Date;
  entries: number;
  newestAt: Date | null;
}

export async function listFeeds(tx: Tx): Promise<FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select f.kind, f.url, f.is_on as "isOn", f.failures, f.error, f.error_at as "errorAt", f.read_at as "readAt", f.next_at as "nextAt",
      coalesce(s.count, 0) as entries, s.newest_at as "newestAt"
    from advisory_feeds f left join advisory_sources s on s.kind = f.kind order by f.kind`.execute(tx);
  return rows;
}

/** Locks the feed. */
export const getForChange = (tx: Tx, kind: FeedKind) =>
  tx.selectFrom('advisory_feeds').select(['url', 'is_on as isOn']).where('kind', '=', kind).forUpdate().executeTakeFirstOrThrow();

/** A changed feed starts over: what was read from another address counts no more. */
export async function updateFeed(
  tx: Tx,
  kind: FeedKind,
  { url, isOn }: { url: string; isOn: boolean },
  now: Date,
): Promise<void> {
  await sql`
    update advisory_feeds set is_on = ${isOn}, url = ${url}, failures = 0, error = null, error_at = null, next_at = ${now}, leased_until = null,
      read_at = case when url = ${url} then read_at end, digest = case when url = ${url} then digest end
    where kind = ${kind}`.execute(tx);
}

export interface Claimed {
  kind: FeedKind;
  url: string;
  failures: number;
  digest: Buffer | null;
}

/** Leases a feed that is due; undefined when none is. */
export async function claimFeed(tx: Tx, now: Date, until: Date): Promise<Claimed | undefined> {
  const { rows } = await sql<Claimed>`
    update advisory_feeds set leased_until = ${until} where kind = (
      select kind from advisory_feeds
      where is_on and next_at <= ${now} and (leased_until is null or leased_until < ${now}) and not (select is_paused())
      order by next_at limit 1 for update skip locked)
    returning kind, url, failures, digest`.execute(tx);
  return rows[0];
}

export interface Outcome {
  nextAt: Date;
  at: Date;
  failures: number;
  /** Null after a success. */
  error: string | null;
  digest?: Buffer;
}

/** Ends the lease. Does nothing where a person changed or paused the feed since. */
export async function saveOutcome(
  tx: Tx,
  { kind, url }: Claimed,
  { nextAt, at, failures, error, digest }: Outcome,
): Promise<void> {
  await tx
    .updateTable('advisory_feeds')
    .set({
      next_at: nextAt,
      leased_until: null,
      failures,
      error,
      error_at: error === null ? null : at,
      ...(error === null && { read_at: at }),
      ...(digest && { digest }),
    })
    .where('kind', '=', kind)
    .where('url', '=', url)
    .where('is_on', '=', true)
    .where('leased_until', 'is not', null)
    .execute();
}
