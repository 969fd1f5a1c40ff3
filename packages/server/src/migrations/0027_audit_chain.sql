-- The audit log as a chain of hashes for each organisation, with signed checkpoints (decision 29). The application adds entries and, by the
-- functions below, links; it can change and remove neither.

alter table audit add column if not exists visibility text not null default 'client' check (visibility in ('internal', 'client'));

-- Number and time of an entry are the database's to give.
revoke insert on audit from parapet_app;
grant insert (organisation_id, actor_user_id, actor_organisation_id, action, target, before, after, address, visibility) on audit to parapet_app;

-- Without foreign keys: they would double what a link costs, and an entry that is gone must be found, not prevented for those who obey constraints.
create table audit_chain (
  organisation_id integer not null,
  position bigint not null check (position > 0),
  audit_id bigint not null unique,
  -- Random: the hash of an entry that a reader may not see cannot be guessed from its parts.
  salt bytea not null check (length(salt) = 32),
  hash bytea not null check (length(hash) = 32),
  sealed_at timestamptz not null default now(),
  primary key (organisation_id, position)
);
alter table audit_chain enable row level security;
create policy tenant on audit_chain using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

-- The newest of each organisation is replaced at every seal; one an hour is kept.
create table audit_checkpoints (
  id bigint generated always as identity primary key,
  organisation_id integer not null references organisations,
  position bigint not null check (position > 0),
  hash bytea not null check (length(hash) = 32),
  -- Entries in the log then.
  count bigint not null,
  -- Time of the newest entry that it covers.
  through timestamptz not null,
  at timestamptz not null,
  public_key bytea not null check (length(public_key) = 32),
  signature bytea not null check (length(signature) = 64),
  is_kept boolean not null default false
);
create index audit_checkpoints_organisation on audit_checkpoints (organisation_id, position, id);
create unique index audit_checkpoints_newest on audit_checkpoints (organisation_id) where not is_kept;
alter table audit_checkpoints enable row level security;
create policy tenant on audit_checkpoints using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

-- What the portal's own look at each chain found last, for its administrators; proof is what verify-audit finds.
create table audit_verifications (
  organisation_id integer primary key references organisations,
  at timestamptz not null,
  position bigint not null,
  -- The first broken link; null where all of it verifies.
  broken jsonb
);
alter table audit_verifications enable row level security;
create policy tenant on audit_verifications using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));

grant select on audit_chain, audit_checkpoints to parapet_app;
grant select, insert, update on audit_verifications to parapet_app;

-- Adds links behind the last one of each organisation, and its newest checkpoint. It can only add: to existing entries, each once, without a gap.
create function seal_audit(links jsonb, heads jsonb) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  added bigint;
  misplaced bigint;
begin
  if not coalesce(app_is_system(), false) then
    raise exception 'only the portal itself seals the audit log' using errcode = '42501';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('audit chain', 0));
  -- Counted: `exists` is planned for its first row, which walks through the whole log for each link.
  select count(*) into misplaced from (
    select from jsonb_to_recordset(links) as l ("auditId" bigint, position bigint) join audit a on a.id = l."auditId"
    group by a.organisation_id
    having count(*) <> max(l.position) - min(l.position) + 1 or min(l.position) <> 1 + greatest(
      (select max(position) from audit_chain c where c.organisation_id = a.organisation_id),
      (select max(position) from audit_checkpoints c where c.organisation_id = a.organisation_id), 0)
  ) g;
  if misplaced > 0 then
    raise exception 'the links do not follow the last one' using errcode = '23514';
  end if;
  insert into audit_chain (organisation_id, position, audit_id, salt, hash)
    select a.organisation_id, l.position, a.id, decode(l.salt, 'hex'), decode(l.hash, 'hex')
    from jsonb_to_recordset(links) as l ("auditId" bigint, position bigint, salt text, hash text) join audit a on a.id = l."auditId";
  get diagnostics added = row_count;
  if added <> jsonb_array_length(links) then
    raise exception 'a link names no entry' using errcode = '23503';
  end if;
  delete from audit_checkpoints c using jsonb_to_recordset(heads) as h ("organisationId" integer)
    where c.organisation_id = h."organisationId" and not c.is_kept;
  insert into audit_checkpoints (organisation_id, position, hash, count, through, at, public_key, signature)
    select c.organisation_id, c.position, c.hash, h.count, h.through, h.at, decode(h."publicKey", 'hex'), decode(h.signature, 'hex')
    from jsonb_to_recordset(heads) as h ("organisationId" integer, position bigint, count bigint, through timestamptz, at timestamptz, "publicKey" text, signature text)
    join audit_chain c on c.organisation_id = h."organisationId" and c.position = h.position;
end $$;

-- Keeps the newest checkpoints of organisations that have kept none for an hour, and names them.
create function keep_audit_checkpoints() returns setof audit_checkpoints
language sql volatile security definer set search_path = public, pg_temp as $$
  update audit_checkpoints c set is_kept = true
  where not c.is_kept and app_is_system() and not exists (
    select from audit_checkpoints k where k.organisation_id = c.organisation_id and k.is_kept
      and k.at > now() - interval '1 hour' and k.through > c.through - interval '1 hour')
  returning c.*
$$;

-- Entries of more than 400 days go up to a kept checkpoint, from which the rest still verifies. The age is asked of the entries themselves.
create or replace function drop_old_audit() returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with starts as (
    select distinct on (k.organisation_id) k.organisation_id, k.position from audit_checkpoints k
    where k.is_kept and k.through < now() - interval '400 days' and not exists (
      select from audit_chain c join audit a on a.id = c.audit_id
      where c.organisation_id = k.organisation_id and c.position <= k.position and a.at >= now() - interval '400 days')
    order by k.organisation_id, k.position desc
  ), links as (
    delete from audit_chain c using starts s where c.organisation_id = s.organisation_id and c.position <= s.position returning c.audit_id
  ), checkpoints as (
    delete from audit_checkpoints c using starts s where c.organisation_id = s.organisation_id and c.position < s.position
  ), gone as (
    delete from audit a using links where a.id = links.audit_id returning 1
  )
  select count(*) from gone
$$;

revoke all on function seal_audit(jsonb, jsonb), keep_audit_checkpoints() from public;
grant execute on function seal_audit(jsonb, jsonb), keep_audit_checkpoints() to parapet_app;
