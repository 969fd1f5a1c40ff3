/** Agents and shippers, as SQL over devices and agents. */
import { silentAfterMs, staleAfterMs } from '@parapet/contract/agents.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import { idsOf, stateAt } from './deviceState.ts';

export interface CollectorTimes {
  now: Date;
  staleBefore: Date;
  silentBefore: Date;
}

export const collectorTimes = (now: number): CollectorTimes => ({
  now: new Date(now),
  staleBefore: new Date(now - staleAfterMs),
  silentBefore: new Date(now - silentAfterMs),
});

/**
 * Each device that sends, and each agent. A device whose last agent was revoked, with no other source since, is shown as
 * revoked. Names of merged devices resolve to their target.
 */
export const collectors = (scope: Scope, times: CollectorTimes): RawBuilder<unknown> => sql`
  select d.id as device_id, d.organisation_id, d.name, d.device_type, a.id as agent_id, a.platform, a.said, a.enrolled_at, a.is_isolated,
    case when a.id is null then d.agent_version else 'mdr-agent ' || a.version end as version,
    case when a.id is null then d.last_event_at else a.last_check_in_at end as last_seen_at,
    case when a.id is not null then 'agent'
      when d.agent_version ~* '^\\S*beat\\M' then 'beat'
      when d.agent_version is null and d.device_type in ('server', 'workstation', 'networkDevice') then 'syslog'
      else 'other' end as kind,
    case when a.revoked_at is not null then 'revoked'
      when a.id is not null then case
        when coalesce(a.last_check_in_at, a.enrolled_at) >= ${times.staleBefore} then 'online'
        when coalesce(a.last_check_in_at, a.enrolled_at) >= ${times.silentBefore} then 'stale' else 'silent' end
      else case ${stateAt(times.now)} when 'reporting' then 'online' when 'never' then 'silent' else ${stateAt(times.now)} end end as state,
    coalesce(a.upgrade_version, u.version) as upgrade_version, coalesce(a.upgrade_state, case when u.device_id is not null then 'instructed' end) as upgrade_state,
    case when a.upgrade_state is null then u.detail else a.upgrade_detail end as upgrade_detail
  from devices d
  left join lateral (
    select a.*, row_number() over (order by a.revoked_at is not null, a.id desc) as place from agents a
    where a.organisation_id = d.organisation_id and a.device_id in ${idsOf}
  ) a on a.revoked_at is null or (a.place = 1 and d.agent_version like 'mdr-agent %')
  left join upgrade_instructions u on u.device_id = d.id and a.id is null
  where ${within('d.organisation_id', scope)} and d.merged_into is null and (a.id is not null or d.last_event_at is not null)`;

/** Numbers of "winlogbeat 8.17.1" or "1.4.0", in order; null without any. Suffixes are ignored, as by compareVersions of the contract. */
export const versionParts = (version: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`string_to_array(regexp_replace((regexp_match(${version}, '(?:^|^\\S+ )(\\d+(?:\\.\\d+)*)\\S*$'))[1], '(\\.0+)+$', ''), '.')::numeric[]`;

/** Collectors with the `newest` version of the same kind: of the releases for agents, of the scope's devices for others. */
export const collectorsWithNewest = (scope: Scope, now: number): RawBuilder<unknown> => sql`
  select c.*, case when c.platform is null then v.newest else r.newest end as newest
  from (${collectors(scope, collectorTimes(now))}) c
  left join (select platform, max(${versionParts(sql`version`)}) as newest from agent_releases group by 1) r on r.platform = c.platform
  left join (select split_part(agent_version, ' ', 1) as product, max(${versionParts(sql`agent_version`)}) as newest
    from devices where ${within('organisation_id', scope)} and agent_version like '% %' group by 1) v on v.product = split_part(c.version, ' ', 1)`;
