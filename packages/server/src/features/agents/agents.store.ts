/** SQL of collectors with their health, and of enrolment tokens. */
import type { Collector } from '@parapet/contract/agents.ts';
import { type Insertable, sql } from 'kysely';
import { containing } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { type CollectorTimes, collectors } from '../../domain/collectors.ts';
import { eventsOfDay, usualDay } from '../../domain/deviceState.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';

type State = Collector['state'];

export interface CollectorListQuery {
  text: string;
  kinds: readonly Collector['kind'][];
  states: readonly State[];
  rows?: QueryRows | undefined;
  limit: number;
  offset: number;
}

export type CollectorRow = Omit<
  Collector,
  'isOutdated' | 'lastSeenAt' | 'enrolledAt' | 'bufferBytes' | 'isBufferFull' | 'dropped' | 'errors' | 'upgrade'
> & {
  lastSeenAt: Date | null;
  enrolledAt: Date | null;
  /** Of the portal’s own agent; null for others. */
  platform: string | null;
  said: Tables['agents']['said']['__select__'] | null;
  upgradeVersion: string | null;
  upgradeState: NonNullable<Collector['upgrade']>['state'] | null;
  upgradeDetail: string | null;
};

const worstFirst = sql`case c.state when 'silent' then 0 when 'stale' then 1 when 'revoked' then 2 else 3 end, lower(c.name), c.name, c.device_id, c.agent_id`;

export async function listCollectors(
  tx: Tx,
  scope: Scope,
  query: CollectorListQuery,
  times: CollectorTimes,
): Promise<{ rows: CollectorRow[]; total: number; counts: { state: State; count: number }[] }> {
  const conditions = sql.join(
    [
      sql<boolean>`true`,
      ...(query.text === '' ? [] : [sql<boolean>`c.name ilike ${containing(query.text)}`]),
      ...(query.kinds.length > 0 ? [sql<boolean>`c.kind = any(${[...query.kinds]}::text[])`] : []),
      ...isAmong('c', query.rows),
    ],
    sql` and `,
  );
  const hasState = query.states.length > 0 ? sql`c.state = any(${[...query.states]}::text[])` : sql`true`;
  const all = collectors(scope, times);
  const { rows: counts } = await sql<{ state: State; count: number }>`
    select c.state, count(*)::integer as count from (${all}) c where ${conditions} group by 1 order by 1`.execute(tx);
  const total = counts.reduce(
    (sum, { state, count }) => sum + (query.states.length === 0 || query.states.includes(state) ? count : 0),
    0,
  );
  const { rows } = await sql<CollectorRow>`
    select c.agent_id as "agentID", c.device_id as "deviceUuid", left(c.name, 2000) as "deviceName", c.device_type as "deviceType",
      c.organisation_id as "clientOrganizationID", (select o.name from organisations o where o.id = c.organisation_id) as "clientOrganizationName",
      c.kind, left(c.version, 2000) as version, c.state, c.last_seen_at as "lastSeenAt", c.enrolled_at as "enrolledAt",
      ${eventsOfDay(times.now)} as "events24h", ${usualDay(times.now)} as "expected24h",
      coalesce(c.is_isolated, false) as "isIsolated", c.platform, c.said,
      c.upgrade_version as "upgradeVersion", c.upgrade_state as "upgradeState", c.upgrade_detail as "upgradeDetail"
    from (select * from (${all}) c where ${conditions} and ${hasState} order by ${worstFirst} limit ${query.limit} offset ${query.offset}) c
      join devices d on d.id = c.device_id
    order by ${worstFirst}`.execute(tx);
  return { rows, total, counts };
}

/** Intake counters on the UTC days since. */
export async function listIntake(tx: Tx, scope: Scope, since: Date): Promise<{ reason: string; count: number }[]> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select reason, sum(count)::bigint as count from ingest_counters
    where ${within('organisation_id', scope)} and day >= (${since}::timestamptz at time zone 'UTC')::date and reason <> 'received'
    group by 1 order by 2 desc, 1 limit 100`.execute(tx);
  return rows;
}

/** Returns true if a working agent or a valid token was revoked. */
export async function revoke(
  tx: Tx,
  scope: Scope,
  table: 'agents' | 'enrolment_tokens',
  id: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable(table)
    .set({ revoked_at: now })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const tokenColumns = [
  'id',
  'organisation_id as clientOrganizationID',
  'name',
  'prefix',
  'max_uses as maxUses',
  'uses',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
] as const;

/** Newest first. */
export const listTokens = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('enrolment_tokens')
    .select(tokenColumns)
    .where(within('organisation_id', scope))
    .orderBy('id', 'desc')
    .limit(10_000)
    .execute();

export const insertToken = (tx: Tx, token: Insertable<Tables['enrolment_tokens']>) =>
  tx.insertInto('enrolment_tokens').values(token).returning(tokenColumns).executeTakeFirstOrThrow();
