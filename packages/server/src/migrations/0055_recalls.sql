-- Archived days that were brought back for a case, as blocks of their own (docs/decisions/0058-archive.md).

create table recalls (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  case_id integer not null references cases on delete cascade,
  first_day date not null,
  last_day date not null,
  requested_by integer references users,
  requested_by_name text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  state text not null default 'loading' check (state in ('loading', 'ready', 'released')),
  failure text not null default '',
  released_at timestamptz,
  check (last_day >= first_day)
);
create index recalls_case on recalls (case_id, id);
create index recalls_organisation on recalls (organisation_id);
create index recalls_requested_by on recalls (requested_by) where requested_by is not null;
-- Until it is released.
create table recall_files (
  recall_id integer not null references recalls on delete cascade,
  organisation_id integer not null references organisations,
  archive_file_id integer not null references archive_files,
  is_loaded boolean not null default false,
  primary key (recall_id, archive_file_id)
);
create index recall_files_file on recall_files (archive_file_id);
create index recall_files_organisation on recall_files (organisation_id);
alter table recalls enable row level security;
alter table recall_files enable row level security;
create policy tenant on recalls using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
create policy tenant on recall_files using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on recalls to parapet_app;
grant select, insert, update, delete on recall_files to parapet_app;

-- Removes brought back events that no recall needs any more; the archive has them.
create function remove_recalled(organisation integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint;
begin
  if not coalesce(app_is_system(), false) then
    raise exception 'only the portal''s own work releases events' using errcode = 'insufficient_privilege';
  end if;
  with old as (
    delete from event_blocks b where b.organisation_id = organisation and b.archive_file_id is not null
      and exists (select from archive_files f where f.id = b.archive_file_id)
      and not exists (select from recall_files r where r.archive_file_id = b.archive_file_id) returning count
  ) select coalesce(sum(count), 0) into gone from old;
  return gone;
end $$;
revoke all on function remove_recalled(integer) from public;
grant execute on function remove_recalled(integer) to parapet_app;

-- As before, but for files that a recall needs.
create or replace function expired_archive_files(most integer) returns setof archive_files
language sql stable security definer set search_path = public, pg_temp as $$
  select f.* from archive_files f
  where app_is_system() and f.day < (now() at time zone 'UTC')::date - make_interval(months => archive_months_of(f.organisation_id))
    and not is_held(f.organisation_id) and not exists (select from recall_files r where r.archive_file_id = f.id)
    and not exists (select from event_blocks b where b.organisation_id = f.organisation_id and b.archive_file_id = f.id)
  order by f.id limit most
$$;
