-- Who acknowledged a case, and by which channel. Earlier cases have the time only.
alter table cases
  add column acknowledged_by integer references users,
  add column acknowledged_by_name text not null default '',
  add column acknowledged_channel text check (acknowledged_channel in ('portal', 'api'));
create index cases_acknowledged_by on cases (acknowledged_by) where acknowledged_by is not null;
