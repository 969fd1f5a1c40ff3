-- The dashboard's figures, what devices send, risk.

-- Alerts of a month by device and by user, as there are by rule; and what a device sends, by the names under which rules read it.
create table rollup_month_device (
  organisation_id integer not null,
  month date not null,
  device_name text not null,
  count integer not null,
  primary key (organisation_id, month, device_name)
);
insert into rollup_month_device select organisation_id, date_trunc('month', day)::date, device_name, sum(count) from rollup_day_device group by 1, 2, 3;
create table rollup_month_user (
  organisation_id integer not null,
  month date not null,
  user_name text not null,
  count integer not null,
  primary key (organisation_id, month, user_name)
);
insert into rollup_month_user select organisation_id, date_trunc('month', day)::date, user_name, sum(count) from rollup_day_user group by 1, 2, 3;
create table device_sources (
  organisation_id integer not null,
  device_id uuid not null references devices on delete cascade,
  log_source text not null,
  last_at timestamptz not null,
  primary key (organisation_id, device_id, log_source)
);
create index device_sources_device on device_sources (device_id);

-- Risk: what people say of a client, and how its score was day by day.
create table risk_devices (
  organisation_id integer primary key references organisations,
  total_servers integer not null,
  total_workstations integer not null,
  version integer not null default 1,
  changed_by integer references users,
  changed_at timestamptz not null default now()
);
create index risk_devices_changed_by on risk_devices (changed_by) where changed_by is not null;
create table risk_practices (
  organisation_id integer not null references organisations,
  practice text not null,
  is_checked boolean not null,
  changed_by integer references users,
  changed_at timestamptz not null default now(),
  primary key (organisation_id, practice)
);
create index risk_practices_changed_by on risk_practices (changed_by) where changed_by is not null;
-- What went in stands beside what came out: one score of several clients comes from their sums.
create table risk_snapshots (
  organisation_id integer not null,
  day date not null,
  total_servers integer not null,
  total_workstations integer not null,
  monitored_servers integer not null,
  monitored_workstations integer not null,
  checked integer not null,
  practices integer not null,
  open_sum double precision not null,
  assigned_sum double precision not null,
  investigating_sum double precision not null,
  malicious_sum double precision not null,
  risk_score integer not null,
  device_score integer not null,
  practice_score integer not null,
  case_score integer not null,
  primary key (organisation_id, day)
);

do $$ declare t text; begin
  foreach t in array array['rollup_month_device', 'rollup_month_user', 'device_sources', 'risk_devices', 'risk_practices', 'risk_snapshots'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id in (select unnest(app_organisations())))', t);
    execute format('grant select, insert, update on %I to parapet_app', t);
  end loop;
end $$;
grant delete on rollup_month_device, rollup_month_user, device_sources, risk_snapshots to parapet_app;
