-- Minutes of an analyst for an alert and a case, by which costs of rules and of changes are estimated.
alter table installation_settings
  add column minutes_per_alert integer not null default 5 check (minutes_per_alert between 0 and 240),
  add column minutes_per_case integer not null default 20 check (minutes_per_case between 1 and 1000);
