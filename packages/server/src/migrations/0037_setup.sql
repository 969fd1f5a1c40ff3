-- Steps of the setup checklist that a person confirmed, as the portal cannot observe them. `hidden`: the checklist itself.
create table setup_confirmations (
  organisation_id integer not null references organisations,
  step text not null check (step in ('backup', 'hidden')),
  user_id integer not null references users,
  at timestamptz not null default now(),
  primary key (organisation_id, step)
);
alter table setup_confirmations enable row level security;
create policy tenant on setup_confirmations using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, delete on setup_confirmations to parapet_app;
