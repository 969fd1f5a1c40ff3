-- Files of events that people imported for incident work. The file itself is not stored.
create table file_imports (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  file_name text not null,
  format text not null check (format in ('evtx', 'ndjson', 'csv')),
  source text,
  mapping jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  bytes bigint not null default 0,
  records integer not null default 0,
  stored integer not null default 0,
  retimed integer not null default 0,
  duplicates integer not null default 0,
  refused integer not null default 0,
  -- The first hundred: [{line, error}].
  refusals jsonb not null default '[]',
  failure text not null default '',
  created_by integer references users on delete set null,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  -- Renewed with every slice; a running import without a newer one was interrupted.
  updated_at timestamptz not null default now(),
  ended_at timestamptz
);
create index file_imports_organisation on file_imports (organisation_id, id);
create index file_imports_created_by on file_imports (created_by);
alter table file_imports enable row level security;
create policy tenant on file_imports using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on file_imports to parapet_app;
