-- Looks of provider and partner staff into the data of clients, by shift (docs/decisions/0094-access-log.md).
create table access_shifts (
  id integer generated always as identity primary key,
  -- Organisation of the person.
  organisation_id integer not null references organisations on delete cascade,
  user_id integer not null references users on delete cascade,
  started_at timestamptz not null,
  until timestamptz not null,
  -- Null: none given yet.
  reason text,
  reason_text text not null default '',
  check (until >= started_at)
);
create index access_shifts_user on access_shifts (user_id, until);
create index access_shifts_organisation on access_shifts (organisation_id);
alter table access_shifts enable row level security;
create policy tenant on access_shifts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on access_shifts to parapet_app;

create table access_looks (
  id bigint generated always as identity primary key,
  -- Organisation whose data was looked at.
  organisation_id integer not null references organisations on delete cascade,
  user_id integer references users on delete set null,
  -- As they were; the names that a reader may know are chosen when reading.
  person_name text not null,
  person_organisation_name text not null,
  -- A sensitive view, whose entries are its own; empty for all others of the shift.
  view text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Later looks begin another entry.
  until timestamptz not null,
  -- 0: a reason was given, and no look followed.
  looks integer not null,
  kinds text[] not null,
  channels text[] not null,
  -- False: only in lists over all clients.
  is_opened boolean not null,
  reason text,
  reason_text text not null default ''
);
create index access_looks_organisation on access_looks (organisation_id, last_at);
create index access_looks_user on access_looks (user_id, until);
alter table access_looks enable row level security;
create policy tenant on access_looks using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on access_looks to parapet_app;

-- Kept as long as entries of the audit log.
create function drop_old_looks() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with shifts as (
    delete from access_shifts where until < now() - interval '400 days'
  ), gone as (
    delete from access_looks where last_at < now() - interval '400 days' returning 1
  )
  select count(*) from gone
$$;
revoke all on function drop_old_looks() from public;
grant execute on function drop_old_looks() to parapet_app;
