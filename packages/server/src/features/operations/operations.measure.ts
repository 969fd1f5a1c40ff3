/** Measures the installation and this process’s resources, for metrics and the operations page. */
import { statfs } from 'node:fs/promises';
import { staleAfterMs } from '@parapet/contract/agents.ts';
import { sql } from 'kysely';
import { readScoped, type Tx } from '../../core/db/scope.ts';
import type { Platform } from '../../core/feature.ts';
import { readState } from './backup.store.ts';
import type { Measure } from './operations.gauges.ts';

export type MeasureDeps = Pick<Platform, 'config' | 'db' | 'clock'>;

const pathsOf = ({ config }: MeasureDeps): [string, string][] => [
  ['data', config.dataDir],
  ...(config.backup?.dir ? ([['backup', config.backup.dir]] as [string, string][]) : []),
];

/** Folders that do not exist are left out. */
export async function disksOf(deps: MeasureDeps): Promise<Measure['disks']> {
  const found = await Promise.all(
    pathsOf(deps).map(async ([volume, path]) => {
      const space = await statfs(path).catch(() => undefined);
      return space ? [{ volume, freeBytes: space.bavail * space.bsize, sizeBytes: space.blocks * space.bsize }] : [];
    }),
  );
  return found.flat();
}

const poolOf = ({ db: { pool } }: MeasureDeps): Measure['pool'] => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
});

/** Due work by queue, with the time since when the first of it is due. */
export const readQueues = async (tx: Tx, now: Date): Promise<NonNullable<Measure['queues']>> => {
  const { rows } = await sql<{ name: string; length: number; since: Date | null }>`
    select 'correlation' as name, count(*) as length, min(alert_at) as since from correlation_queue
    union all select 'deliveries', count(*), min(next_at) from deliveries where state in ('queued', 'sent', 'failed') and event <> 'test' and next_at <= ${now}
    union all select 'emails', count(*), min(next_try_at) from mails where state = 'waiting' and next_try_at <= ${now}
    union all select 'connections', count(*), min(next_at) from connections where state = 'active' and kind <> 'syslog' and next_at <= ${now}
    union all select 'agentTasks', count(*), min(created_at) from agent_tasks where state = 'queued'
    union all select 'bulkChanges', count(*), min(created_at) from bulk_jobs where state in ('waiting', 'running', 'undoing')
    union all select 'reports', count(*), min(created_at) from report_jobs where state in ('queued', 'running')
    union all select 'exports', count(*), min(created_at) from event_exports where state in ('waiting', 'running')
    union all select 'previews', count(*), min(requested_at) from (
      select requested_at, state from rule_previews union all select requested_at, state from grouping_previews) p where state in ('waiting', 'running')
    union all select 'rulePacks', count(*), min(requested_at) from rule_imports where state in ('waiting', 'running')`.execute(
    tx,
  );
  return rows.map(({ name, length, since }) => ({
    name,
    length,
    ageSeconds: since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000),
  }));
};

interface Sizes {
  online: number;
  total: number;
  silent: number;
  databaseBytes: number;
}

/** Agents by their last check-in, silent devices, and the size of the database. */
export async function readSizes(tx: Tx, now: Date): Promise<Sizes> {
  const staleBefore = new Date(now.getTime() - staleAfterMs);
  const { rows } = await sql<Sizes>`
    select a.*, (select count(*) from devices where silent_since is not null and merged_into is null) as silent,
      pg_database_size(current_database()) as "databaseBytes"
    from (
      select count(*) as total, count(*) filter (where coalesce(last_check_in_at, enrolled_at) >= ${staleBefore}) as online
      from agents where revoked_at is null
    ) a`.execute(tx);
  return rows[0] as Sizes;
}

/** Without a success so far, ages are those of the installation: the first backup is late too. */
async function backupAges(tx: Tx, now: Date): Promise<NonNullable<Measure['backup']>> {
  const { archivedUntil } = await readState(tx);
  const base = await tx
    .selectFrom('backup_runs')
    .select((eb) => eb.fn.max('ended_at').as('endedAt'))
    .where('kind', '=', 'base')
    .where('error', '=', '')
    .executeTakeFirst();
  const first = await tx
    .selectFrom('organisations')
    .select((eb) => eb.fn.min('created_at').as('createdAt'))
    .executeTakeFirst();
  const age = (at: Date | null | undefined) => {
    const since = at ?? first?.createdAt;
    return since ? Math.max(0, (now.getTime() - since.getTime()) / 1000) : undefined;
  };
  const [baseAgeSeconds, logAgeSeconds] = [age(base?.endedAt), age(archivedUntil)];
  return { ...(baseAgeSeconds !== undefined && { baseAgeSeconds }), ...(logAgeSeconds !== undefined && { logAgeSeconds }) };
}

/** Findings of the last isolation test of each pair. */
async function readIsolation(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    found: number;
  }>`select coalesce(sum(p.found), 0)::integer as found from isolation_pairs p join organisations a on a.id = p.actor_organisation_id
    where a.deactivated_at is null`.execute(tx);
  return rows[0]!.found;
}

/** Feeds that are on. */
async function readFeeds(tx: Tx, now: Date): Promise<NonNullable<Measure['feeds']>> {
  const rows = await tx.selectFrom('advisory_feeds').select(['kind', 'failures', 'read_at']).where('is_on', '=', true).execute();
  return rows.map(({ kind, failures, read_at: readAt }) => ({
    name: kind,
    failures,
    ...(readAt && { ageSeconds: Math.max(0, (now.getTime() - readAt.getTime()) / 1000) }),
  }));
}

/** For metrics. The database’s part is measured by the role `worker`, once for each of its processes. */
export async function measure(deps: MeasureDeps): Promise<Measure> {
  const { config, db, clock } = deps;
  const own = { disks: await disksOf(deps), pool: poolOf(deps) };
  if (!config.roles.includes('worker')) return own;
  const now = new Date(clock.now());
  try {
    return await readScoped(db, 'system', async (tx) => {
      const queues = await readQueues(tx, now);
      const { online, total, silent, databaseBytes } = await readSizes(tx, now);
      const isolationFound = await readIsolation(tx);
      const feeds = await readFeeds(tx, now);
      const state = { queues, agents: { online, total }, silentSources: silent, databaseBytes, isolationFound, feeds };
      return { ...own, ...state, ...(config.backup && { backup: await backupAges(tx, now) }) };
    });
  } catch {
    // The database is away: its own part stands.
    return own;
  }
}
