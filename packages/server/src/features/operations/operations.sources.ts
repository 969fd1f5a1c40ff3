/** Feeds and connections that fail or are old, for the operations page. */
import { type FeedKind, feedTitles } from '@parapet/contract/advisoryFeeds.ts';
import type { SourceWarning } from '@parapet/contract/operations.processes.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';

/** Feeds are read every six hours. */
const oldFeedMs = dayMs;
/** Connections are read every few minutes, and listening is confirmed several times in a minute. */
const oldConnectionMs = hourMs;
const limit = 100;

interface Row extends Omit<SourceWarning, 'readAt' | 'error'> {
  error: string | null;
  readAt: Date | null;
}

export async function readSourceWarnings(tx: Tx, now: Date): Promise<SourceWarning[]> {
  const oldFeed = new Date(now.getTime() - oldFeedMs);
  const oldConnection = new Date(now.getTime() - oldConnectionMs);
  const { rows } = await sql<Row>`
    select * from (
      select 'feed' as kind, kind as name, null::integer as "clientOrganizationID", '' as client,
        case when failures > 0 then 'failing' else 'old' end as state, error, read_at as "readAt"
      from advisory_feeds where is_on and (failures > 0 or coalesce(read_at, next_at) < ${oldFeed})
      union all
      select 'connection', c.name, c.organisation_id, o.name,
        case when c.state = 'stopped' then 'stopped' when c.failures > 0 or y.error is not null then 'failing' else 'old' end,
        coalesce(c.error, y.error), c.pulled_at
      from connections c join organisations o on o.id = c.organisation_id left join organisations p on p.id = o.parent_id
      left join incident_syncs y on y.connection_id = c.id
      where o.deactivated_at is null and p.deactivated_at is null
        and (c.state = 'stopped'
          or (c.state = 'active' and (c.failures > 0 or y.error is not null or coalesce(c.pulled_at, c.created_at) < ${oldConnection})))
    ) s order by kind desc, "readAt" nulls first, name limit ${limit}`.execute(tx);
  return rows.map(({ error, readAt, ...row }) => ({
    ...row,
    name: row.kind === 'feed' ? (feedTitles[row.name as FeedKind] ?? row.name) : row.name,
    error: error ?? '',
    readAt: readAt?.toISOString() ?? null,
  }));
}
