-- Cases as tickets of a PSA, both ways (docs/decisions/0095). All rows belong to the owner of the target.

create table ticket_setups (
  target_id integer primary key references delivery_targets on delete cascade,
  organisation_id integer not null references organisations,
  -- Choices of an administrator, by the ids of the PSA.
  setup jsonb not null,
  -- Time of the newest change that was read.
  read_until timestamptz not null,
  next_at timestamptz not null,
  polled_at timestamptz,
  failures integer not null default 0,
  error text
);
create index ticket_setups_organisation on ticket_setups (organisation_id);
create index ticket_setups_due on ticket_setups (next_at);

create table ticket_companies (
  target_id integer not null references delivery_targets on delete cascade,
  organisation_id integer not null references organisations,
  client_id integer not null references organisations on delete cascade,
  company_id text not null,
  company_name text not null,
  primary key (target_id, client_id)
);
create index ticket_companies_organisation on ticket_companies (organisation_id);
create index ticket_companies_client on ticket_companies (client_id);

create table case_tickets (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  target_id integer not null references delivery_targets on delete cascade,
  client_id integer not null references organisations,
  case_id integer not null references cases on delete cascade,
  ticket_id text not null,
  url text not null,
  -- Status of the ticket when both sides agreed last.
  status text not null,
  synced_at timestamptz not null,
  -- Read by itself then, whether it changed or not.
  checked_at timestamptz not null,
  conflict text,
  conflict_at timestamptz,
  deleted_at timestamptz
);
create unique index case_tickets_case on case_tickets (case_id, target_id);
create unique index case_tickets_ticket on case_tickets (target_id, ticket_id);
create index case_tickets_organisation on case_tickets (organisation_id);
create index case_tickets_client on case_tickets (client_id);
create index case_tickets_checked on case_tickets (target_id, checked_at) where deleted_at is null;

-- Notes of a ticket that are known: sent by the portal, or taken over as a note of the case.
create table case_ticket_notes (
  case_ticket_id integer not null references case_tickets on delete cascade,
  organisation_id integer not null references organisations,
  note_id text not null,
  primary key (case_ticket_id, note_id)
);
create index case_ticket_notes_organisation on case_ticket_notes (organisation_id);

do $$ declare t text; begin
  foreach t in array array['ticket_setups', 'ticket_companies', 'case_tickets', 'case_ticket_notes'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;

-- Page of the other side's thing, such as the ticket.
alter table deliveries add column accepted_url text;

-- Notes of people at a PSA have no user here; `source` names where they were written.
alter table case_notes alter column author_user_id drop not null;
alter table case_notes add column source text;
