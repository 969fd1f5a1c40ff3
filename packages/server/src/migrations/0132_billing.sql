-- Counts of each client and month for billing, with their devices and users, and quantities that people confirmed for a PSA (docs/decisions/0113).

-- Stored log volume by day of arrival.
create table ingest_bytes (
  organisation_id integer not null references organisations,
  day date not null,
  bytes bigint not null,
  primary key (organisation_id, day)
);

-- Active users as the directories of a client list them.
create table connection_users (
  organisation_id integer not null references organisations,
  connection_id integer not null references connections on delete cascade,
  vendor_id text not null,
  -- Sign-in name in lower case, by which a user of several directories counts once.
  name text not null,
  has_mailbox boolean not null,
  read_at timestamptz not null,
  primary key (connection_id, vendor_id)
);
create index connection_users_organisation on connection_users (organisation_id, name);

create table billing_months (
  organisation_id integer not null references organisations,
  -- Its first day.
  month date not null check (extract(day from month) = 1),
  level integer not null,
  servers integer not null,
  workstations integer not null,
  -- Null without a directory.
  users integer,
  mailboxes integer,
  bytes bigint not null,
  counted_at timestamptz not null,
  closed_at timestamptz,
  primary key (organisation_id, month)
);
create index billing_months_month on billing_months (month);

create table billing_items (
  organisation_id integer not null references organisations,
  month date not null,
  -- device: and its id, or user: and its name.
  key text not null,
  kind text not null check (kind in ('server', 'workstation', 'user')),
  name text not null,
  -- agent, events, or the kinds of connections.
  sources text[] not null,
  has_mailbox boolean not null default false,
  first_day date not null,
  last_day date not null,
  primary key (organisation_id, month, key)
);

create table billing_corrections (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  month date not null,
  measure text not null check (measure in ('servers', 'workstations', 'users', 'mailboxes', 'gigabytes')),
  amount integer not null check (amount <> 0),
  reason text not null,
  created_by integer references users,
  created_by_name text not null,
  created_at timestamptz not null
);
create index billing_corrections_month on billing_corrections (organisation_id, month);
create index billing_corrections_created_by on billing_corrections (created_by);

-- A closed month stays as it is; its rows are only deleted with the client.
create function keep_closed_month() returns trigger language plpgsql set search_path = public, pg_temp as $$ begin
  if tg_table_name = 'billing_months' then
    if old.closed_at is not null then raise exception 'the month is closed' using errcode = 'check_violation'; end if;
  elsif exists (select from billing_months m where m.organisation_id = new.organisation_id and m.month = new.month and m.closed_at is not null) then
    raise exception 'the month is closed' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger keep_closed before update on billing_months for each row execute function keep_closed_month();
create trigger keep_closed before insert or update on billing_items for each row execute function keep_closed_month();

-- Item of an agreement by which a measure of a client is billed, by the ids of the PSA. Rows belong to the owner of the target.
create table billing_lines (
  target_id integer not null references delivery_targets on delete cascade,
  organisation_id integer not null references organisations,
  client_id integer not null references organisations on delete cascade,
  measure text not null,
  agreement_id text not null,
  item_id text not null,
  label text not null,
  primary key (target_id, client_id, measure),
  -- One item bills one measure of one client.
  unique (target_id, agreement_id, item_id)
);
create index billing_lines_organisation on billing_lines (organisation_id);
create index billing_lines_client on billing_lines (client_id);

-- Confirmed quantities; their state is that of the delivery.
create table billing_writes (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  target_id integer not null references delivery_targets on delete cascade,
  client_id integer not null references organisations on delete cascade,
  month date not null,
  measure text not null,
  quantity integer not null,
  delivery_id bigint references deliveries on delete cascade,
  confirmed_by integer references users,
  confirmed_by_name text not null,
  confirmed_at timestamptz not null
);
create index billing_writes_line on billing_writes (target_id, client_id, month, measure, id desc);
create index billing_writes_organisation on billing_writes (organisation_id);
create index billing_writes_client on billing_writes (client_id);
create index billing_writes_delivery on billing_writes (delivery_id);
create index billing_writes_confirmed_by on billing_writes (confirmed_by);

do $$ declare t text; begin
  foreach t in array array['ingest_bytes', 'connection_users', 'billing_months', 'billing_items', 'billing_corrections', 'billing_lines', 'billing_writes'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy tenant on %I using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;
revoke update, delete on billing_corrections from parapet_app;
revoke update, delete on billing_writes from parapet_app;
