-- Alerts leave too, with their events where a rule chooses so; severities of rules concern whatever has one (docs/decisions/0185-alerts-out.md).
-- Events of a rule with a digest are sent together (docs/decisions/0186-digests-of-rules.md).
alter table delivery_rules add column with_events boolean not null default false;
-- 0 for each event at once; otherwise the minutes between two digests.
alter table delivery_rules add column digest_minutes integer not null default 0 check (digest_minutes between 0 and 1440);
-- Waits for the others of its time.
alter table deliveries add column is_digest boolean not null default false;
-- The delivery in whose message this one was sent.
alter table deliveries add column digest_id integer;

-- True for an alert that left its case to be correlated again: it was sent when it was raised.
alter table correlation_queue add column is_again boolean not null default false;

-- True where a rule may send the client's events of this name, so that nothing is read for messages that nobody receives.
create function is_event_routed(wanted text, client integer) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (
    select from organisations o
    join delivery_rules r on r.organisation_id in (o.id, o.parent_id, 1) and r.is_on and wanted = any (r.events)
      and (r.client_id is null or r.client_id = o.id)
    where o.id = client and ((select app_is_system()) or client = any ((select app_organisations())::integer[]))) $$;
revoke all on function is_event_routed(text, integer) from public;
grant execute on function is_event_routed(text, integer) to parapet_app;

-- The next time that is a multiple of the minutes; 06:00 UTC for those of a day.
create function digest_time(at timestamptz, minutes integer) returns timestamptz
language sql immutable parallel safe set search_path = public, pg_temp as $$
  select to_timestamp(floor((extract(epoch from at) - o.base) / (minutes * 60)) * minutes * 60 + minutes * 60 + o.base)
  from (select case minutes when 1440 then 6 * 3600 else 0 end as base) o $$;

-- As in 0098. Causes without a case have the severity that they state; `events` among the facts is for rules that choose events.
create or replace function queue_deliveries(causes jsonb) returns integer
language sql volatile security definer set search_path = public, pg_temp as $$
  with cause as (
    select c.place, c."organisationId" as client_id, c.event, c.subject, c."objectId" as object_id, c.key, c."actorId" as actor_id, c.at,
      k.id is not null as is_of_case, coalesce(k.criticality, c.criticality) as criticality, k.verdict, coalesce(c.status, k.status) as status,
      coalesce(c.facts, '{}') || case when k.id is null then '{}' else
        jsonb_build_object('title', k.title, 'criticality', k.criticality, 'verdict', k.verdict, 'confidence', k.confidence, 'status', k.status,
          'alerts', k.alert_count) end as facts
    from rows from (jsonb_to_recordset(causes) as ("organisationId" integer, event text, subject text, "objectId" integer, key text,
      "actorId" integer, at timestamptz, status text, criticality integer, facts jsonb)) with ordinality
      as c ("organisationId", event, subject, "objectId", key, "actorId", at, status, criticality, facts, place)
    left join cases k on c.event like 'case.%' and k.id = c."objectId" and k.organisation_id = c."organisationId"
    where ((select app_is_system()) or c."organisationId" = any ((select app_organisations())::integer[]))
      and (c.event not like 'case.%' or k.id is not null and not k.is_excluded)
  ), written as (
    insert into deliveries (organisation_id, target_id, client_id, event, subject, object_id, key, facts, actor_user_id, event_at,
      queue_at, next_at, expires_at, unless_acknowledged, is_digest)
    select t.organisation_id, t.id, c.client_id, c.event, c.subject, c.object_id,
      c.key || case m.after_minutes when 0 then '' else ':after ' || m.after_minutes end,
      case when m.with_events then c.facts else c.facts - 'events' end
        || case m.after_minutes when 0 then '{}' else jsonb_build_object('afterMinutes', m.after_minutes) end, c.actor_id, c.at,
      m.due_at, m.due_at, m.due_at + interval '72 hours', m.after_minutes > 0, m.digest_minutes > 0
    from cause c
    join organisations o on o.id = c.client_id
    join delivery_targets t on t.organisation_id in (o.id, o.parent_id, 1)
    join lateral (
      select s.after_minutes, bool_or(s.with_events) as with_events, min(s.digest_minutes) as digest_minutes,
        case min(s.digest_minutes) when 0 then c.at + s.after_minutes * interval '1 minute' else digest_time(c.at, min(s.digest_minutes)) end as due_at
      from (
        select n.after_minutes, r.with_events, r.digest_minutes
        from (
          select r.id, r.after_minutes from delivery_rules r where r.target_id = t.id
          union all select e.rule_id, e.after_minutes from delivery_escalations e where e.target_id = t.id and e.organisation_id = t.organisation_id
        ) n join delivery_rules r on r.id = n.id
        where r.organisation_id = t.organisation_id and r.is_on and c.event = any (r.events)
          and (r.client_id is null or r.client_id = c.client_id)
          and (c.criticality is null or c.criticality >= r.min_criticality)
          and (not c.is_of_case or r.verdicts = '{}' or c.verdict = any (r.verdicts))
          and (c.event <> 'case.statusChanged' or r.statuses = '{}' or c.status = any (r.statuses))
          and (c.event in ('case.opened', 'case.verdict') or n.after_minutes = 0)
          -- A digest is due at one time for all clients, whatever the hours.
          and (c.event = 'digest.weekly' or in_hours(c.at, r.zone, r.days, r.from_minute, r.to_minute))
        union all select 0, false, 0 where t.follows and c.event in ('case.acknowledged', 'case.statusChanged')
          and exists (select from deliveries d where d.target_id = t.id and d.subject = c.subject and d.client_id = c.client_id
            and (d.attempts > 0 or not d.unless_acknowledged))
      ) s group by s.after_minutes
    ) m on true
    order by c.place
    on conflict (target_id, key) do nothing
    returning 1
  )
  select count(*)::integer from written $$;
