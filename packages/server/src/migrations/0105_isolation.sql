-- Isolation of organisations, tried every night (docs/decisions/0091): for each pair the last trial, and each thing that was had.
create table isolation_pairs (
  -- Organisation whose marked objects were tried to be read.
  organisation_id integer not null references organisations on delete cascade,
  -- Organisation of the person who tried.
  actor_organisation_id integer not null references organisations on delete cascade,
  tried_at timestamptz not null,
  attempts integer not null,
  refused integer not null,
  found integer not null,
  -- Calls that could not be tried.
  failed text[] not null,
  primary key (organisation_id, actor_organisation_id)
);
create index isolation_pairs_actor on isolation_pairs (actor_organisation_id, tried_at);
alter table isolation_pairs enable row level security;
create policy tenant on isolation_pairs using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on isolation_pairs to parapet_app;

create table isolation_findings (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations on delete cascade,
  actor_organisation_id integer not null references organisations on delete cascade,
  found_at timestamptz not null,
  operation text not null,
  how text not null check (how in ('answered', 'content', 'changed'))
);
create index isolation_findings_organisation on isolation_findings (organisation_id, found_at);
create index isolation_findings_actor on isolation_findings (actor_organisation_id);
alter table isolation_findings enable row level security;
create policy tenant on isolation_findings using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, delete on isolation_findings to parapet_app;

-- The Host's request to try all now.
create table isolation_requests (
  is_only boolean primary key default true check (is_only),
  requested_at timestamptz not null,
  done_at timestamptz
);
alter table isolation_requests enable row level security;
create policy tenant on isolation_requests using ((select app_is_system()));
grant select, insert, update on isolation_requests to parapet_app;
