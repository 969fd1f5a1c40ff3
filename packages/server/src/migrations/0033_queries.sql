-- Rules that the newest process has loaded: queries count only these. The others are kept for their alerts.
alter table rules add column is_loaded boolean not null default false;

-- Administrators' synonyms for words of questions: of an organisation and those below it.
create table sapphire_synonyms (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  from_text text not null,
  to_text text not null,
  created_by integer references users,
  created_by_name text not null default '',
  created_at timestamptz not null default now(),
  unique (organisation_id, from_text)
);
create index sapphire_synonyms_created_by on sapphire_synonyms (created_by) where created_by is not null;
alter table sapphire_synonyms enable row level security;
create policy tenant on sapphire_synonyms using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on sapphire_synonyms to parapet_app;
