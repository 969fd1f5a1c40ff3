-- Levels of escalation: further targets for the events of a rule, each unless the case is acknowledged by then (docs/decisions/0081).
create table delivery_escalations (
  rule_id integer not null references delivery_rules on delete cascade,
  organisation_id integer not null references organisations,
  target_id integer not null references delivery_targets on delete cascade,
  -- Counted from the event.
  after_minutes integer not null check (after_minutes between 1 and 1440),
  primary key (rule_id, after_minutes, target_id)
);
create index delivery_escalations_organisation on delivery_escalations (organisation_id);
create index delivery_escalations_target on delivery_escalations (target_id);
alter table delivery_escalations enable row level security;
create policy tenant on delivery_escalations using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on delivery_escalations to parapet_app;

-- As in 0050, and with the levels of each rule. Rules and levels count for targets of their own organisation only.
create or replace function queue_deliveries(causes jsonb) returns integer
language sql volatile security definer set search_path = public, pg_temp as $$
  with cause as (
    select c.place, c."organisationId" as client_id, c.event, c.subject, c."objectId" as object_id, c.key, c."actorId" as actor_id, c.at,
      k.criticality, k.verdict, coalesce(c.status, k.status) as status, coalesce(c.facts, '{}') || case when k.id is null then '{}' else
        jsonb_build_object('title', k.title, 'criticality', k.criticality, 'verdict', k.verdict, 'confidence', k.confidence, 'status', k.status,
          'alerts', k.alert_count) end as facts
    from rows from (jsonb_to_recordset(causes) as ("organisationId" integer, event text, subject text, "objectId" integer, key text,
      "actorId" integer, at timestamptz, status text, facts jsonb)) with ordinality
      as c ("organisationId", event, subject, "objectId", key, "actorId", at, status, facts, place)
    left join cases k on c.event like 'case.%' and k.id = c."objectId" and k.organisation_id = c."organisationId"
    where ((select app_is_system()) or c."organisationId" = any ((select app_organisations())::integer[]))
      and (c.event not like 'case.%' or k.id is not null and not k.is_excluded)
  ), written as (
    insert into deliveries (organisation_id, target_id, client_id, event, subject, object_id, key, facts, actor_user_id, event_at,
      queue_at, next_at, expires_at, unless_acknowledged)
    select t.organisation_id, t.id, c.client_id, c.event, c.subject, c.object_id,
      c.key || case m.after_minutes when 0 then '' else ':after ' || m.after_minutes end,
      c.facts || case m.after_minutes when 0 then '{}' else jsonb_build_object('afterMinutes', m.after_minutes) end, c.actor_id, c.at,
      c.at + m.delay, c.at + m.delay, c.at + m.delay + interval '72 hours', m.after_minutes > 0
    from cause c
    join organisations o on o.id = c.client_id
    join delivery_targets t on t.organisation_id in (o.id, o.parent_id, 1)
    join lateral (
      select n.after_minutes, n.after_minutes * interval '1 minute' as delay
      from (
        select r.id, r.after_minutes from delivery_rules r where r.target_id = t.id
        union all select e.rule_id, e.after_minutes from delivery_escalations e where e.target_id = t.id and e.organisation_id = t.organisation_id
      ) n join delivery_rules r on r.id = n.id
      where r.organisation_id = t.organisation_id and r.is_on and c.event = any (r.events)
        and (r.client_id is null or r.client_id = c.client_id)
        and (c.criticality is null or c.criticality >= r.min_criticality)
        and (c.criticality is null or r.verdicts = '{}' or c.verdict = any (r.verdicts))
        and (c.event <> 'case.statusChanged' or r.statuses = '{}' or c.status = any (r.statuses))
        and (c.event in ('case.opened', 'case.verdict') or n.after_minutes = 0)
        -- A digest is due at one time for all clients, whatever the hours.
        and (c.event = 'digest.weekly' or in_hours(c.at, r.zone, r.days, r.from_minute, r.to_minute))
      union select 0, interval '0' where t.follows and c.event in ('case.acknowledged', 'case.statusChanged')
        and exists (select from deliveries d where d.target_id = t.id and d.subject = c.subject and d.client_id = c.client_id
          and (d.attempts > 0 or not d.unless_acknowledged))
    ) m on true
    order by c.place
    on conflict (target_id, key) do nothing
    returning 1
  )
  select count(*)::integer from written $$;
