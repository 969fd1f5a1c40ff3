/** SQL of source silences: the portal’s own work, over all organisations, or a single one. */
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { uuidColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Hours } from '../../domain/baseline.ts';
import { readStoredState, writeStoredState } from '../../domain/storedState.ts';

export interface Quiet {
  id: string;
  organisationId: number;
  name: string;
  deviceType: DeviceType;
  lastAt: Date;
}

const of = (column: string, organisationId: number | undefined): RawBuilder<boolean> =>
  organisationId === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${organisationId}`;

/** The smallest uuid. */
export const firstId = '00000000-0000-0000-0000-000000000000';

/** Sources without events since `before` whose gap has not been measured; by id, those after `after`. */
export async function listUnmeasured(
  tx: Tx,
  organisationId: number | undefined,
  { before, after, limit }: { before: Date; after: string; limit: number },
): Promise<Quiet[]> {
  const { rows } = await sql<Quiet>`
    select id, organisation_id as "organisationId", name, device_type as "deviceType", last_event_at as "lastAt" from devices
    where ${of('organisation_id', organisationId)} and merged_into is null and last_event_at < ${before} and quiet_from is distinct from last_event_at
      and id > ${after}
    order by id limit ${limit}`.execute(tx);
  return rows;
}

/** Events by hour of each of these devices and its duplicates. */
export async function readHours(tx: Tx, ids: readonly string[], from: Date): Promise<Map<string, Hours>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; hours: number[]; events: number[] }>`
    with names as (
      select id, id as own, organisation_id from devices where id = any (${uuidColumn(ids)})
      union all select id, merged_into, organisation_id from devices where merged_into = any (${uuidColumn(ids)})
    ), summed as (
      select n.own, (extract(epoch from h.hour) / 3600)::integer as hour, sum(h.events)::float8 as events
      from names n join device_hours h on h.organisation_id = n.organisation_id and h.device_id = n.id
      where h.hour >= ${from} group by 1, 2
    )
    select own as id, array_agg(hour) as hours, array_agg(events) as events from summed group by 1`.execute(tx);
  return new Map(rows.map(({ id, hours, events }) => [id, new Map(hours.map((hour, at) => [hour * hourMs, events[at]!]))]));
}

export interface Measured {
  id: string;
  lastAt: Date;
  staleAt: number;
  silentAt: number;
}

/** Skips devices that sent something in between. */
export async function saveMeasured(tx: Tx, measured: readonly Measured[]): Promise<void> {
  await sql`
    update devices d set quiet_from = d.last_event_at, stale_at = to_timestamp(m.stale / 1000), silent_at = to_timestamp(m.silent / 1000)
    from jsonb_to_recordset(${JSON.stringify(
      measured.map(({ id, lastAt, staleAt, silentAt }) => ({ id, last: lastAt.getTime(), stale: staleAt, silent: silentAt })),
    )}::jsonb) as m (id uuid, last float8, stale float8, silent float8)
    where d.id = m.id and floor(extract(epoch from d.last_event_at) * 1000) = m.last`.execute(tx);
}

/** Records new silences, each once under concurrency. */
export async function insertSilences(tx: Tx, organisationId: number | undefined, now: Date): Promise<void> {
  await sql`
    with fallen as (
      select d.id, d.organisation_id, d.last_event_at from devices d join organisations o on o.id = d.organisation_id
      where ${of('d.organisation_id', organisationId)} and d.merged_into is null and d.silent_since is null and o.deactivated_at is null
        and d.quiet_from = d.last_event_at and d.silent_at <= ${now}
      order by d.id for update of d skip locked
    ), written as (
      insert into device_silences (organisation_id, device_id, since) select organisation_id, id, last_event_at from fallen on conflict do nothing
    )
    update devices d set silent_since = f.last_event_at from fallen f where d.id = f.id`.execute(tx);
}

export interface Silence {
  id: number;
  organisationId: number;
  deviceId: string;
  deviceName: string;
  since: Date;
  endedAt: Date | null;
}

const columns = sql`s.id, s.organisation_id as "organisationId", s.device_id as "deviceId", d.name as "deviceName", s.since, s.ended_at as "endedAt"`;

/** Silences not reported yet, those after `after`. */
export async function listUnreported(
  tx: Tx,
  organisationId: number | undefined,
  { after, limit }: { after: number; limit: number },
): Promise<Silence[]> {
  const { rows } = await sql<Silence>`
    select ${columns} from device_silences s join devices d on d.id = s.device_id
    where ${of('s.organisation_id', organisationId)} and s.told_at is null and s.ended_at is null and s.id > ${after} order by s.id limit ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function markNotified(tx: Tx, ids: readonly number[], now: Date): Promise<void> {
  await tx.updateTable('device_silences').set({ told_at: now }).where('id', 'in', ids).execute();
}

/** Ends the silences of sources that send again or are merged. Returns those that had been reported. */
export async function endSilences(tx: Tx, organisationId: number | undefined, now: Date): Promise<Silence[]> {
  const { rows } = await sql<Silence>`
    with back as (
      select d.id, d.merged_into, d.last_event_at from devices d
      where ${of('d.organisation_id', organisationId)} and d.silent_since is not null
        and (d.merged_into is not null or d.last_event_at > d.silent_since)
      order by d.id for update of d skip locked
    ), ended as (
      update device_silences s set ended_at = least(greatest(b.last_event_at, s.since), ${now}) from back b
      where s.device_id = b.id and s.ended_at is null returning s.*
    ), freed as (
      update devices d set silent_since = null from back b where d.id = b.id
    )
    select ${columns} from ended s join devices d on d.id = s.device_id
    where s.told_at is not null and d.merged_into is null order by s.id`.execute(tx);
  return rows;
}

const stateName = 'silence.watch';
export interface WatchState {
  ranAt: number;
  /** Time at which the watch resumed after a pause. */
  resumedAt: number;
}

export const findState = (tx: Tx): Promise<WatchState | undefined> => readStoredState<WatchState>(tx, stateName);
export const saveState = (tx: Tx, state: WatchState): Promise<void> => writeStoredState(tx, stateName, state);
