-- Searches of stored events that new knowledge starts: indicators, rules of a pack, known exploited vulnerabilities (docs/decisions/0092).
-- What is searched for belongs to the provider and every scope reads it; what was found belongs to the client.
create table past_searches (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  kind text not null check (kind in ('indicators', 'rules', 'exploited')),
  -- Lists, or the pack with its version.
  name text not null,
  pack_id integer references rule_packs on delete set null,
  -- Of what is searched for, which is removed at the end: number, and kinds.
  terms integer not null default 0,
  term_kinds text[] not null default '{}',
  -- New ones beyond the limit of one search.
  left_out integer not null default 0,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  requested_at timestamptz not null,
  -- Range of the events, from its beginning on.
  first_at timestamptz,
  last_at timestamptz,
  finished_at timestamptz,
  leased_until timestamptz,
  -- Since a worker last got on.
  attempts integer not null default 0,
  failure text not null default ''
);
create index past_searches_organisation on past_searches (organisation_id, id);
create index past_searches_open on past_searches (id) where state in ('waiting', 'running');
create index past_searches_pack on past_searches (pack_id) where pack_id is not null;

create table past_search_terms (
  search_id integer not null references past_searches on delete cascade,
  organisation_id integer not null references organisations,
  kind text not null check (kind in ('ip', 'domain', 'hash', 'cve', 'rule')),
  value text not null,
  reputation text,
  -- List of an indicator, name of a vulnerability.
  source text not null default '',
  -- Of a rule: the version taken over, and the one that was live before.
  version integer,
  replaced integer,
  primary key (search_id, kind, value)
);
create index past_search_terms_organisation on past_search_terms (organisation_id);

create table past_search_clients (
  search_id integer not null references past_searches on delete cascade,
  organisation_id integer not null references organisations on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  -- Events of the client are searched from the newest back; those from here on are done.
  searched_to timestamptz not null,
  first_at timestamptz not null,
  -- Oldest event that was read.
  oldest_at timestamptz,
  events bigint not null default 0,
  -- Older matches of rules did not fit.
  is_full boolean not null default false,
  -- Kinds of values that its events have.
  kinds text[] not null default '{}',
  -- Days of the range that only the archive has.
  archived_days integer not null default 0,
  scanned_devices integer not null default 0,
  -- Alerts that rules no longer raise.
  lost integer not null default 0,
  primary key (search_id, organisation_id)
);
create index past_search_clients_organisation on past_search_clients (organisation_id, search_id);

create table past_search_hits (
  search_id integer not null,
  organisation_id integer not null,
  kind text not null,
  value text not null,
  label text not null default '',
  reputation text,
  source text not null default '',
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  examples jsonb not null,
  primary key (search_id, organisation_id, kind, value),
  foreign key (search_id, organisation_id) references past_search_clients on delete cascade
);
create index past_search_hits_organisation on past_search_hits (organisation_id);

do $$
declare t text;
begin
  foreach t in array array['past_searches', 'past_search_terms', 'past_search_clients', 'past_search_hits'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;
create policy reading on past_searches for select using (true);
create policy reading on past_search_terms for select using (true);
