/** SQL of connections, for people. Every function takes the scope first; row-level security enforces it again. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { nextId } from '../../core/db/nextId.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { IncidentMode } from '../../core/db/tables.connections.ts';
import { within } from '../../core/db/within.ts';

export interface ConnectionRow {
  id: number;
  organisationId: number;
  kind: string;
  name: string;
  account: string;
  state: 'active' | 'paused' | 'stopped';
  failures: number;
  error: string | null;
  errorAt: Date | null;
  pulledAt: Date | null;
  nextAt: Date;
  lastEventAt: Date | null;
  lagMs: number;
  createdAt: Date;
  eventsLastDay: number;
  mayAct: boolean;
  devices: number;
  incidentMode: IncidentMode;
  incidentError: string | null;
  consentedBy: string | null;
  consentedAt: Date | null;
}

const columns = [
  'connections.id',
  'connections.organisation_id as organisationId',
  'kind',
  'name',
  'account',
  'state',
  'failures',
  'error',
  'error_at as errorAt',
  'pulled_at as pulledAt',
  'next_at as nextAt',
  'last_event_at as lastEventAt',
  'lag_ms as lagMs',
  'created_at as createdAt',
  'may_act as mayAct',
  'consented_by as consentedBy',
  'consented_at as consentedAt',
] as const;

const selected = (tx: Tx, scope: Scope, now: number) =>
  tx
    .selectFrom('connections')
    .select(columns)
    .select(
      sql<number>`coalesce((select sum(h.events) from connection_hours h
        where h.connection_id = connections.id and h.hour > ${new Date(now - dayMs)}), 0)::integer`.as('eventsLastDay'),
    )
    .select(
      sql<number>`(select count(*) from connection_devices v where v.connection_id = connections.id)::integer`.as('devices'),
    )
    .select(
      sql<IncidentMode>`coalesce((select y.mode from incident_syncs y where y.connection_id = connections.id), 'read')`.as(
        'incidentMode',
      ),
    )
    .select(sql<string | null>`(select y.error from incident_syncs y where y.connection_id = connections.id)`.as('incidentError'))
    .where(within('connections.organisation_id', scope));

export const listConnections = (tx: Tx, scope: Scope, now: number): Promise<ConnectionRow[]> =>
  selected(tx, scope, now).orderBy(sql`lower(name)`).orderBy('id').limit(10_000).execute();

export const findConnection = (tx: Tx, scope: Scope, id: number, now: number): Promise<ConnectionRow | undefined> =>
  selected(tx, scope, now).where('id', '=', id).executeTakeFirst();

/** Values of a connection, the secret ones sealed; locked until the transaction ends. */
export const findValues = (tx: Tx, scope: Scope, id: number) =>
  tx
    .selectFrom('connections')
    .select(['id', 'organisation_id as organisationId', 'kind', 'settings', 'secrets', 'consented_by as consentedBy'])
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const newConnectionId = (tx: Tx): Promise<number> => nextId(tx, 'connections');

/** Returns false when the organisation already has a connection of this name. */
export async function insertConnection(
  tx: Tx,
  row: {
    id: number;
    organisationId: number;
    kind: string;
    name: string;
    account: string;
    settings: Record<string, string>;
    secrets: Buffer;
    mayAct: boolean;
    consentedBy?: string;
  },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('connections')
    .values({
      id: row.id,
      organisation_id: row.organisationId,
      kind: row.kind,
      name: row.name,
      account: row.account,
      settings: JSON.stringify(row.settings),
      secrets: row.secrets,
      may_act: row.mayAct,
      ...(row.consentedBy !== undefined && { consented_by: row.consentedBy, consented_at: sql<Date>`now()` }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Columns of a connection that is pulled from now on; a pull in progress saves nothing. */
export const resumed = {
  state: 'active',
  version: sql<number>`version + 1`,
  leased_until: null,
  next_at: sql<Date>`now()`,
  limited_until: null,
  failures: 0,
  error: null,
  error_at: null,
} as const;

/** Returns true if the state changed. A pull in progress saves nothing. */
export async function updateState(tx: Tx, scope: Scope, id: number, isPaused: boolean): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set(isPaused ? { state: 'paused', version: resumed.version, leased_until: null } : resumed)
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('state', isPaused ? '<>' : 'in', (isPaused ? 'paused' : ['paused', 'stopped']) as 'paused')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes an active connection due, unless its vendor limits requests. A pull in progress goes on. */
export async function makeDue(tx: Tx, scope: Scope, id: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('connections')
    .set({ next_at: sql<Date>`least(next_at, ${now})` })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb('limited_until', 'is', null), eb('limited_until', '<=', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces the sealed values and resumes. */
export async function updateSecrets(tx: Tx, scope: Scope, id: number, secrets: Buffer): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ secrets, ...resumed })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export async function updateMayAct(tx: Tx, scope: Scope, id: number, mayAct: boolean): Promise<void> {
  await tx
    .updateTable('connections')
    .set({ may_act: mayAct })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .execute();
}

export async function removeConnection(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx.deleteFrom('connections').where(within('organisation_id', scope)).where('id', '=', id).execute();
}
