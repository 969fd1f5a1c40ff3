-- A second person: who may approve, and the keys that tasks of agents are signed with.

-- What a Host decides for the whole installation; one row.
create table installation_settings (
  id boolean primary key default true check (id),
  -- One person runs everything: approvals may come from whoever asked. Has no effect once there is a second member of staff.
  is_single_operator boolean not null default false,
  changed_by integer references users,
  changed_by_name text not null default '',
  changed_at timestamptz not null default now()
);
create index installation_settings_changed_by on installation_settings (changed_by) where changed_by is not null;
insert into installation_settings default values;
alter table installation_settings enable row level security;
create policy reading on installation_settings for select using (true);
create policy writing on installation_settings using ((select app_is_system()));
grant select, update on installation_settings to parapet_app;

-- Accounts of partners that may respond, as far as the caller sees them: in the portal's own scope, all of the installation's.
create function staff_count() returns integer
language sql stable set search_path = public, pg_temp as $$
  select count(*)::integer from users u join organisations o on o.id = u.organisation_id
  where o.is_partner and o.deactivated_at is null and not u.is_deleted and u.role in ('Host', 'Administrator', 'Partner Analyst', 'Analyst')
$$;
create function is_single_operator() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce((select is_single_operator from installation_settings), false) and staff_count() <= 1
$$;
revoke all on function is_single_operator() from public;
grant execute on function is_single_operator() to parapet_app;

-- What one account did to another. Every action on an account counts, so that a new kind of change needs no entry here.
create index audit_account_changes on audit (target, at)
  where action like 'user.%' and actor_user_id is not null and actor_user_id::text <> target;

-- Why accounts cannot approve what another asked for; those that can are left out. A person in the portal:
-- requester: it is the one that asked; young: made less than 24 hours before; samePerson: another account of the requester, as far as known (the same subject of an identity
-- provider, the same mailbox); changed: the requester made, invited or changed it, or an account that did, within 30 days. Looks everywhere:
-- the account between the two may belong to an organisation that the approver does not see. Deleting an account, or changing its name, role or
-- phone number, opens no way into it.
create function approver_faults(requester integer, accounts integer[], moment timestamptz) returns table (account_id integer, fault text)
language sql stable security definer set search_path = public, pg_temp as $$
  with recursive reached (account, by_account) as (
    select a, a from unnest(accounts) a
    union
    select r.account, c.actor_user_id from reached r join audit c on c.target = r.by_account::text
    where c.at > moment - interval '30 days' and c.action like 'user.%' and c.actor_user_id is not null and c.actor_user_id::text <> c.target
      and c.action <> 'user.deleted' and (c.action <> 'user.updated' or c.before ? 'email')
  )
  select distinct on (f.account) f.account, f.fault from (
    select u.id as account, 'young' as fault, 3 as rank from users u where u.id = any (accounts) and u.created_at > moment - interval '24 hours'
    union all
    select requester, 'requester', 0 where requester = any (accounts)
    union all
    select r.account, 'changed', 2 from reached r where r.by_account = requester and r.account <> requester
    union all
    select u.id, 'samePerson', 1 from users u join users q on q.id = requester
    where u.id = any (accounts) and u.id <> requester and (
      regexp_replace(lower(u.email), '\+[^@]*@', '@') = regexp_replace(lower(q.email), '\+[^@]*@', '@')
      or exists (select from user_identities i join user_identities k on k.subject = i.subject where i.user_id = u.id and k.user_id = requester))
  ) f
  where not is_single_operator()
  order by f.account, f.rank
$$;
revoke all on function approver_faults(integer, integer[], timestamptz) from public;
grant execute on function approver_faults(integer, integer[], timestamptz) to parapet_app;
create index user_identities_subject on user_identities (subject);

-- Public halves of the keys that tasks are signed with. Each but the first is signed by the one before it, so that agents can follow.
create table agent_task_keys (
  generation integer primary key,
  public_key text not null,
  endorsement text not null default '',
  created_at timestamptz not null default now()
);
alter table agent_task_keys enable row level security;
create policy system on agent_task_keys using ((select app_is_system()));
grant select, insert on agent_task_keys to parapet_app;
