-- Assistants that people gave access to MCP by OAuth, and the records of the authorization server.
create table assistant_grants (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users on delete cascade,
  -- Of the authorization server: all tokens of this consent have it.
  grant_id text not null unique,
  client text not null,
  redirect_host text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index assistant_grants_organisation on assistant_grants (organisation_id);
create index assistant_grants_user on assistant_grants (user_id);
alter table assistant_grants enable row level security;
create policy tenant on assistant_grants using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on assistant_grants to parapet_app;

-- Clients, requests, codes and tokens, by the SHA-256 of their id.
create table oauth_records (
  model text not null,
  key bytea not null,
  payload jsonb not null,
  uid text,
  grant_id text,
  expires_at timestamptz,
  consumed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (model, key)
);
create index oauth_records_grant on oauth_records (grant_id);
create index oauth_records_uid on oauth_records (uid);
create index oauth_records_expiry on oauth_records (expires_at);
alter table oauth_records enable row level security;
create policy system on oauth_records using ((select app_is_system()));
grant select, insert, update, delete on oauth_records to parapet_app;
