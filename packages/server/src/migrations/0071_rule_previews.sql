-- A change to a rule, judged over stored events before it is saved.
create table rule_previews (
  id integer generated always as identity primary key,
  -- Of the requester; the clients are within their scope.
  organisation_id integer not null references organisations,
  requested_by integer references users on delete set null,
  requested_at timestamptz not null default now(),
  rule_key text,
  change jsonb not null,
  client_ids integer[] not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'cancelled', 'failed')),
  -- A worker that stops leaves its preview to another one.
  leased_until timestamptz,
  scanned bigint not null default 0,
  total bigint not null default 0,
  failure text not null default '',
  result jsonb
);
create index rule_previews_organisation on rule_previews (organisation_id, id);
create index rule_previews_requested_by on rule_previews (requested_by) where requested_by is not null;
create index rule_previews_open on rule_previews (id) where state in ('waiting', 'running');
alter table rule_previews enable row level security;
create policy tenant on rule_previews using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on rule_previews to parapet_app;
