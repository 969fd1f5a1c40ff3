-- Processes of the installation with their figures, and its size by day, for the operations page.

create table processes (
  id uuid primary key,
  host text not null,
  pid integer not null,
  roles text[] not null,
  version text not null,
  node text not null,
  is_safe_mode boolean not null,
  started_at timestamptz not null,
  seen_at timestamptz not null default now(),
  -- Resources, slowest operations and last failures (features/operations/processes.figures.ts).
  figures jsonb not null
);

-- The last measure of each day.
create table capacity_days (
  day date primary key,
  database_bytes bigint not null,
  -- Of the disk of DATA_DIR.
  free_bytes bigint not null,
  size_bytes bigint not null
);

alter table processes enable row level security;
alter table capacity_days enable row level security;
create policy installation on processes using ((select app_is_system()));
create policy installation on capacity_days using ((select app_is_system()));
grant select, insert, update, delete on processes, capacity_days to parapet_app;
