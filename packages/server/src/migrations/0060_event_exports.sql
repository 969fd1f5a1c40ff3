-- Exports of events by a job: the file lies in parts beside other files, and is deleted after a day (docs/decisions/0068-event-search-in-slices.md).

create table event_exports (
  id integer generated always as identity primary key,
  -- The client, or the requester’s own for all.
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  api_key_id integer references api_keys,
  client integer not null,
  -- Whose events it may hold: whoever downloads it must see them all.
  organisation_ids integer[] not null,
  start_at timestamptz not null,
  end_at timestamptz not null,
  searched_by text not null check (searched_by in ('happened', 'arrived')),
  filters jsonb not null,
  format text not null check (format in ('ndjson', 'csv', 'parquet')),
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  events integer not null default 0,
  is_cut boolean not null default false,
  searched_to timestamptz,
  parts integer not null default 0,
  bytes bigint not null default 0,
  failure text not null default '',
  -- Of the process that writes it; a claim that is not renewed is over.
  claimed_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index event_exports_organisation on event_exports (organisation_id);
create index event_exports_user on event_exports (user_id, id);
create index event_exports_api_key on event_exports (api_key_id) where api_key_id is not null;
create index event_exports_unfinished on event_exports (id) where state in ('waiting', 'running');
alter table event_exports enable row level security;
create policy tenant on event_exports using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on event_exports to parapet_app;
