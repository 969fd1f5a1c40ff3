-- The archive: raw events past their days as Parquet files of one client and day (UTC), listed here (docs/decisions/0058-archive.md).

create table archive_files (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  day date not null,
  -- Late events of an archived day make another part.
  part integer not null check (part > 0),
  key text not null unique,
  rows integer not null check (rows > 0),
  bytes bigint not null check (bytes > 0),
  -- Of the file, in hex.
  sha256 text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (organisation_id, day, part)
);
alter table archive_files enable row level security;
create policy tenant on archive_files using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select on archive_files to parapet_app;

-- Set on blocks that were brought back from the archive: they are merged, archived and removed by age no more.
alter table event_blocks add column archive_file_id integer;
create index event_blocks_archive on event_blocks (organisation_id, archive_file_id) where archive_file_id is not null;

-- Months in the archive as applied: the choice within the limit of the Host.
create function archive_months_of(organisation integer) returns integer
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select least(coalesce(o.archive_months, 0), s.archive_months_max) from organisations o cross join installation_settings s
    where o.id = organisation), 0)
$$;

-- Replaces blocks of one day by a file that was written and read again: as many events, or none of it happens.
create function archive_blocks(organisation integer, blocks uuid[], file jsonb) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint;
  made integer;
begin
  if not coalesce(app_is_system(), false) then
    raise exception 'only the portal''s own work archives events' using errcode = 'insufficient_privilege';
  end if;
  if is_held(organisation) then
    raise exception 'organisation % is under legal hold', organisation;
  end if;
  with old as (
    delete from event_blocks b where b.organisation_id = organisation and b.id = any (blocks) and b.archive_file_id is null
      and b.first_at >= (file ->> 'day')::date::timestamp at time zone 'UTC' and b.first_at < ((file ->> 'day')::date + 1)::timestamp at time zone 'UTC'
      and b.last_at < now() - interval '1 day' returning count
  ) select coalesce(sum(count), 0) into gone from old;
  if gone is distinct from (file ->> 'rows')::bigint then
    raise exception 'blocks of % events would become a file of %', gone, file ->> 'rows';
  end if;
  insert into archive_files (organisation_id, day, part, key, rows, bytes, sha256, first_at, last_at)
  values (organisation, (file ->> 'day')::date, (file ->> 'part')::integer, file ->> 'key', (file ->> 'rows')::integer, (file ->> 'bytes')::bigint,
    file ->> 'sha256', (file ->> 'firstAt')::timestamptz, (file ->> 'lastAt')::timestamptz)
  returning id into made;
  return made;
end $$;

-- Files past their months, of organisations that are not held.
create function expired_archive_files(most integer) returns setof archive_files
language sql stable security definer set search_path = public, pg_temp as $$
  select f.* from archive_files f
  where app_is_system() and f.day < (now() at time zone 'UTC')::date - make_interval(months => archive_months_of(f.organisation_id))
    and not is_held(f.organisation_id)
  order by f.id limit most
$$;

create function remove_archive_file(file integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from expired_archive_files(null) f where f.id = file) then
    raise exception 'file % of the archive is needed', file;
  end if;
  delete from archive_files where id = file;
end $$;

-- As before, but for months with events that go to the archive first.
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

revoke all on function archive_months_of(integer), archive_blocks(integer, uuid[], jsonb), expired_archive_files(integer), remove_archive_file(integer) from public;
grant execute on function archive_months_of(integer), archive_blocks(integer, uuid[], jsonb), expired_archive_files(integer), remove_archive_file(integer) to parapet_app;
