-- Retention of raw events per client within limits of the Host, legal holds, and requests that a second person decides (docs/decisions/0057-retention.md).

alter table organisations
  add column archive_months integer check (archive_months between 0 and 120),
  add column held_since timestamptz,
  add column held_reason text not null default '',
  add column held_by integer references users,
  add column held_by_name text not null default '';
create index organisations_held_by on organisations (held_by) where held_by is not null;

alter table installation_settings
  add column event_days_min integer not null default 1 check (event_days_min between 1 and 3650),
  -- Null for the portal's default, EVENT_RETENTION_DAYS.
  add column event_days_max integer check (event_days_max between 1 and 3650),
  add column archive_months_max integer not null default 84 check (archive_months_max between 0 and 120);

-- Requests of a Host about the data of one client.
create table retention_requests (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  kind text not null check (kind in ('hold', 'lift', 'erase')),
  reason text not null,
  requested_by integer references users,
  requested_by_name text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'confirmed', 'refused', 'expired')),
  decided_by integer references users,
  decided_by_name text not null default '',
  decided_at timestamptz
);
create index retention_requests_organisation on retention_requests (organisation_id, requested_at desc);
create unique index retention_requests_waiting on retention_requests (organisation_id) where state = 'waiting';
create index retention_requests_requested_by on retention_requests (requested_by) where requested_by is not null;
create index retention_requests_decided_by on retention_requests (decided_by) where decided_by is not null;
alter table retention_requests enable row level security;
create policy tenant on retention_requests using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on retention_requests to parapet_app;

-- True while nothing of a client may expire or be erased: under legal hold, and while a requested hold waits for its second person.
create function is_held(organisation integer) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from organisations where id = organisation and held_since is not null)
    or exists (select from retention_requests where organisation_id = organisation and kind = 'hold' and state = 'waiting' and expires_at > now())
$$;
revoke all on function is_held(integer) from public;
grant execute on function is_held(integer) to parapet_app;

-- Set on blocks that were brought back from the archive (migration 0054): they are not merged, archived or removed by age.
alter table event_blocks add column archive_file_id integer;
create index event_blocks_archive on event_blocks (organisation_id, archive_file_id) where archive_file_id is not null;

-- Months in the archive as applied: the choice within the limit of the Host.
create function archive_months_of(organisation integer) returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select least(coalesce(o.archive_months, 0), s.archive_months_max) from organisations o cross join installation_settings s
    where o.id = organisation), 0)
$$;

revoke all on function archive_months_of(integer) from public;
grant execute on function archive_months_of(integer) to parapet_app;

-- As before, but for months with rows of a client under hold, with events that go to the archive first, or that were brought back: others' rows
-- are removed from these by age.
create or replace function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
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
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass order by 1 loop
    if (to_date(right(child, 7), 'YYYY_MM') + interval '1 month')::timestamp at time zone 'UTC' <= before then
      execute format('select exists (select from organisations o where (is_held(o.id) or $1 and archive_months_of(o.id) > 0)
        and exists (select from %I c where c.organisation_id = o.id))', child) into is_needed using parent in ('event_blocks', 'event_rows');
      if not is_needed and parent = 'event_blocks' then
        execute format('select exists (select from %I where archive_file_id is not null)', child) into is_needed;
      end if;
      if not is_needed then
        execute format('drop table %I', child);
        return next child;
      end if;
    end if;
  end loop;
end $$;

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
  else
    raise exception '% is nothing that has an age', kind;
  end if;
  return gone;
end $$;
