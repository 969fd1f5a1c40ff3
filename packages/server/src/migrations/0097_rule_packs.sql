-- Packs of rules from outside, and imports that wait for acceptance. They are the provider's.
create table rule_packs (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  name text not null,
  origin text not null check (origin in ('archive', 'git')),
  address text not null default '',
  branch text not null default '',
  folder text not null default '',
  version text not null default '',
  publisher text not null default '',
  licence text not null default '',
  -- Raw Ed25519 key in hex; later versions must be signed with it.
  signer text,
  changed_at timestamptz not null,
  unique (organisation_id, name)
);

-- Pack that a version was taken over from; null for versions made here.
alter table rule_versions add column pack_id integer references rule_packs on delete set null;
create index rule_versions_pack on rule_versions (pack_id) where pack_id is not null;

-- What a pack held when it was taken over last.
create table rule_pack_rules (
  pack_id integer not null references rule_packs on delete cascade,
  organisation_id integer not null references organisations,
  rule_key text not null,
  path text not null,
  revision text not null,
  primary key (pack_id, rule_key)
);
create index rule_pack_rules_key on rule_pack_rules (rule_key);
create index rule_pack_rules_organisation on rule_pack_rules (organisation_id);

create table rule_imports (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  pack_id integer references rule_packs on delete set null,
  name text not null,
  origin text not null check (origin in ('archive', 'git')),
  address text not null default '',
  branch text not null default '',
  folder text not null default '',
  -- File of the archive among the blobs, until it is read.
  archive text,
  version text not null default '',
  publisher text not null default '',
  licence text not null default '',
  signer text,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'ready', 'accepted', 'discarded', 'failed')),
  requested_by integer references users on delete set null,
  requester text not null,
  requested_at timestamptz not null default now(),
  leased_until timestamptz,
  attempts integer not null default 0,
  read integer not null default 0,
  files integer not null default 0,
  failure text not null default ''
);
create index rule_imports_organisation on rule_imports (organisation_id, id);
create index rule_imports_open on rule_imports (id) where state in ('waiting', 'running');
create index rule_imports_pack on rule_imports (pack_id) where pack_id is not null;
create index rule_imports_requested_by on rule_imports (requested_by) where requested_by is not null;

create table rule_import_items (
  import_id integer not null references rule_imports on delete cascade,
  organisation_id integer not null references organisations,
  number integer not null,
  rule_key text,
  title text not null,
  path text not null,
  criticality smallint,
  log_source text not null,
  is_known_source boolean not null,
  is_correlation boolean not null,
  status text not null,
  detail text not null,
  author text not null,
  licence text not null,
  revision text not null,
  yaml text not null check (octet_length(yaml) <= 65536),
  primary key (import_id, number)
);
create index rule_import_items_organisation on rule_import_items (organisation_id);

do $$
declare t text;
begin
  foreach t in array array['rule_packs', 'rule_pack_rules', 'rule_imports', 'rule_import_items'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;
