-- Responses that a client's vendors execute: devices and accounts are acted on by connections that a person allowed to.
alter table connections add column may_act boolean not null default false;
-- Newest complete reading of the vendor's devices.
alter table connections add column inventory_at timestamptz;

-- Devices as the vendors list them.
create table connection_devices (
  organisation_id integer not null references organisations,
  connection_id integer not null references connections on delete cascade,
  -- The vendor's id.
  vendor_id text not null,
  name text not null,
  os text not null default '',
  device_id uuid not null references devices on delete cascade,
  last_seen_at timestamptz,
  -- Reading in which it was listed last.
  read_at timestamptz not null,
  primary key (connection_id, vendor_id)
);
create index connection_devices_organisation on connection_devices (organisation_id);
create index connection_devices_device on connection_devices (device_id);
alter table connection_devices enable row level security;
create policy tenant on connection_devices using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on connection_devices to parapet_app;

-- Work of responses at vendors. The row outlives its connection.
create table connection_tasks (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  response_id integer not null references responses on delete cascade,
  connection_id integer references connections on delete set null,
  -- Product and account, for people.
  place text not null,
  action text not null check (action in ('isolate', 'unisolate', 'disableUser', 'enableUser', 'revokeSessions', 'resetFactors')),
  -- The vendor's id of the device, or the account.
  target text not null,
  -- sent is committed before the first request leaves; unknown: the vendor does not know the account.
  state text not null default 'queued' check (state in ('queued', 'sent', 'verified', 'failed', 'unknown', 'expired', 'cancelled')),
  -- The vendor's id of the action; null until the vendor accepted it.
  handle text,
  detail text not null default '',
  -- Attempts that failed in a row.
  failures integer not null default 0,
  next_at timestamptz,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  -- No action is started after this time; its state is read for some days more.
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index connection_tasks_organisation on connection_tasks (organisation_id);
create index connection_tasks_response on connection_tasks (response_id);
create index connection_tasks_connection on connection_tasks (connection_id) where connection_id is not null;
create index connection_tasks_due on connection_tasks (next_at) where next_at is not null;
alter table connection_tasks enable row level security;
create policy tenant on connection_tasks using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on connection_tasks to parapet_app;

-- True while vendors execute it, or will once it is approved.
alter table responses add column is_by_vendor boolean not null default false;
