-- One device under several names: what agents and vendors say of it, the rule that merged a name, and what people took apart (docs/decisions/0087).
alter table devices
  add column merged_rule text check (merged_rule in ('serial', 'cloud', 'directory', 'name')),
  -- What the rule found equal.
  add column merged_value text;
alter table connection_devices
  add column serial text,
  add column cloud_id text,
  add column directory_id text;
create table device_separations (
  organisation_id integer not null references organisations,
  device_id uuid not null references devices on delete cascade,
  other_id uuid not null references devices on delete cascade,
  primary key (device_id, other_id)
);
create index device_separations_organisation on device_separations (organisation_id);
create index device_separations_other on device_separations (other_id);
alter table device_separations enable row level security;
create policy tenant on device_separations using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, delete on device_separations to parapet_app;
