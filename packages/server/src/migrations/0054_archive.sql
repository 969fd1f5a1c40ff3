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

-- Files that are being written, so that an interruption leaves none that nobody knows.
create table archive_writes (
  key text primary key,
  organisation_id integer not null references organisations,
  day date not null
);
create index archive_writes_organisation on archive_writes (organisation_id);
alter table archive_writes enable row level security;
create policy tenant on archive_writes using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, delete on archive_writes to parapet_app;

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

revoke all on function archive_blocks(integer, uuid[], jsonb), expired_archive_files(integer), remove_archive_file(integer) from public;
grant execute on function archive_blocks(integer, uuid[], jsonb), expired_archive_files(integer), remove_archive_file(integer) to parapet_app;
