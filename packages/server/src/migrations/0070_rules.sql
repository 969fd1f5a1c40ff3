-- Rules that the product can change. Built-in rules are files and have no rows here until they are edited; a version that is live replaces the file's
-- text. `rules` gets an owner: rules of a partner are its own.
alter table rules add column organisation_id integer references organisations;
create index rules_organisation on rules (organisation_id) where organisation_id is not null;

-- Organisations whose rules and settings hold in the scope: those of the scope and their parents.
create function app_rule_owners() returns integer[] language plpgsql stable parallel restricted security definer set search_path = public, pg_temp as $$
declare
  own integer[] := app_organisations();
begin
  return array(select o.parent_id from organisations o where o.id = any (own) and o.parent_id is not null) || own;
end $$;
revoke all on function app_rule_owners() from public;
grant execute on function app_rule_owners() to parapet_app;

alter table rules enable row level security;
create policy tenant on rules using (
  organisation_id is null or (select app_is_system()) or organisation_id = any ((select app_rule_owners())::integer[]));

-- What every process keeps of all rules, whoever asks first.
create function all_rules() returns table (id integer, key text, title text, category text, techniques jsonb)
language sql stable security definer set search_path = public, pg_temp as $$
  select r.id, r.key, r.title, r.category, r.facts -> 'techniques' from rules r
$$;
revoke all on function all_rules() from public;
grant execute on function all_rules() to parapet_app;

-- The text that an alert was raised by: start of its SHA-256.
alter table alerts add column rule_revision text;

create table rule_versions (
  id integer generated always as identity primary key,
  -- The provider, or a partner for rules of its own.
  organisation_id integer not null references organisations,
  rule_key text not null,
  version integer not null,
  state text not null check (state in ('draft', 'tested', 'shadow', 'live', 'retired')),
  yaml text not null check (octet_length(yaml) <= 65536),
  -- The built-in text that it began from.
  base text check (octet_length(base) <= 65536),
  revision text not null,
  title text not null,
  criticality smallint not null,
  note text not null,
  author_id integer references users on delete set null,
  author_name text not null,
  created_at timestamptz not null default now(),
  -- Matches in shadow within a day, of all clients, that stop it.
  noise_budget integer not null default 1000 check (noise_budget between 1 and 1000000),
  shadow_since timestamptz,
  stopped_at timestamptz,
  unique (rule_key, version)
);
create unique index rule_versions_live on rule_versions (rule_key) where state = 'live';
create unique index rule_versions_shadow on rule_versions (rule_key) where state = 'shadow';
create index rule_versions_organisation on rule_versions (organisation_id);
create index rule_versions_author on rule_versions (author_id) where author_id is not null;

-- What differs from the inherited set: at the provider for all, at a partner for its clients, at a client for itself.
create table rule_overrides (
  organisation_id integer not null references organisations,
  rule_key text not null,
  is_on boolean,
  criticality smallint check (criticality between 1 and 5),
  reason text not null,
  owner_id integer references users on delete set null,
  owner_name text not null,
  changed_at timestamptz not null default now(),
  primary key (organisation_id, rule_key),
  check (is_on is not null or criticality is not null)
);
create index rule_overrides_owner on rule_overrides (owner_id) where owner_id is not null;

create table rule_exceptions (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  rule_key text not null,
  -- A Sigma filter.
  yaml text not null check (octet_length(yaml) <= 16384),
  reason text not null,
  owner_id integer references users on delete set null,
  owner_name text not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz not null
);
create index rule_exceptions_organisation on rule_exceptions (organisation_id, rule_key);
create index rule_exceptions_owner on rule_exceptions (owner_id) where owner_id is not null;

create table rule_tests (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  rule_key text not null,
  name text not null,
  is_match boolean not null,
  document text not null check (octet_length(document) <= 262144),
  author_name text not null,
  created_at timestamptz not null default now()
);
create index rule_tests_rule on rule_tests (organisation_id, rule_key);

create table rule_history (
  id bigint generated always as identity primary key,
  organisation_id integer not null references organisations,
  rule_key text not null,
  at timestamptz not null default now(),
  actor_id integer references users on delete set null,
  actor_name text not null,
  action text not null,
  version integer,
  why text not null
);
create index rule_history_rule on rule_history (organisation_id, rule_key, at);
create index rule_history_actor on rule_history (actor_id) where actor_id is not null;

-- Matches of versions in shadow.
create table rule_shadow_days (
  organisation_id integer not null references organisations,
  rule_key text not null,
  version integer not null,
  day date not null,
  count integer not null,
  last_at timestamptz not null,
  primary key (organisation_id, rule_key, version, day)
);
create index rule_shadow_days_version on rule_shadow_days (rule_key, version, day);

do $$ declare t text; begin
  foreach t in array array['rule_versions', 'rule_overrides', 'rule_exceptions', 'rule_tests', 'rule_history', 'rule_shadow_days'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;

-- Which settings a client inherits depends on its parent.
create function organisations_change_rules() returns trigger language plpgsql set search_path = public, pg_temp as $$
begin
  perform pg_notify('portal', '{"name":"rules.changed"}');
  return null;
end $$;
create trigger rules_of_new_clients after insert on organisations for each statement execute function organisations_change_rules();
create trigger rules_of_moved_clients after update of parent_id on organisations for each statement execute function organisations_change_rules();
