-- Indicators that TAXII collections share: values with a bad reputation in malicious cases, and when each was added. `client` is the case's organisation.
create table shared_indicators (
  id bigint generated always as identity primary key,
  organisation_id integer not null references organisations,
  case_id integer not null references cases on delete cascade,
  kind text not null check (kind in ('ip', 'domain', 'hash')),
  value text not null,
  reputation text not null,
  first_at timestamptz not null,
  added_at timestamptz not null default clock_timestamp()
);
create unique index shared_indicators_value on shared_indicators (organisation_id, kind, value);
create index shared_indicators_case on shared_indicators (case_id);
create index shared_indicators_added on shared_indicators (organisation_id, id);
alter table shared_indicators enable row level security;
create policy tenant on shared_indicators using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on shared_indicators to parapet_app;
