-- Minutes of an analyst are a rate of the organisation whose analysts they are: the provider's stays its own, partners begin with the product's.
alter table organisations
  add column minutes_per_alert integer not null default 5 check (minutes_per_alert between 0 and 240),
  add column minutes_per_case integer not null default 20 check (minutes_per_case between 1 and 1000);
update organisations o set minutes_per_alert = s.minutes_per_alert, minutes_per_case = s.minutes_per_case
  from installation_settings s where o.id = 1;
-- installation_settings keeps its columns for portals of the version before that run beside this one; a later release drops them.
