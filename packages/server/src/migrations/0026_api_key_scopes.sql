-- API keys have scopes and address ranges instead of read or readWrite; what they create is known by them.
alter table api_keys
  add column scopes text[],
  -- CIDR, or single addresses; none: from everywhere.
  add column address_ranges text[] not null default '{}',
  -- Which notice the owner still gets by mail: that the scopes were assigned here, then that the end is near.
  add column is_scopes_notice_due boolean not null default false,
  add column expiry_notice_at timestamptz;
-- Never to administer: that takes a new key.
update api_keys set
  scopes = case access when 'read' then '{read}'::text[] else '{read,triage,respond,ingest}'::text[] end,
  is_scopes_notice_due = revoked_at is null and expires_at > now();
alter table api_keys alter column scopes set not null,
  add check (cardinality(scopes) > 0 and scopes <@ '{read,triage,respond,administer,ingest}'::text[]);

alter table ingest_keys add column created_by_api_key_id integer references api_keys;
alter table enrolment_tokens add column created_by_api_key_id integer references api_keys;
create index ingest_keys_created_by_api_key on ingest_keys (created_by_api_key_id) where created_by_api_key_id is not null;
create index enrolment_tokens_created_by_api_key on enrolment_tokens (created_by_api_key_id) where created_by_api_key_id is not null;

drop function live_api_keys(bytea[]);
alter table api_keys drop column access;
create function live_api_keys(hashes bytea[])
returns table (hash bytea, key_id integer, scopes text[], address_ranges text[], is_stale boolean, user_id integer, email text,
  first_name text, last_name text, role text, organisation_id integer, is_partner boolean, seen integer[])
language sql stable security definer set search_path = public, pg_temp as $$
  select k.hash, k.id, k.scopes, k.address_ranges, coalesce(k.last_used_at < now() - interval '1 minute', true), u.id, u.email, u.first_name,
    u.last_name, u.role, o.id, o.is_partner,
    case when o.is_partner then (
      select array_agg(c.id order by c.id) from organisations c
      where c.deactivated_at is null and (o.id = 1 or c.id = o.id or c.parent_id = o.id)
    ) else array[o.id] end
  from api_keys k join users u on u.id = k.user_id join organisations o on o.id = u.organisation_id
  left join organisations p on p.id = o.parent_id
  where k.hash = any(hashes) and k.revoked_at is null and k.expires_at > now()
    and not u.is_deleted and o.deactivated_at is null and p.deactivated_at is null
$$;
revoke all on function live_api_keys(bytea[]) from public;
grant execute on function live_api_keys(bytea[]) to parapet_app;
