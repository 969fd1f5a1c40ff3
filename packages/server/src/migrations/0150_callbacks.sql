-- Requests of targets to the portal: presses in chat, and changes at a PSA (docs/decisions/0127-callbacks.md).

-- Unguessable place of the target's requests; null while it may send none.
alter table delivery_targets add column callback_address text unique;

-- Until then the other side wants no request (Retry-After): no person shortens that.
alter table ticket_setups add column not_before timestamptz;

-- Requests that were received, by the digest of their proof: a repeated one is refused. Removed once their time is over.
create table callback_receipts (
  target_id integer not null references delivery_targets on delete cascade,
  organisation_id integer not null references organisations,
  proof bytea not null,
  received_at timestamptz not null,
  primary key (target_id, proof)
);
create index callback_receipts_organisation on callback_receipts (organisation_id);
create index callback_receipts_received on callback_receipts (received_at);

-- Accounts in chat of people of the portal, linked once by the signed-in person. The organisation is that of the person; the owner is that of the target
-- whose secret proved the account, and the link counts at its targets only.
create table chat_accounts (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users on delete cascade,
  owner_id integer not null references organisations,
  kind text not null,
  workspace_id text not null,
  account_id text not null,
  account_name text not null,
  linked_at timestamptz not null
);
create unique index chat_accounts_account on chat_accounts (owner_id, kind, workspace_id, account_id);
create index chat_accounts_user on chat_accounts (user_id);
create index chat_accounts_organisation on chat_accounts (organisation_id);

alter table callback_receipts enable row level security;
create policy tenant on callback_receipts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on callback_receipts to parapet_app;
alter table chat_accounts enable row level security;
create policy tenant on chat_accounts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on chat_accounts to parapet_app;

alter table cases drop constraint cases_acknowledged_channel_check;
alter table cases add constraint cases_acknowledged_channel_check check (acknowledged_channel in ('portal', 'api', 'slack')) not valid;
