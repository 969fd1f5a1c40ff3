-- When each session's user last proved who they are, apart from when it began: by a sign-in or a step-up, with and without a second factor.
-- null: never here, as after a single sign-on whose provider does not say when it asked.
alter table sessions
  add column proven_at timestamptz default now(),
  add column second_factor_at timestamptz;
update sessions set proven_at = case when method = 'singleSignOn' then null else signed_in_at end,
  second_factor_at = case when method = 'mfa' then signed_in_at end;

-- A single sign-on that proves the identity of a session that is there already; null: it begins a session.
alter table sign_on_starts add column session_id uuid references sessions on delete cascade;
create index sign_on_starts_session on sign_on_starts (session_id) where session_id is not null;
-- What the identity provider said about when and how it asked, for the session that the code begins.
alter table sign_on_codes
  add column proven_at timestamptz,
  add column second_factor_at timestamptz;

-- Asked at every request: no further round trip for what a call needs to know of the last proof.
drop function live_sessions(uuid[], interval);
create function live_sessions(ids uuid[], idle interval)
returns table (session_id uuid, user_id integer, email text, first_name text, last_name text, role text, organisation_id integer,
  is_partner boolean, is_stale boolean, proven_at timestamptz, second_factor_at timestamptz, has_password boolean, has_second_factor boolean,
  seen integer[])
language sql stable security definer set search_path = public, pg_temp as $$
  select s.id, u.id, u.email, u.first_name, u.last_name, u.role, o.id, o.is_partner, s.last_seen_at < now() - interval '1 minute',
    s.proven_at, s.second_factor_at, u.password_hash is not null, u.is_mfa_set,
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
