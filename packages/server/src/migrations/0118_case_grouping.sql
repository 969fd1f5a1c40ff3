-- Sets by which alerts are grouped into cases. The built-in set is part of the product and has no rows; a set of an organisation holds for those below it.
create table grouping_versions (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  version integer not null,
  state text not null check (state in ('draft', 'shadow', 'live', 'retired')),
  -- Values that differ from the inherited ones, by parameter.
  parameters jsonb not null check (jsonb_typeof(parameters) = 'object' and octet_length(parameters::text) <= 32768),
  -- Entities that join nothing: [{kind, value, reason}].
  common jsonb not null check (jsonb_typeof(common) = 'array' and octet_length(common::text) <= 262144),
  note text not null,
  author_id integer references users on delete set null,
  author_name text not null,
  created_at timestamptz not null default now(),
  unique (organisation_id, version)
);
create unique index grouping_versions_live on grouping_versions (organisation_id) where state = 'live';
create unique index grouping_versions_shadow on grouping_versions (organisation_id) where state = 'shadow';
create index grouping_versions_author on grouping_versions (author_id) where author_id is not null;

create table grouping_history (
  id bigint generated always as identity primary key,
  organisation_id integer not null references organisations,
  version integer not null,
  at timestamptz not null default now(),
  actor_id integer references users on delete set null,
  actor_name text not null,
  action text not null,
  why text not null
);
create index grouping_history_organisation on grouping_history (organisation_id, at);
create index grouping_history_actor on grouping_history (actor_id) where actor_id is not null;

-- Decisions of a set in shadow beside those of the set in force, by client and day of the alerts.
create table grouping_shadow_days (
  organisation_id integer not null references organisations,
  version_id integer not null references grouping_versions on delete cascade,
  day date not null,
  -- Cases that each opened, and alerts that each added to cases.
  opened integer not null,
  live_opened integer not null,
  joined integer not null,
  live_joined integer not null,
  -- Alerts that only one of the two added to a case.
  differing integer not null,
  primary key (organisation_id, version_id, day)
);
create index grouping_shadow_days_version on grouping_shadow_days (version_id, day);

create table grouping_previews (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  requested_by integer references users on delete set null,
  requested_at timestamptz not null default now(),
  change jsonb not null,
  -- Versions in force when it was judged.
  base text not null default '',
  client_ids integer[] not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'cancelled', 'failed')),
  leased_until timestamptz,
  attempts integer not null default 0,
  scanned bigint not null default 0,
  total bigint not null default 0,
  failure text not null default '',
  result jsonb
);
create index grouping_previews_organisation on grouping_previews (organisation_id, id);
create index grouping_previews_requested_by on grouping_previews (requested_by) where requested_by is not null;
create index grouping_previews_open on grouping_previews (id) where state in ('waiting', 'running');

do $$ declare t text; begin
  foreach t in array array['grouping_versions', 'grouping_history', 'grouping_shadow_days', 'grouping_previews'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;

-- Live sets and sets in shadow that hold for an organisation of the scope: of the provider first, its own last.
create function grouping_in_force(organisation integer)
returns table (id integer, organisation_id integer, state text, parameters jsonb, common jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  with chain as (
    select 1 as id, 0 as depth where app_is_system() or organisation = any (app_organisations())
    union
    select o.parent_id, 1 from organisations o
    where o.id = organisation and o.parent_id > 1 and (app_is_system() or o.id = any (app_organisations()))
    union
    select organisation, 2 where organisation > 1 and (app_is_system() or organisation = any (app_organisations()))
  )
  select v.id, v.organisation_id, v.state, v.parameters, v.common
  from chain c join grouping_versions v on v.organisation_id = c.id and v.state in ('live', 'shadow') order by c.depth
$$;
revoke all on function grouping_in_force(integer) from public;
grant execute on function grouping_in_force(integer) to parapet_app;
