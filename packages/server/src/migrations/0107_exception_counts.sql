-- Matches that exceptions of rules hide, by client and day, as shadows are counted.
create table rule_exception_days (
  organisation_id integer not null references organisations,
  -- Without a reference: an event on its way may name one that is gone, and must not be refused for it.
  exception_id integer not null,
  day date not null,
  count integer not null,
  last_at timestamptz not null,
  primary key (exception_id, organisation_id, day)
);
create index rule_exception_days_organisation on rule_exception_days (organisation_id);
alter table rule_exception_days enable row level security;
create policy tenant on rule_exception_days using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on rule_exception_days to parapet_app;
