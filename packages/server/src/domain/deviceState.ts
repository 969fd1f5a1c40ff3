/** Device state and event volume against the baseline, as SQL over `devices d`. Duplicates follow the device they were merged into. */
import type { DeviceState } from '@parapet/contract/devices.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { maxWeeks } from './baseline.ts';

/** State from the source monitor; stale after a day without an event until the first measurement. */
export const stateAt = (now: Date): RawBuilder<DeviceState> => sql<DeviceState>`case
  when d.last_event_at is null then 'never'
  when d.silent_since is not null then 'silent'
  when case when d.quiet_from = d.last_event_at then d.stale_at <= ${now} else d.last_event_at < ${new Date(now.getTime() - dayMs)} end then 'stale'
  else 'reporting' end`;

/** The device itself and its duplicates. */
export const idsOf = sql`(select d.id union all select i.id from devices i where i.merged_into = d.id)`;

const ownAgents = sql`agents a where a.organisation_id = d.organisation_id and a.device_id in ${idsOf} and a.revoked_at is null`;
/** True when the portal’s agent runs on it. */
export const hasAgent = sql<boolean>`exists (select from ${ownAgents})`;
/** True when its agent reports its isolation, or the response ledger observes it. */
export const isIsolated = sql<boolean>`(exists (select from ${ownAgents} and a.is_isolated)
  or exists (select from response_flags f where f.organisation_id = d.organisation_id and f.kind = 'deviceIsolated'
    and f.value_key in (select d.name_key union all select i.name_key from devices i where i.merged_into = d.id)))`;

/** Events of the 24 hours behind `from`, to the hour. */
const eventsOf = (from: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(select sum(h.events) from device_hours h where h.organisation_id = d.organisation_id and h.device_id in ${idsOf}
    and h.hour > ${from} and h.hour <= ${from} + interval '24 hours')`;

/** Events of the last 24 hours. */
export const eventsOfDay = (now: Date): RawBuilder<number> =>
  sql<number>`coalesce(${eventsOf(sql`${new Date(now.getTime() - dayMs)}::timestamptz`)}, 0)::float8`;

/** The mean of these 24 hours in up to four weeks before, with less than a week of the days before; null with less than two days (core/usual.ts). */
export const usualDay = (now: Date): RawBuilder<number | null> => sql<number | null>`(
  select round((select sum(coalesce(${eventsOf(sql`${now}::timestamptz - (n + 1.0 / p.days) * p.days * interval '1 day'`)}, 0))
    from generate_series(1, p.periods) as n) / p.periods)::float8
  from (
    select s.days, case s.days when 7 then least(s.whole / 7, ${maxWeeks}) else s.whole end as periods
    from (select f.whole, case when f.whole >= 7 then 7 else 1 end as days
      from (select floor(extract(epoch from ${now}::timestamptz - min(h.hour)) / 86400)::integer - 1 as whole
        from device_hours h where h.organisation_id = d.organisation_id and h.device_id = d.id) f) s
  ) p where p.periods > 0)`;
