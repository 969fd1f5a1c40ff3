/** SQL of the worker: which connections are due, and what a pull leaves behind. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { syslogKind } from './syslog.kind.ts';

export interface Claimed {
  id: number;
  organisationId: number;
  kind: string;
  name: string;
  account: string;
  settings: Record<string, string>;
  secrets: Buffer;
  cursor: string | null;
  version: number;
  failures: number;
  lastEventAt: Date | null;
  inventoryAt: Date | null;
  pulledAt: Date | null;
  consentedAt: Date | null;
}

/** Connections that are due, one of each organisation first, so that many connections of one delay no other. */
export async function listDue(tx: Tx, now: Date, limit: number): Promise<{ id: number; organisationId: number }[]> {
  const { rows } = await sql<{ id: number; organisationId: number }>`
    select id, organisation_id as "organisationId" from (
      select c.id, c.organisation_id, c.next_at, row_number() over (partition by c.organisation_id order by c.next_at, c.id) as turn
      from connections c join organisations o on o.id = c.organisation_id left join organisations p on p.id = o.parent_id
      where c.state = 'active' and c.kind <> ${syslogKind} and (select not is_paused()) and c.next_at <= ${now} and (c.leased_until is null or c.leased_until < ${now})
        and o.deactivated_at is null and p.deactivated_at is null
    ) due order by turn, next_at, id limit ${limit}`.execute(tx);
  return rows;
}

/** Leases those of some connections that are still due; others are another worker's. */
export async function claim(tx: Tx, ids: readonly number[], now: Date, until: Date): Promise<Claimed[]> {
  return tx
    .updateTable('connections')
    .set({ leased_until: until, version: sql<number>`version + 1` })
    .where(sql<boolean>`id = any(${integerColumn(ids)})`)
    .where('state', '=', 'active')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<', now)]))
    .returning([
      'id',
      'organisation_id as organisationId',
      'kind',
      'name',
      'account',
      'settings',
      'secrets',
      'cursor',
      'version',
      'failures',
      'last_event_at as lastEventAt',
      'inventory_at as inventoryAt',
      'pulled_at as pulledAt',
      'consented_at as consentedAt',
    ])
    .execute();
}

/** Gives back connections that were leased and not pulled. */
export async function release(tx: Tx, claimed: readonly Pick<Claimed, 'id' | 'version'>[]): Promise<void> {
  for (const { id, version } of claimed)
    await tx.updateTable('connections').set({ leased_until: null }).where('id', '=', id).where('version', '=', version).execute();
}

/** Of a pull: the connection as it was claimed, and how it goes on. */
export interface Progress {
  id: number;
  organisationId: number;
  version: number;
  now: Date;
  cursor: string;
  lastEventAt: Date | null;
  lagMs: number;
  /** Shown as the connection's error, though it goes on. */
  warning: string | null;
  stored: number;
  /** Undefined while the turn goes on; then the lease is extended. */
  nextAt: Date | undefined;
  leasedUntil: Date;
}

/** Returns false when the connection was changed, removed or taken over since; nothing must be committed then. */
export async function saveProgress(tx: Tx, progress: Progress): Promise<boolean> {
  const { id, organisationId, version, now, nextAt, stored } = progress;
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({
      cursor: progress.cursor,
      version: version + 1,
      pulled_at: now,
      last_event_at: progress.lastEventAt,
      lag_ms: Math.round(progress.lagMs),
      failures: 0,
      limited_until: null,
      error: progress.warning,
      error_at: progress.warning === null ? null : now,
      leased_until: nextAt ? null : progress.leasedUntil,
      ...(nextAt && { next_at: nextAt }),
    })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (stored > 0) {
    const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
    await tx
      .insertInto('connection_hours')
      .values({ organisation_id: organisationId, connection_id: id, hour, events: stored })
      .onConflict((conflict) =>
        conflict
          .columns(['connection_id', 'hour'])
          .doUpdateSet({ events: sql<number>`connection_hours.events + excluded.events` }),
      )
      .execute();
  }
  return true;
}

/** Stores the ends of turns without events; returns the ids of those that were not changed, removed or taken over since. */
export async function saveQuiet(
  tx: Tx,
  all: readonly (Omit<Progress, 'stored' | 'warning'> & { nextAt: Date })[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    update connections c
    set cursor = p.cursor, version = c.version + 1, pulled_at = p.now, lag_ms = p.lag, next_at = p.next, leased_until = null,
      failures = 0, limited_until = null, error = null, error_at = null
    from unnest(${integerColumn(all.map(({ id }) => id))}, ${integerColumn(all.map(({ organisationId }) => organisationId))},
      ${integerColumn(all.map(({ version }) => version))}, ${textColumn(all.map(({ cursor }) => cursor))},
      ${timeColumn(all.map(({ now }) => now.getTime()))}, ${integerColumn(all.map(({ lagMs }) => Math.round(lagMs)))},
      ${timeColumn(all.map(({ nextAt }) => nextAt.getTime()))}) as p (id, organisation_id, version, cursor, now, lag, next)
    where c.id = p.id and c.organisation_id = p.organisation_id and c.version = p.version
    returning c.id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Ends a turn by an error. Returns false when the connection was changed since. */
export async function saveFailure(
  tx: Tx,
  { id, organisationId, version }: Pick<Claimed, 'id' | 'organisationId' | 'version'>,
  failure: { error: string; now: Date; nextAt: Date; failures: number; isStopped: boolean; isLimited: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({
      version: version + 1,
      leased_until: null,
      next_at: failure.nextAt,
      limited_until: failure.isLimited ? failure.nextAt : null,
      failures: failure.failures,
      error: failure.error,
      error_at: failure.now,
      // Once it is resumed, its devices are listed at once.
      ...(failure.isStopped && { state: 'stopped' as const, inventory_at: null }),
    })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function removeHoursBefore(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('connection_hours').where('hour', '<', before).execute();
}

/**
 * Marks the data source of a stopped connection as silent, unless another connection still reads the account; its next event or list of devices ends that.
 * Endpoint protection, whose events belong to devices, has a data source from then on only.
 */
export async function silenceSource(
  tx: Tx,
  { id, organisationId, kind, account, pulledAt }: Pick<Claimed, 'id' | 'organisationId' | 'kind' | 'account' | 'pulledAt'>,
  source: string,
  now: Date,
): Promise<void> {
  if (pulledAt)
    await sql`
      insert into devices (organisation_id, name, device_type, last_event_at)
      select ${organisationId}::integer, ${source}::text, 'cloudApp', ${pulledAt}::timestamptz
      where not exists (
        select from devices d where d.organisation_id = ${organisationId} and d.name_key = lower(${source}) collate "C")
      on conflict (organisation_id, name) do nothing`.execute(tx);
  await sql`
    with fallen as (
      select d.id, d.organisation_id from devices d
      where d.organisation_id = ${organisationId} and d.name_key = lower(${source}) collate "C" and d.name = ${source}
        and d.merged_into is null and d.silent_since is null and d.last_event_at is not null
        and not exists (
          select from connections c where c.organisation_id = ${organisationId} and c.id <> ${id} and c.kind = ${kind}
            and c.account = ${account} and c.state = 'active')
      for update of d
    ), written as (
      insert into device_silences (organisation_id, device_id, since, told_at)
      select organisation_id, id, ${now}, ${now} from fallen on conflict do nothing
    )
    update devices d set silent_since = ${now} from fallen f where d.id = f.id`.execute(tx);
}

/** A list of devices or users shows that a silent data source can be read again. */
export async function wakeSource(tx: Tx, organisationId: number, source: string, now: Date): Promise<void> {
  await sql`
    update devices set last_event_at = ${now}
    where organisation_id = ${organisationId} and name_key = lower(${source}) collate "C" and name = ${source}
      and merged_into is null and silent_since < ${now}`.execute(tx);
}
