-- Fields that events of each kind arrive with, sampled at the intake: of an organisation, by log source and the value of its code field.
-- Only names that rules read are kept. An asterisk as the source: the organisation has more kinds than are followed.
create table field_sightings (
  organisation_id integer not null references organisations,
  source text not null check (length(source) <= 600),
  code_field text not null check (length(code_field) <= 200),
  code text not null check (length(code) <= 100),
  first_at timestamptz not null,
  last_at timestamptz not null,
  sampled integer not null,
  -- [field, last seen in s since 1970 or null, sampled events since, followed since, longest gap in sampled events]
  fields jsonb not null,
  missing text[] not null,
  unknown text[] not null,
  -- Hash of missing and unknown: kinds of many organisations with the same fields are judged once.
  state text not null,
  primary key (organisation_id, source, code_field, code)
);
create index field_sightings_last on field_sightings (last_at);
alter table field_sightings enable row level security;
create policy tenant on field_sightings using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on field_sightings to parapet_app;
