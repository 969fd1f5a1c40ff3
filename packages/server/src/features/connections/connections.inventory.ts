/** Devices and users as a vendor lists them, read every hour before the events, so that events find their devices. */
import type { Account, VendorDevice, VendorUser } from '@parapet/connectors/connector.ts';
import { RefusedError, RequestError, UnavailableError, type VendorError } from '@parapet/connectors/errors.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import { textColumn } from '../../core/db/bulk.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { wakeSource } from './connections.work.store.ts';

const maxPages = 500;
const maxName = 255;

interface OfConnection {
  id: number;
  organisationId: number;
}

/** Reads all devices and users once an hour; what is no longer listed is removed at the end. Repeating it does no harm. */
export async function readInventory(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  account: Account,
  connection: OfConnection & { inventoryAt: Date | null; failures: number },
  source: string,
): Promise<void> {
  const readAt = new Date(clock.now());
  const { inventoryAt } = connection;
  const hasLists = account.devices !== undefined || account.users !== undefined;
  if (!hasLists || (inventoryAt && readAt.getTime() - inventoryAt.getTime() < hourMs)) return;
  const inScope = <T>(work: (tx: Tx) => Promise<T>) => scoped(db, { organisationIds: [connection.organisationId] }, work);
  if (account.devices) {
    const { devices } = account;
    await eachPage(async (page) => {
      const read = await devices(page);
      await inScope((tx) => saveDevices(tx, connection, read.devices, readAt));
      return read.next;
    });
  }
  const save = (users: readonly VendorUser[]) => inScope((tx) => saveUsers(tx, connection, users, readAt));
  const unread = account.users && (await readUsers(account.users, save, connection.failures > 0));
  if (unread) log.warn({ err: unread, connection: connection.id }, 'users could not be listed');
  await inScope(async (tx) => {
    await endReading(tx, connection, readAt, {
      devices: account.devices !== undefined,
      users: account.users !== undefined && !unread,
    });
    await wakeSource(tx, connection.organisationId, source, readAt);
  });
}

/** Reads pages until there is no next one. */
async function eachPage(read: (page: string | undefined) => Promise<string | undefined>): Promise<void> {
  let page: string | undefined;
  for (let pages = 0; ; pages++) {
    if (pages === maxPages) throw new UnavailableError(`The list has more than ${maxPages} pages.`);
    const next = await read(page);
    if (next === undefined) return;
    if (next === page) throw new UnavailableError('The vendor returned the same page again.');
    page = next;
  }
}

/**
 * The vendor's error where it does not list users: events are read all the same, and the former list stays. An outage is thrown, so that the turn is
 * repeated, unless the connection failed before.
 */
async function readUsers(
  list: NonNullable<Account['users']>,
  save: (users: readonly VendorUser[]) => Promise<void>,
  hasFailed: boolean,
): Promise<VendorError | undefined> {
  try {
    await eachPage(async (page) => {
      const { users, next } = await list(page);
      await save(users);
      return next;
    });
    return undefined;
  } catch (error) {
    if (error instanceof RefusedError || error instanceof RequestError) return error;
    if (error instanceof UnavailableError && hasFailed) return error;
    throw error;
  }
}

const clean = (text: string): string =>
  storable(text)
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, maxName);

async function saveUsers(
  tx: Tx,
  { id, organisationId }: OfConnection,
  listed: readonly VendorUser[],
  readAt: Date,
): Promise<void> {
  const byId = new Map(listed.map((user) => [user.id.slice(0, maxName), { ...user, name: clean(user.name).toLowerCase() }]));
  const users = [...byId].filter(([, { name }]) => name !== '').sort(([one], [other]) => (one < other ? -1 : 1));
  if (users.length === 0) return;
  await sql`
    insert into connection_users as u (organisation_id, connection_id, vendor_id, name, has_mailbox, read_at)
    select ${organisationId}::integer, ${id}::integer, l.vendor_id, l.name, l.has_mailbox = 'true', ${readAt}::timestamptz
    from unnest(${textColumn(users.map(([vendorId]) => vendorId))}, ${textColumn(users.map(([, { name }]) => name))},
      ${textColumn(users.map(([, { hasMailbox }]) => String(hasMailbox)))}) as l (vendor_id, name, has_mailbox)
    on conflict (connection_id, vendor_id) do update set name = excluded.name, has_mailbox = excluded.has_mailbox, read_at = excluded.read_at`.execute(
    tx,
  );
}

async function saveDevices(
  tx: Tx,
  { id, organisationId }: OfConnection,
  listed: readonly VendorDevice[],
  readAt: Date,
): Promise<void> {
  const idOf = (text: string | undefined) => clean(text ?? '') || null;
  const byId = new Map(listed.map((device) => [device.id.slice(0, maxName), { ...device, name: clean(device.name) }]));
  const devices = [...byId.values()].filter(({ name }) => name !== '').sort((a, b) => (a.name < b.name ? -1 : 1));
  if (devices.length === 0) return;
  // As enrolments of agents do, which also create devices by name.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`enrol ${organisationId}`}, 0))`.execute(tx);
  await sql`
    with listed as (
      select * from unnest(${textColumn(devices.map((device) => device.id.slice(0, maxName)))}, ${textColumn(devices.map(({ name }) => name))},
        ${textColumn(devices.map(({ os }) => clean(os)))}, ${textColumn(devices.map(({ isServer }) => (isServer ? 'server' : 'workstation')))},
        ${textColumn(devices.map(({ lastSeenAt }) => instantOf(lastSeenAt)))}, ${textColumn(devices.map(({ serial }) => idOf(serial)))},
        ${textColumn(devices.map(({ cloudId }) => idOf(cloudId)))}, ${textColumn(devices.map(({ directoryId }) => idOf(directoryId)))})
        as l (vendor_id, name, os, type, last_seen_at, serial, cloud_id, directory_id)
    ), made as (
      insert into devices (organisation_id, name, device_type)
      select distinct on (lower(l.name)) ${organisationId}::integer, l.name, l.type from listed l
      where not exists (select from devices d where d.organisation_id = ${organisationId} and d.name_key = lower(l.name) collate "C")
      order by lower(l.name), l.name
      on conflict (organisation_id, name) do update set name = excluded.name
      returning id, name_key
    )
    insert into connection_devices as v (organisation_id, connection_id, vendor_id, name, os, device_id, last_seen_at, read_at,
      serial, cloud_id, directory_id)
    select ${organisationId}::integer, ${id}::integer, l.vendor_id, l.name, l.os, found.id, l.last_seen_at::timestamptz, ${readAt}::timestamptz,
      l.serial, l.cloud_id, l.directory_id
    from listed l cross join lateral (
      select id from (
        select d.id, d.created_at from devices d where d.organisation_id = ${organisationId} and d.name_key = lower(l.name) collate "C"
        union all select m.id, now() from made m where m.name_key = lower(l.name) collate "C"
      ) any_device order by created_at limit 1
    ) found
    on conflict (connection_id, vendor_id) do update set name = excluded.name, os = excluded.os, device_id = excluded.device_id,
      last_seen_at = excluded.last_seen_at, read_at = excluded.read_at, serial = excluded.serial, cloud_id = excluded.cloud_id,
      directory_id = excluded.directory_id`.execute(tx);
}

/** Undefined for a time that is not between 1970 and 9999. */
const instantOf = (at: number | undefined): string | null =>
  at !== undefined && at > 0 && at < 253_402_300_799_000 ? new Date(at).toISOString() : null;

async function endReading(
  tx: Tx,
  { id, organisationId }: OfConnection,
  readAt: Date,
  were: { devices: boolean; users: boolean },
): Promise<void> {
  for (const [isRead, table] of [
    [were.devices, 'connection_devices'],
    [were.users, 'connection_users'],
  ] as const) {
    if (!isRead) continue;
    await tx
      .deleteFrom(table)
      .where('organisation_id', '=', organisationId)
      .where('connection_id', '=', id)
      .where('read_at', '<', readAt)
      .execute();
  }
  await tx
    .updateTable('connections')
    .set({ inventory_at: readAt })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .execute();
  if (were.devices) await publish(tx, 'devices.listed', { organisationId });
}
