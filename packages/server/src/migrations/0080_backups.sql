-- State of backups, and the pause after a restore (docs/decisions/0072-backup.md).

create table backup_runs (
  id integer generated always as identity primary key,
  kind text not null check (kind in ('base', 'verification')),
  started_at timestamptz not null,
  ended_at timestamptz not null,
  -- Encrypted size of a base backup; 0 for others.
  bytes bigint not null default 0,
  -- Empty when it succeeded.
  error text not null default '',
  note text not null default ''
);
create index backup_runs_kind on backup_runs (kind, ended_at desc);

create table backup_state (
  is_only boolean primary key default true check (is_only),
  -- Commits before are stored.
  archived_until timestamptz,
  target text not null default '',
  error text not null default '',
  requested_at timestamptz
);
insert into backup_state default values;

create table restorations (
  id integer generated always as identity primary key,
  restored_at timestamptz not null default now(),
  restored_to timestamptz not null,
  released_at timestamptz,
  released_by integer references users,
  released_by_name text not null default ''
);
create index restorations_released_by on restorations (released_by) where released_by is not null;

-- True while nothing leaves a restored portal: deliveries, connections, agents' tasks, and emails from before the restore.
create function is_paused() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from restorations where released_at is null)
$$;
revoke all on function is_paused() from public;
grant execute on function is_paused() to parapet_app;

-- Emails created since are sent.
create function paused_since() returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
  select max(restored_at) from restorations where released_at is null
$$;
revoke all on function paused_since() from public;
grant execute on function paused_since() to parapet_app;

alter table backup_runs enable row level security;
alter table backup_state enable row level security;
alter table restorations enable row level security;
create policy installation on backup_runs using ((select app_is_system()));
create policy installation on backup_state using ((select app_is_system()));
create policy installation on restorations using ((select app_is_system()));
grant select, insert, delete on backup_runs to parapet_app;
grant select, update on backup_state to parapet_app;
grant select, insert, update on restorations to parapet_app;
