-- One-time links by which a client's administrator enters the values of a connection himself.
create table connection_invites (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  token_hash bytea not null unique,
  kind text not null,
  -- Of the connection.
  name text not null,
  email text not null,
  -- Tries with values, each of which asks the vendor.
  attempts integer not null default 0,
  created_by integer references users on delete set null,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create index connection_invites_organisation on connection_invites (organisation_id);
create index connection_invites_created_by on connection_invites (created_by);
alter table connection_invites enable row level security;
create policy tenant on connection_invites using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on connection_invites to parapet_app;
