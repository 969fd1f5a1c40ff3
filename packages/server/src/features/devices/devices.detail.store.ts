/** SQL of one device: its properties and history. `of` is the device with its duplicates. */

import type { CheckIn, Inventory } from '@parapet/contract/agentProtocol.ts';
import { silentAfterMs, staleAfterMs } from '@parapet/contract/agents.ts';
import type { DeviceDetail, DeviceMoment } from '@parapet/contract/devices.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { dayMs, hourMs, weekMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { textColumn, uuidColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { baselineOf, maxWeeks } from '../../domain/baseline.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { textAt } from '../../domain/events/fields.ts';

export interface Own {
  id: string;
  organisationId: number;
  createdAt: Date;
  aliases: DeviceDetail['aliases'];
  /** Its own name first. */
  names: string[];
  ids: string[];
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Finds a device by name in any case, or by uuid; a duplicate’s leads to its target. */
export async function findDevice(tx: Tx, scope: Scope, name: string): Promise<Own | undefined> {
  const { rows } = await sql<{ id: string; organisationId: number; name: string; createdAt: Date; aliases: Own['aliases'] }>`
    select d.id, d.organisation_id as "organisationId", d.name, d.created_at as "createdAt",
      (select coalesce(json_agg(json_build_object('uuid', i.id, 'name', i.name, 'rule', i.merged_rule, 'value', i.merged_value,
          'mergedAt', to_char(i.merged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by lower(i.name), i.name), '[]')
        from devices i where i.merged_into = d.id) as aliases
    from (
      select coalesce(f.merged_into, f.id) as id, (f.name = ${name}) as is_exact, f.merged_into is null as is_own from devices f
      where ${within('f.organisation_id', scope)} and (f.name_key = lower(${name}) ${uuid.test(name) ? sql`or f.id = ${name}` : sql``})
    ) found join devices d on d.id = found.id
    where ${within('d.organisation_id', scope)}
    order by found.is_exact desc, found.is_own desc, d.last_event_at desc nulls last, d.id limit 1`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { aliases } = row;
  return {
    ...row,
    names: [row.name, ...aliases.map((alias) => alias.name)],
    ids: [row.id, ...aliases.map((alias) => alias.uuid)],
  };
}

/** A single name is a plain equality, whose index also supplies the order. */
const named = (column: string, names: readonly string[]): RawBuilder<boolean> =>
  names.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${names[0]}`
    : sql<boolean>`${sql.ref(column)} = any (${textColumn(names)})`;
const idIn = (column: string, ids: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} = any (${uuidColumn(ids)})`;
const keysOf = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

const monthMs = 30 * dayMs;

export async function countSeverities(tx: Tx, scope: Scope, of: Own, now: number): Promise<DeviceDetail['severities']> {
  const { rows } = await sql<{ criticality: number; count: number }>`
    select criticality, count(*)::integer as count from alerts
    where ${within('organisation_id', scope)} and ${named('device_name', of.names)} and at >= ${new Date(now - monthMs)} and at < ${new Date(now + dayMs)}
    group by 1 order by 1 desc`.execute(tx);
  return rows.map(({ criticality, count }) => ({ severity: severityOf(criticality), count }));
}

export async function countOpenCases(tx: Tx, scope: Scope, of: Own): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from cases
    where ${within('organisation_id', scope)} and closed_at is null and device_names && ${textColumn(of.names)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Newest events to read: a busy device has millions per week. */
const maxEventsRead = 5_000;

/** Users and programs of the newest events of seven days, busiest first. */
export async function listSeen(tx: Tx, scope: Scope, of: Own, now: number): Promise<Pick<DeviceDetail, 'users' | 'processes'>> {
  const queries = [{ devices: of.names, start: now - weekMs, end: now + dayMs, limit: maxEventsRead }];
  const [events = []] = await eventStore.newest(tx, scope, queries);
  const users = new Map<string, Seen>();
  const processes = new Map<string, Seen>();
  for (const [index, { at, userName, document }] of events.entries()) {
    see(users, userName ?? undefined, at);
    see(processes, textAt(document, 'process', 'name') ?? textAt(document, 'process', 'executable'), at);
    if (index % eventsPerTurn === eventsPerTurn - 1) await yieldToEventLoop();
  }
  return { users: busiest(users), processes: busiest(processes) };
}

interface Seen {
  name: string;
  count: number;
  lastAt: string;
}

const maxName = 2_000;
const maxSeen = 50;
const eventsPerTurn = 500;

/** Events come newest first. */
function see(seen: Map<string, Seen>, given: string | undefined, at: number): void {
  if (!given) return;
  const name = given.slice(0, maxName);
  const known = seen.get(name);
  if (known) known.count++;
  else seen.set(name, { name, count: 1, lastAt: new Date(at).toISOString() });
}

const busiest = (seen: ReadonlyMap<string, Seen>): Seen[] =>
  [...seen.values()]
    .sort((a, b) => b.count - a.count || (a.lastAt === b.lastAt ? (a.name < b.name ? -1 : 1) : a.lastAt < b.lastAt ? 1 : -1))
    .slice(0, maxSeen);

/** The last seven days by hour; each hour’s baseline comes from the weeks before it. */
export async function listHours(tx: Tx, scope: Scope, of: Own, now: number): Promise<DeviceDetail['hours']> {
  const end = Math.floor(now / hourMs) * hourMs + hourMs;
  const start = end - weekMs;
  const { rows } = await sql<{ hour: Date; events: number }>`
    select hour, sum(events)::float8 as events from device_hours
    where ${within('organisation_id', scope)} and ${idIn('device_id', of.ids)} and hour >= ${new Date(start - (maxWeeks + 1) * weekMs)} and hour < ${new Date(end)}
    group by 1`.execute(tx);
  const events = new Map(rows.map((row) => [row.hour.getTime(), row.events]));
  const usuals = new Map<number, ReturnType<typeof baselineOf>>();
  return Array.from({ length: (end - start) / hourMs }, (_, at) => {
    const hour = start + at * hourMs;
    const day = Math.floor(hour / dayMs) * dayMs;
    if (!usuals.has(day)) usuals.set(day, baselineOf(events, day));
    const expected = usuals.get(day)?.expected(hour);
    return {
      time: new Date(hour).toISOString(),
      events: events.get(hour) ?? 0,
      expected: expected === undefined ? null : Math.round(10 * expected) / 10,
    };
  });
}

export async function findAgent(
  tx: Tx,
  scope: Scope,
  of: Own,
  now: number,
): Promise<Pick<DeviceDetail, 'agent' | 'inventory'> | undefined> {
  const row = await tx
    .selectFrom('agents')
    .selectAll()
    .where(within('organisation_id', scope))
    .where('device_id', 'in', of.ids)
    .orderBy((eb) => eb('revoked_at', 'is', null), 'desc')
    .orderBy('enrolled_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  // Stored in rows of their own for matching with advisories.
  const packages = await tx
    .selectFrom('agent_packages')
    .select(['name', 'version', 'ecosystem'])
    .where(within('organisation_id', scope))
    .where('agent_id', '=', row.id)
    .orderBy('name')
    .orderBy('version')
    .limit(20_000)
    .execute();
  const status: Partial<CheckIn> = row.said;
  const silentMs = now - (row.last_check_in_at ?? row.enrolled_at).getTime();
  return {
    agent: {
      agentID: row.id,
      version: row.version,
      platform: row.platform,
      state: row.revoked_at ? 'revoked' : silentMs > silentAfterMs ? 'silent' : silentMs > staleAfterMs ? 'stale' : 'online',
      lastCheckInAt: row.last_check_in_at?.toISOString() ?? null,
      enrolledAt: row.enrolled_at.toISOString(),
      isIsolated: row.is_isolated,
      releaseAt: row.release_at?.toISOString() ?? null,
      blockedUsers: status.holding?.blockedUsers ?? [],
      bufferBytes: status.buffer?.bytes ?? 0,
      isBufferFull: status.buffer?.isFull ?? false,
      errors: (status.errors ?? [])
        .slice(0, 20)
        .map((error) => (typeof error === 'string' ? error : JSON.stringify(error)).slice(0, 2_000)),
    },
    inventory: row.inventory && row.inventory_at && inventoryOf({ ...row.inventory, packages }, row.inventory_at),
  };
}

function inventoryOf(
  {
    system,
    packages,
    users,
    addresses,
    listening,
  }: Omit<Inventory, 'packages'> & Pick<NonNullable<DeviceDetail['inventory']>, 'packages'>,
  takenAt: Date,
): DeviceDetail['inventory'] {
  const gibibytes = Math.round((10 * system.memoryBytes) / 2 ** 30) / 10;
  return {
    takenAt: takenAt.toISOString(),
    system: [
      { label: 'Host name', value: system.hostname },
      { label: 'Operating system', value: system.os },
      { label: 'Kernel', value: system.kernel },
      { label: 'Architecture', value: system.architecture },
      { label: 'Processors', value: String(system.processors) },
      { label: 'Memory', value: `${gibibytes} GiB` },
      ...(system.serial === undefined ? [] : [{ label: 'Serial number', value: system.serial }]),
      ...(system.cloudInstance === undefined ? [] : [{ label: 'Cloud instance', value: system.cloudInstance }]),
      ...(system.bootedAt === null ? [] : [{ label: 'Started', value: system.bootedAt }]),
    ],
    addresses: addresses.map(({ interface: name, address, mac }) => ({ interface: name, address, mac })),
    users: users.map(({ name, uid, shell, isLocked }) => ({ name, uid, shell, isLocked })),
    listening: listening.map(({ protocol, address, port, process }) => ({ protocol, address, port, process })),
    packages,
  };
}

type MomentRow = Omit<DeviceMoment, 'time' | 'severity'> & { time: Date; criticality: number | null };

/** Newest first, those before `before`. Times are truncated to milliseconds, the precision of the cursor. */
export async function listMoments(tx: Tx, scope: Scope, of: Own, before: Date, limit: number): Promise<DeviceMoment[]> {
  const none = {
    alert: sql`null::integer`,
    criticality: sql`null::smallint`,
    case: sql`null::integer`,
    response: sql`null::integer`,
  };
  const from = (
    kind: DeviceMoment['kind'],
    at: RawBuilder<unknown>,
    text: RawBuilder<unknown>,
    rest: RawBuilder<unknown>,
    ids: Partial<typeof none> = {},
  ) => {
    const own = { ...none, ...ids };
    return sql`(select ${at} as at, ${sql.lit(kind)} as kind, ${text} as text, ${own.criticality} as criticality, ${own.alert} as "alertID",
      ${own.case} as "caseID", ${own.response} as "responseID" ${rest} and ${at} < ${before} order by 1 desc limit ${limit})`;
  };
  const inOrganisation = (alias: string) => within(`${alias}.organisation_id`, scope);
  const cases = sql`from cases c where ${inOrganisation('c')} and c.device_names && ${textColumn(of.names)}`;
  const silences = sql`from device_silences s where ${inOrganisation('s')} and ${idIn('s.device_id', of.ids)}`;
  const agents = sql`from agents a where ${inOrganisation('a')} and ${idIn('a.device_id', of.ids)}`;
  const keys = textColumn(keysOf(of.names));
  const parts = [
    from(
      'alert',
      sql`a.at`,
      sql`r.title`,
      sql`from alerts a join rules r on r.id = a.rule_id where ${inOrganisation('a')} and ${named('a.device_name', of.names)}`,
      {
        criticality: sql`a.criticality`,
        alert: sql`a.id`,
      },
    ),
    from('case', sql`c.created_at`, sql`'Case opened: ' || c.title`, cases, { case: sql`c.id` }),
    from('case', sql`c.closed_at`, sql`'Case closed: ' || c.title`, cases, { case: sql`c.id` }),
    from(
      'response',
      sql`s.at`,
      sql`r.action || ' ' || r.target || ': ' || s.state`,
      sql`from responses r join response_steps s on s.response_id = r.id
        where ${inOrganisation('r')} and (lower(r.device_name) = any (${keys}) or (r.action in ('isolate', 'unisolate') and lower(r.target) = any (${keys})))`,
      { case: sql`r.case_id`, response: sql`r.id` },
    ),
    from(
      'version',
      sql`v.seen_at`,
      sql`'Collector: ' || v.version`,
      sql`from device_versions v where ${inOrganisation('v')} and ${idIn('v.device_id', of.ids)}`,
    ),
    from('silence', sql`s.since`, sql`'Fell silent'`, silences),
    from(
      'silence',
      sql`s.ended_at`,
      sql`'Sends again, after ' || round(extract(epoch from s.ended_at - s.since) / 3600, 1) || ' hours'`,
      silences,
    ),
    from(
      'tag',
      sql`t.tagged_at`,
      sql`'Tagged: ' || n.name`,
      sql`from device_tags t join tags n on n.id = t.tag_id where ${inOrganisation('t')} and t.device_id = ${of.id} and not n.is_deleted`,
    ),
    from('agent', sql`a.enrolled_at`, sql`'Agent enrolled: ' || a.platform`, agents),
    from('agent', sql`a.revoked_at`, sql`'Agent revoked'`, agents),
    from(
      'merge',
      sql`d.merged_at`,
      sql`'Merged: ' || d.name || coalesce(', by rule (' || d.merged_rule || ' ' || d.merged_value || ')', '')`,
      sql`from devices d where ${inOrganisation('d')} and d.merged_into = ${of.id}`,
    ),
  ];
  const { rows } = await sql<MomentRow>`
    select date_trunc('milliseconds', at) as time, kind, left(text, 2000) as text, criticality, "alertID", "caseID", "responseID"
    from (${sql.join(parts, sql` union all `)}) m
    order by 1 desc, kind, coalesce("alertID", "caseID", "responseID") desc nulls last, text limit ${limit}`.execute(tx);
  return rows.map(({ time, criticality, ...row }) => ({
    ...row,
    time: time.toISOString(),
    severity: criticality === null ? null : severityOf(criticality),
  }));
}
