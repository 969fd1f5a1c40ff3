-- Every way in, what is known of organisations, brands, mails.
alter table users
  add column password_changed_at timestamptz,
  -- The last time step whose code was used: no code is good twice.
  add column mfa_last_step bigint,
  add column picture_version text,
  add column deleted_at timestamptz;

alter table sessions
  -- When the user last proved who they are: the sign-in.
  add column signed_in_at timestamptz not null default now(),
  add column method text not null default 'password';

-- The second step of a sign-in under way. Hashes only; what enrolment shows is sealed.
create table mfa_challenges (
  nonce_hash bytea primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  password_hash bytea not null,
  new_secret bytea,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mfa_challenges_user on mfa_challenges (user_id);
create index mfa_challenges_organisation on mfa_challenges (organisation_id);
create index mfa_challenges_expiry on mfa_challenges (expires_at);
alter table mfa_challenges enable row level security;
create policy tenant on mfa_challenges using ((select app_is_system()));

-- Tries that are limited over all processes: codes of an account, reset mails of an address. Keys are hashes.
create table attempts (
  kind text not null,
  key bytea not null,
  at timestamptz not null default now()
);
create index attempts_key on attempts (kind, key, at);
create index attempts_at on attempts (at);
alter table attempts enable row level security;
create policy system on attempts using ((select app_is_system()));

-- Takes one try at a password, under a lock of account and address, so that many at once are counted one by one. Answers 0 when it may be made,
-- else the milliseconds to wait. The caller's rights hold.
create function take_password_try(here bytea, everywhere bytea, free_tries integer, longest_pause_ms integer, most_everywhere integer)
returns integer language plpgsql set search_path = public, pg_temp as $$
declare
  wrong integer;
  latest timestamptz;
  pause_ms float8;
  since_ms float8;
begin
  -- Nothing of worth is lost when the last tries do not outlive a power cut; so nobody waits for the disk here.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('password ' || encode(here, 'hex'), 0));
  select count(*), max(t.at) into wrong, latest
    from (select a.at from attempts a where a.kind = 'password' and a.key = here order by a.at desc limit 30) t;
  pause_ms := case when wrong < free_tries then 0 else least(power(2, wrong - free_tries) * 1000, longest_pause_ms) end;
  since_ms := extract(epoch from clock_timestamp() - latest) * 1000;
  if wrong >= free_tries and since_ms < pause_ms then
    return ceil(pause_ms - since_ms);
  end if;
  if (select count(*) from (select from attempts a where a.kind = 'password.everywhere' and a.key = everywhere
        and a.at > now() - make_interval(secs => longest_pause_ms / 1000.0) limit most_everywhere) recent) >= most_everywhere
      and not exists (select from attempts a where a.kind = 'password.known' and a.key = here) then
    return longest_pause_ms;
  end if;
  insert into attempts (kind, key) values ('password', here), ('password.everywhere', everywhere);
  return 0;
end $$;

-- One-time links by mail: kind is reset, invitation or register. Hashes only; of one user the newest counts.
create table one_time_links (
  token_hash bytea primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  kind text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_links_user on one_time_links (user_id);
create index one_time_links_organisation on one_time_links (organisation_id);
create index one_time_links_expiry on one_time_links (expires_at);
alter table one_time_links enable row level security;
create policy system on one_time_links using ((select app_is_system()));

-- A single sign-on between its start and its return, and then its one-time code.
create table sign_on_starts (
  state_hash bytea primary key,
  -- Whose identity provider it is; null for the portal's own.
  organisation_id integer references organisations,
  browser_hash bytea not null,
  nonce text not null,
  verifier text not null,
  redirect_path text not null default '',
  expires_at timestamptz not null
);
create index sign_on_starts_organisation on sign_on_starts (organisation_id);
create index sign_on_starts_expiry on sign_on_starts (expires_at);
alter table sign_on_starts enable row level security;
create policy system on sign_on_starts using ((select app_is_system()));

create table sign_on_codes (
  code_hash bytea primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  browser_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_on_codes_user on sign_on_codes (user_id);
create index sign_on_codes_organisation on sign_on_codes (organisation_id);
create index sign_on_codes_expiry on sign_on_codes (expires_at);
alter table sign_on_codes enable row level security;
create policy system on sign_on_codes using ((select app_is_system()));

-- Who an identity provider knows a user as.
create table user_identities (
  issuer text not null,
  subject text not null,
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index user_identities_user on user_identities (user_id);
create index user_identities_organisation on user_identities (organisation_id);
alter table user_identities enable row level security;
create policy tenant on user_identities using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

-- Below, ids are given by hand: the provider is 1, and a demo's organisations have theirs.
alter table organisations alter column id restart with 100;
alter table organisations
  add column phone_number text not null default '',
  add column email_address text not null default '',
  add column website_url text not null default '',
  add column industry text not null default '',
  add column street text not null default '',
  add column suite text not null default '',
  add column city text not null default '',
  add column state text not null default '',
  add column zip_code text not null default '',
  add column subscription_level_id integer not null default 1,
  add column general_alert_notes text not null default '',
  add column alert_playbook text not null default '',
  add column alert_types text[] not null default '{}',
  add column is_mfa_compulsory boolean not null default true,
  add column allows_first_match_by_email boolean not null default false,
  add column alert_retention_months integer,
  add column event_retention_days integer;

-- The sign-on of a partner; the secret is sealed.
create table identity_providers (
  organisation_id integer primary key references organisations,
  issuer text not null,
  client_id text not null,
  client_secret bytea
);
alter table identity_providers enable row level security;
create policy tenant on identity_providers using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

create table emergency_contacts (
  id integer generated by default as identity primary key,
  organisation_id integer not null references organisations,
  position integer not null,
  name text not null,
  title text not null default '',
  phone_number text not null default '',
  email_address text not null default '',
  hours text not null default ''
);
create index emergency_contacts_organisation on emergency_contacts (organisation_id, position);
alter table emergency_contacts enable row level security;
create policy tenant on emergency_contacts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

create table escalation_addresses (
  id integer generated by default as identity primary key,
  organisation_id integer not null references organisations,
  email_type text not null check (email_type in ('to', 'cc')),
  email_address text not null
);
create unique index escalation_addresses_once on escalation_addresses (organisation_id, email_type, lower(email_address));
alter table escalation_addresses enable row level security;
create policy tenant on escalation_addresses using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

alter table brands
  drop column logo_url,
  drop column logo2_url,
  -- The organisation's own says it.
  drop column website_url,
  add column title text not null default '',
  add column self_hosted_domain text,
  add column accent_light text not null default '',
  add column accent_dark text not null default '',
  add column mail_sender_name text not null default '',
  add column mail_sender_address text not null default '',
  add column mail_footer text not null default '',
  add column pdf_footer text not null default '',
  -- Each changes when its image does; null where there is none.
  add column logo_light_version text,
  add column logo_dark_version text,
  add column favicon_version text;
create unique index brands_self_hosted_domain on brands (self_hosted_domain);

create table mails (
  id bigint generated always as identity primary key,
  created_at timestamptz not null default now(),
  organisation_id integer not null references organisations,
  -- Whose one-time link it carries.
  user_id integer references users,
  kind text not null,
  from_name text not null,
  from_address text not null,
  to_addresses text[] not null,
  cc_addresses text[] not null default '{}',
  subject text not null,
  text text not null,
  html text not null,
  link text,
  state text not null check (state in ('kept', 'waiting', 'sent', 'failed')),
  tries integer not null default 0,
  next_try_at timestamptz not null default now(),
  sent_at timestamptz,
  error text not null default ''
);
create index mails_organisation on mails (organisation_id, id);
create index mails_user on mails (user_id);
create index mails_waiting on mails (next_try_at) where state = 'waiting';
alter table mails enable row level security;
create policy tenant on mails using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

grant select, insert, update, delete on mfa_challenges, one_time_links, sign_on_starts, sign_on_codes, user_identities, identity_providers,
  emergency_contacts, escalation_addresses, mails to parapet_app;
grant select, insert, delete on attempts to parapet_app;

-- Asked at every request, with when the user last signed in.
drop function live_sessions(uuid[], interval);
create function live_sessions(ids uuid[], idle interval)
returns table (session_id uuid, user_id integer, email text, first_name text, last_name text, role text, organisation_id integer,
  is_partner boolean, is_stale boolean, signed_in_at timestamptz, seen integer[])
language sql stable security definer set search_path = public, pg_temp as $$
  select s.id, u.id, u.email, u.first_name, u.last_name, u.role, o.id, o.is_partner, s.last_seen_at < now() - interval '1 minute',
    s.signed_in_at,
    case when o.is_partner then (
      select array_agg(c.id order by c.id) from organisations c
      where c.deactivated_at is null and (o.id = 1 or c.id = o.id or c.parent_id = o.id)
    ) else array[o.id] end
  from sessions s join users u on u.id = s.user_id join organisations o on o.id = u.organisation_id
  left join organisations p on p.id = o.parent_id
  where s.id = any(ids) and s.revoked_at is null and s.expires_at > now() and s.last_seen_at > now() - idle
    and not u.is_deleted and o.deactivated_at is null and p.deactivated_at is null
$$;
revoke all on function live_sessions(uuid[], interval) from public;
grant execute on function live_sessions(uuid[], interval) to parapet_app;

-- Deletes one batch of what an organisation keeps for a shorter time than the months of all; answers how many rows went. The application's role
-- may not delete these itself, so that whoever gets hold of it cannot throw today's evidence away.
create function remove_over_age(kind text, organisation integer, before timestamptz, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  if before > now() - interval '1 day' then
    raise exception 'events and alerts are removed when they are over age, not before';
  end if;
  if kind = 'events' then
    delete from events where (organisation_id, at, id) in (
      select e.organisation_id, e.at, e.id from events e where e.organisation_id = organisation and e.at < before order by e.at limit most);
    get diagnostics gone = row_count;
  elsif kind = 'alerts' then
    with old as (
      delete from alerts where (id, at) in (
        select a.id, a.at from alerts a
        where a.organisation_id = organisation and a.at < before and a.last_at < before order by a.at limit most)
      returning id, at
    ), copies as (
      delete from alert_events c using old where c.alert_id = old.id and c.alert_at = old.at
    ) select count(*) into gone from old;
  else
    raise exception '% is nothing that has an age', kind;
  end if;
  return gone;
end $$;
revoke all on function remove_over_age(text, integer, timestamptz, integer) from public;
grant execute on function remove_over_age(text, integer, timestamptz, integer) to parapet_app;

-- The audit log is kept for 400 days (decision 30). The application may only add to it: what may go is decided here.
create index audit_at on audit (at);
create function drop_old_audit() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with gone as (delete from audit where at < now() - interval '400 days' returning 1) select count(*) from gone
$$;
revoke all on function drop_old_audit() from public;
grant execute on function drop_old_audit() to parapet_app;
