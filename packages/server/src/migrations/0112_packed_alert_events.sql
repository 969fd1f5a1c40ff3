-- Copies of alerts' events are packed into compressed blocks soon after they were written (docs/decisions/0096-packed-copies-and-predicted-columns.md). Until then they lie in a
-- table of their own, which the packing empties, so that a vacuum returns its room. Rows of before stay in their months and are read as they are.
alter table alert_events rename to alert_events_kept;
alter table alert_events_kept add column is_recent boolean not null default false;
alter table alert_events_kept add column copied_at timestamptz not null default now();
create table alert_events (like alert_events_kept including defaults) partition by list (is_recent);
alter table alert_events attach partition alert_events_kept for values in (false);
create table alert_events_recent partition of alert_events (primary key (organisation_id, alert_id, event_at, event_id, alert_at)) for values in (true)
  with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 500);
alter table alert_events enable row level security;
alter table alert_events_recent enable row level security;
create policy tenant on alert_events using ((select app_is_system()) or organisation_id in (select unnest(app_organisations())));
create policy tenant on alert_events_recent using ((select app_is_system()) or organisation_id in (select unnest(app_organisations())));
revoke all on alert_events_kept from parapet_app;
grant select, insert on alert_events to parapet_app;
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute 'grant maintain on alert_events_recent to parapet_app';
  end if;
end $$;

-- Copies of alerts of one organisation that began within one day (UTC).
create table alert_event_packs (
  id uuid not null,
  organisation_id integer not null,
  first_alert_at timestamptz not null,
  last_alert_at timestamptz not null,
  count integer not null check (count > 0),
  alert_ids integer[] not null,
  -- Ids of the events, 16 bytes each, in the order of the body.
  event_ids bytea not null,
  body bytea not null,
  primary key (organisation_id, first_alert_at, id),
  check (last_alert_at - first_alert_at < interval '1 day'),
  check (octet_length(event_ids) = 16 * count)
);
alter table alert_event_packs alter column body set storage external, alter column event_ids set storage external;
alter table alert_event_packs enable row level security;
create policy tenant on alert_event_packs using ((select app_is_system()) or organisation_id in (select unnest(app_organisations())));
grant select, insert on alert_event_packs to parapet_app;

-- Removes copies that became part of a pack, which the same transaction inserted.
create function remove_packed_copies(organisation integer, alerts integer[], times timestamptz[], events uuid[], pack uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint;
  kept bigint;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work packs copies of events' using errcode = 'insufficient_privilege';
  end if;
  delete from alert_events_recent e using unnest(alerts, times, events) as p (alert_id, event_at, event_id)
  where e.organisation_id = organisation and e.alert_id = p.alert_id and e.event_at = p.event_at and e.event_id = p.event_id;
  get diagnostics gone = row_count;
  select count into kept from alert_event_packs p where p.organisation_id = organisation and p.id = pack;
  if gone is distinct from kept then
    raise exception '% copies of events would become a pack of %', gone, coalesce(kept, 0);
  end if;
end $$;
revoke all on function remove_packed_copies(integer, integer[], timestamptz[], uuid[], uuid) from public;
grant execute on function remove_packed_copies(integer, integer[], timestamptz[], uuid[], uuid) to parapet_app;

create or replace function months_of(parent text) returns text language sql immutable set search_path = public, pg_temp as
  $$ select case parent when 'event_blocks' then 'event_blocks_merged' when 'alert_events' then 'alert_events_kept' else parent end $$;

-- As before; with the months of alerts' events go their packs and what waits for one.
create or replace function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
  first timestamptz;
  after timestamptz;
  is_needed boolean;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes what is over age' using errcode = 'insufficient_privilege';
  end if;
  if parent not in ('event_blocks', 'event_rows', 'alerts', 'alert_events') then
    raise exception '% is not a table with months', parent;
  end if;
  -- Whoever gets hold of the application's role cannot throw today's evidence away.
  if before > now() - interval '1 day' then
    raise exception 'months are dropped when they are over, not before';
  end if;
  perform pg_advisory_xact_lock(7301);
  if parent = 'alert_events' then
    after := date_trunc('month', before, 'UTC');
    delete from alert_event_packs p where p.last_alert_at < after and not is_held(p.organisation_id);
    delete from alert_events_recent e where e.alert_at < after and not is_held(e.organisation_id);
  end if;
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = months_of(parent)::regclass order by 1 loop
    first := to_date(right(child, 7), 'YYYY_MM')::timestamp at time zone 'UTC';
    after := (to_date(right(child, 7), 'YYYY_MM') + interval '1 month')::timestamp at time zone 'UTC';
    if after <= before then
      execute format('select exists (select from organisations o where (is_held(o.id) or $1 and archive_months_of(o.id) > 0)
        and exists (select from %I c where c.organisation_id = o.id))', child) into is_needed using parent in ('event_blocks', 'event_rows');
      if not is_needed and parent = 'event_blocks' then
        execute format('select exists (select from %I where archive_file_id is not null)', child) into is_needed;
        is_needed := is_needed or exists (select from event_blocks_recent b
          where b.first_at >= first and b.first_at < after and (is_held(b.organisation_id) or archive_months_of(b.organisation_id) > 0));
      end if;
      if not is_needed then
        if parent = 'event_blocks' then
          -- A merge would find no month for them.
          delete from event_blocks_recent b where b.first_at >= first and b.first_at < after;
        end if;
        execute format('drop table %I', child);
        return next child;
      end if;
    end if;
  end loop;
end $$;

-- As before; a pack goes when the last of its alerts has gone.
create or replace function remove_over_age(kind text, organisation integer, before timestamptz, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes what is over age' using errcode = 'insufficient_privilege';
  end if;
  if before > now() - interval '1 day' then
    raise exception 'events and alerts are removed when they are over age, not before';
  end if;
  if is_held(organisation) then
    raise exception 'organisation % is under legal hold', organisation;
  end if;
  if kind in ('event_blocks', 'event_rows') and archive_months_of(organisation) > 0 then
    raise exception 'events of organisation % go to the archive', organisation;
  end if;
  if kind = 'event_blocks' then
    with old as (
      delete from event_blocks where (organisation_id, first_at, id) in (
        select b.organisation_id, b.first_at, b.id from event_blocks b
        where b.organisation_id = organisation and b.first_at < before and b.last_at < before and b.archive_file_id is null order by b.first_at limit most)
      returning count
    ) select coalesce(sum(count), 0) into gone from old;
  elsif kind = 'event_rows' then
    delete from event_rows where (organisation_id, at, id) in (
      select e.organisation_id, e.at, e.id from event_rows e where e.organisation_id = organisation and e.at < before order by e.at limit most);
    get diagnostics gone = row_count;
  elsif kind = 'alerts' then
    with old as (
      delete from alerts where (id, at) in (
        select a.id, a.at from alerts a
        where a.organisation_id = organisation and a.at < before and a.last_at < before order by a.at limit most)
      returning id, at
    ), copies as (
      delete from alert_events c using old where c.alert_id = old.id and c.alert_at = old.at
    ) select count(*) into gone from old;
    delete from alert_event_packs p where p.organisation_id = organisation and p.last_alert_at < before
      and not exists (select from alerts a where a.organisation_id = organisation and a.id = any (p.alert_ids)
        and a.at between p.first_alert_at and p.last_alert_at);
  else
    raise exception '% is nothing that has an age', kind;
  end if;
  return gone;
end $$;
