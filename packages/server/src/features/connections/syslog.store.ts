/** SQL of syslog. Ports are shared by all organisations, so places are compared in the portal's own scope. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { syslogKind } from './syslog.kind.ts';
import type { PortReport, SourceReport } from './syslog.ports.ts';

/** One change of places and networks at a time, until the transaction ends. */
export const lockPlaces = (tx: Tx): Promise<unknown> => sql`select pg_advisory_xact_lock(hashtext('syslog places'))`.execute(tx);

export interface PlaceRow {
  id: number;
  organisationId: number;
  name: string;
  state: 'active' | 'paused' | 'stopped';
  settings: Record<string, string>;
  pulledAt: Date | null;
  lastEventAt: Date | null;
  error: string | null;
}

export const listPlaces = (tx: Tx): Promise<PlaceRow[]> =>
  tx
    .selectFrom('connections')
    .select([
      'id',
      'organisation_id as organisationId',
      'name',
      'state',
      'settings',
      'pulled_at as pulledAt',
      'last_event_at as lastEventAt',
      'error',
    ])
    .where('kind', '=', syslogKind)
    .orderBy('id')
    .limit(10_000)
    .execute();

export const listNetworks = (tx: Tx) =>
  tx
    .selectFrom('syslog_networks')
    .select(['id', 'organisation_id as organisationId', 'created_at as createdAt', sql<string>`network::text`.as('network')])
    .orderBy('syslog_networks.network')
    .limit(10_000)
    .execute();
export type NetworkRow = Awaited<ReturnType<typeof listNetworks>>[number];

/** Networks of these that lie in no network listed for the organisation. */
export async function listUnlisted(tx: Tx, organisationId: number, networks: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ network: string }>`
    select n as network from unnest(${[...networks]}::text[]) n
    where not exists (select from syslog_networks s where s.organisation_id = ${organisationId} and n::inet <<= s.network)`.execute(
    tx,
  );
  return rows.map(({ network }) => network);
}

/** Listed network that overlaps this one; undefined without any. */
export async function findOverlap(tx: Tx, network: string): Promise<NetworkRow | undefined> {
  const { rows } = await sql<NetworkRow>`
    select id, organisation_id as "organisationId", created_at as "createdAt", network::text as network
    from syslog_networks where network && network(${network}::inet) order by id limit 1`.execute(tx);
  return rows[0];
}

export async function insertNetwork(tx: Tx, organisationId: number, network: string): Promise<NetworkRow> {
  const { rows } = await sql<NetworkRow>`
    insert into syslog_networks (organisation_id, network) values (${organisationId}, network(${network}::inet))
    returning id, organisation_id as "organisationId", created_at as "createdAt", network::text as network`.execute(tx);
  return rows[0]!;
}

export const removeNetwork = async (tx: Tx, id: number): Promise<void> => {
  await tx.deleteFrom('syslog_networks').where('id', '=', id).execute();
};

export const listPorts = (tx: Tx) =>
  tx
    .selectFrom('syslog_ports')
    .select([
      'transport',
      'port',
      sql<number>`unknown::double precision`.as('unknown'),
      'unknown_address as unknownAddress',
      'unknown_at as unknownAt',
      sql<number>`lost::double precision`.as('lost'),
    ])
    .orderBy('port')
    .orderBy('transport')
    .limit(1_000)
    .execute();

export async function addToPort(
  tx: Tx,
  { transport, port, unknown, unknownAddress, lost }: PortReport,
  now: Date,
): Promise<void> {
  const isUnknown = unknown > 0;
  await sql`
    insert into syslog_ports (transport, port, unknown, unknown_address, unknown_at, lost)
    values (${transport}, ${port}, ${unknown}, ${isUnknown ? unknownAddress : null}, ${isUnknown ? now : null}, ${lost})
    on conflict (transport, port) do update set unknown = syslog_ports.unknown + excluded.unknown, lost = syslog_ports.lost + excluded.lost,
      unknown_address = coalesce(excluded.unknown_address, syslog_ports.unknown_address),
      unknown_at = coalesce(excluded.unknown_at, syslog_ports.unknown_at)`.execute(tx);
}

/** In the scope of the organisation. */
export async function addToSource(tx: Tx, { id, organisationId, stored, lastAt }: SourceReport): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({ last_event_at: new Date(lastAt) })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
  // Removed since.
  if (numUpdatedRows === 0n) return;
  const hour = new Date(Math.floor(lastAt / hourMs) * hourMs);
  await tx
    .insertInto('connection_hours')
    .values({ organisation_id: organisationId, connection_id: id, hour, events: stored })
    .onConflict((conflict) =>
      conflict.columns(['connection_id', 'hour']).doUpdateSet({ events: sql<number>`connection_hours.events + excluded.events` }),
    )
    .execute();
}

export async function saveListening(tx: Tx, ids: readonly number[], warning: string | null, now: Date): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ pulled_at: now, failures: 0, error: warning, error_at: warning === null ? null : now })
    .where('id', 'in', ids)
    .where('kind', '=', syslogKind)
    .where('state', '=', 'active')
    .execute();
}

/** Leaves connections alone that another process confirmed since `confirmedAfter`. */
export async function saveFailed(
  tx: Tx,
  ids: readonly number[],
  { error, now, confirmedAfter }: { error: string; now: Date; confirmedAfter: Date },
): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ failures: sql<number>`failures + 1`, error, error_at: now })
    .where('id', 'in', ids)
    .where('kind', '=', syslogKind)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('pulled_at', 'is', null), eb('pulled_at', '<', confirmedAfter)]))
    .execute();
}

/** Returns false for an entry that became a connection before. */
export async function recordImport(tx: Tx, entry: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('syslog_imports')
    .values({ entry })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
