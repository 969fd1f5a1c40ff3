-- Consent of a tenant's administrator (docs/decisions/0112). Applications that the provider, or a partner, registered at Microsoft for the tenants of all
-- its clients.
create table vendor_applications (
  organisation_id integer primary key references organisations,
  client_id text not null,
  client_secret bytea not null,
  login text not null,
  updated_at timestamptz not null default now()
);
alter table vendor_applications enable row level security;
create policy tenant on vendor_applications using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on vendor_applications to parapet_app;

-- A consent under way: sign-in of the administrator first, which proves the tenant, then the grant. Each step has a state of its own, bound to one browser.
create table consent_starts (
  state_hash bytea primary key,
  organisation_id integer not null references organisations,
  invite_id integer not null references connection_invites on delete cascade,
  browser_hash bytea not null,
  step text not null check (step in ('signIn', 'grant')),
  -- Of the sign-in.
  nonce text,
  verifier text,
  -- Of the grant: as the verified token has them.
  tenant text,
  person text,
  expires_at timestamptz not null
);
create index consent_starts_organisation on consent_starts (organisation_id);
create index consent_starts_invite on consent_starts (invite_id);
alter table consent_starts enable row level security;
create policy tenant on consent_starts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on consent_starts to parapet_app;

-- The tenant that an invitation expects; null for any.
alter table connection_invites add column tenant text;

-- Sign-in name of the administrator who consented; null for a connection with credentials of the client's own.
alter table connections add column consented_by text;
alter table connections add column consented_at timestamptz;
create index connections_consented on connections (account) where consented_by is not null;
