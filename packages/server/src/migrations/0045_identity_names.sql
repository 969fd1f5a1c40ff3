-- User names of alerts with the identity that the client's rules make of each. Correlation keeps them; lists, figures and questions read them, so that
-- one person is found and counted by any of their names.
create table identity_names (
  organisation_id integer not null references organisations,
  user_name text not null,
  -- Name without its domain, or a SID: what sightings change.
  account text not null default '',
  -- The name that stands for all joined ones, as correlation writes it.
  identity text not null,
  -- One of the joined names, for people to read.
  shown_name text not null,
  -- Rules or sightings changed since.
  is_stale boolean not null default true,
  primary key (user_name, organisation_id)
);
create index identity_names_identity on identity_names (organisation_id, identity);
create index identity_names_account on identity_names (organisation_id, account);
create index identity_names_shown on identity_names (shown_name, organisation_id);
create index identity_names_stale on identity_names (organisation_id) where is_stale;
alter table identity_names enable row level security;
create policy tenant on identity_names using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on identity_names to parapet_app;

insert into identity_names (organisation_id, user_name, identity, shown_name)
select distinct organisation_id, user_name, user_name, user_name from rollup_month_user where user_name <> '';
