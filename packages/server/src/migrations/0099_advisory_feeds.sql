-- Feeds of EPSS scores and of known exploited vulnerabilities, read by the portal itself once the provider turns them on (docs/decisions/0086).
create table advisory_feeds (
  kind text primary key check (kind in ('epss', 'kev')),
  -- Empty: the publisher's own address.
  url text not null default '',
  is_on boolean not null default false,
  failures integer not null default 0,
  error text,
  error_at timestamptz,
  read_at timestamptz,
  -- SHA-256 of the file read last: the same file is not imported again.
  digest bytea,
  next_at timestamptz not null default now(),
  leased_until timestamptz
);
insert into advisory_feeds (kind) values ('epss'), ('kev');
alter table advisory_feeds enable row level security;
create policy installation on advisory_feeds using ((select app_is_system()));
grant select, update on advisory_feeds to parapet_app;

-- Where a value came from: read by the portal, imported by a person, or invented for the demo.
alter table epss_scores add column origin text not null default 'file' check (origin in ('feed', 'file', 'demo'));
alter table known_exploited add column origin text not null default 'file' check (origin in ('feed', 'file', 'demo'));
alter table advisory_sources add column origin text not null default 'file' check (origin in ('feed', 'file', 'demo'));
