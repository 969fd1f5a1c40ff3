-- Syslog as a kind of connection (docs/decisions/0103). Networks of senders, each of one organisation; the Host lists them.
create table syslog_networks (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  network cidr not null,
  created_at timestamptz not null default now(),
  constraint syslog_networks_apart exclude using gist (network inet_ops with &&)
);
create index syslog_networks_organisation on syslog_networks (organisation_id);
alter table syslog_networks enable row level security;
create policy tenant on syslog_networks using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on syslog_networks to parapet_app;

-- Input of a port that belongs to no connection. It has no organisation.
create table syslog_ports (
  transport text not null check (transport in ('tcp', 'udp')),
  port integer not null,
  -- Datagrams and connections of addresses that no connection lists, and the newest of these addresses.
  unknown bigint not null default 0,
  unknown_address text,
  unknown_at timestamptz,
  -- Datagrams that the operating system dropped.
  lost bigint not null default 0,
  primary key (transport, port)
);
alter table syslog_ports enable row level security;
create policy installation on syslog_ports using ((select app_is_system()));
grant select, insert, update, delete on syslog_ports to parapet_app;

-- Entries of the setting SYSLOG that became connections: one that a person removed does not come back.
create table syslog_imports (
  entry text primary key,
  imported_at timestamptz not null default now()
);
alter table syslog_imports enable row level security;
create policy installation on syslog_imports using ((select app_is_system()));
grant select, insert on syslog_imports to parapet_app;
