-- Incidents of vendors that belong to cases, both ways (docs/decisions/0097-incidents.md).

-- One row for each connection of a kind with incidents.
create table incident_syncs (
  connection_id integer primary key references connections on delete cascade,
  organisation_id integer not null references organisations,
  -- read: the vendor's status is shown; send: cases change it; both: it changes cases too.
  mode text not null default 'read' check (mode in ('read', 'send', 'both')),
  mode_at timestamptz not null default now(),
  -- Changes at the vendor were read up to then.
  read_until timestamptz not null default now(),
  -- Alerts of the last days were looked through then.
  linked_at timestamptz,
  next_at timestamptz not null default now(),
  leased_until timestamptz,
  version integer not null default 0,
  failures integer not null default 0,
  error text,
  error_at timestamptz
);
create index incident_syncs_organisation on incident_syncs (organisation_id);
create index incident_syncs_due on incident_syncs (next_at);

create table incidents (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  connection_id integer not null references connections on delete cascade,
  kind text not null check (kind in ('incident', 'alert')),
  vendor_id text not null,
  -- As it was read newest.
  title text not null default '',
  url text not null default '',
  status text not null default '',
  state text not null default 'open' check (state in ('open', 'working', 'closed')),
  classification text,
  determination text not null default '',
  assigned_to text,
  read_at timestamptz,
  gone_at timestamptz,
  -- Merged by the vendor; its alerts are those of the other one.
  merged_into text,
  -- What the cases stated, and the state of the incident, when both sides agreed last; null before the first reading.
  agreed jsonb,
  -- Versions of its cases at the newest comparison.
  cases text,
  -- Comment that is not confirmed yet, and the number of all comments.
  comment text,
  comments integer not null default 0,
  is_sending boolean not null default false,
  failures integer not null default 0,
  error text,
  conflict text,
  next_at timestamptz not null default now()
);
create unique index incidents_vendor on incidents (connection_id, kind, vendor_id);
create index incidents_organisation on incidents (organisation_id);

-- The case of an incident is that of its alerts, also after an alert was moved.
create table incident_alerts (
  incident_id integer not null references incidents on delete cascade,
  organisation_id integer not null references organisations,
  alert_id integer not null,
  alert_at timestamptz not null,
  primary key (incident_id, alert_id, alert_at)
);
create index incident_alerts_alert on incident_alerts (alert_id, alert_at);
create index incident_alerts_organisation on incident_alerts (organisation_id);

do $$ declare t text; begin
  foreach t in array array['incident_syncs', 'incidents', 'incident_alerts'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;
