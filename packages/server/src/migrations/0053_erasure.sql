-- Erasure of one client: rows of every table with its organisation, files, and the content of its audit entries (docs/decisions/0057-retention.md).

alter table organisations add column erased_at timestamptz;

-- Users of an erased client are gone; entries keep their ids.
alter table audit drop constraint audit_actor_user_id_fkey;
-- Leaf of an entry whose content was erased, so that the chain still verifies through it.
alter table audit_chain add column erased_leaf bytea check (length(erased_leaf) = 32);

-- Confirmed erasures; one for each client, which never comes back.
create table erasures (
  organisation_id integer primary key references organisations,
  request_id integer not null references retention_requests,
  client_name text not null,
  started_at timestamptz not null,
  -- Newest audit entry whose content is erased.
  audit_through bigint not null,
  planned_at timestamptz,
  finished_at timestamptz,
  certificate jsonb
);
create index erasures_request on erasures (request_id);
-- Deleted so far, each in the transaction that deletes.
create table erasure_parts (
  organisation_id integer not null references erasures,
  name text not null,
  rows bigint not null,
  bytes bigint not null,
  primary key (organisation_id, name)
);
create table erasure_files (
  organisation_id integer not null references erasures,
  key text not null,
  bytes bigint,
  is_removed boolean not null default false,
  primary key (organisation_id, key)
);
alter table erasures enable row level security;
alter table erasure_parts enable row level security;
alter table erasure_files enable row level security;
create policy tenant on erasures using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
create policy tenant on erasure_parts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
create policy tenant on erasure_files using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update on erasures, erasure_parts to parapet_app;
grant select, insert, update, delete on erasure_files to parapet_app;

-- Tables with rows of organisations, from the catalogue, so that a new one is erased too. What stays: the audit chain, and the record of the erasure itself.
create function erasable_tables() returns setof text
language sql stable security definer set search_path = public, pg_temp as $$
  select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not in ('audit', 'audit_chain', 'audit_checkpoints', 'audit_verifications', 'retention_requests', 'erasures', 'erasure_parts', 'erasure_files')
  order by 1
$$;

-- Throws unless a confirmed erasure of the organisation is under way. Holds stop it.
create function require_erasure(organisation integer) returns void
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if not coalesce(app_is_system(), false) then
    raise exception 'only the portal''s own work erases' using errcode = 'insufficient_privilege';
  end if;
  if is_held(organisation) then
    raise exception 'organisation % is under legal hold', organisation;
  end if;
  if not exists (
    select from erasures e join retention_requests r on r.id = e.request_id join organisations o on o.id = e.organisation_id
    where e.organisation_id = organisation and e.finished_at is null and r.organisation_id = organisation and r.kind = 'erase' and r.state = 'confirmed'
      and o.erased_at is not null and o.deactivated_at is not null and not o.is_partner
  ) then
    raise exception 'no confirmed erasure of organisation % is under way', organisation;
  end if;
end $$;

-- Deletes up to `most` rows of a table and sums their sizes.
create function erase_rows(organisation integer, parent text, most integer) returns table (rows bigint, bytes bigint)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  leaf regclass;
begin
  perform require_erasure(organisation);
  if parent not in (select erasable_tables()) then
    raise exception '% is no table with rows of organisations', parent;
  end if;
  for leaf in select t.relid from pg_partition_tree(parent::regclass) t where t.isleaf
    union all select c.oid from pg_class c where c.oid = parent::regclass and c.relkind = 'r' loop
    execute format('with gone as (
        delete from %s t where ctid = any (array(select ctid from %s where organisation_id = $1 limit $2)) returning pg_column_size(t.*) as size
      ) select count(*), coalesce(sum(size), 0)::bigint from gone', leaf, leaf) into rows, bytes using organisation, most;
    if rows > 0 then
      return next;
      return;
    end if;
  end loop;
end $$;

-- Tables with rows of the organisation.
create function unerased_tables(organisation integer) returns setof text
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  name text;
  is_left boolean;
begin
  perform require_erasure(organisation);
  for name in select t from erasable_tables() t loop
    execute format('select exists (select from %I where organisation_id = $1)', name) into is_left using organisation;
    if is_left then
      return next name;
    end if;
  end loop;
end $$;

-- Takes rows of the organisation out of columns that may be empty and name them from elsewhere, or from the same table.
create function erase_references(organisation integer, parent text) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  found record;
begin
  perform require_erasure(organisation);
  for found in
    select c.conrelid::regclass as child, a.attname as col, p.attname as key from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_attribute p on p.attrelid = c.confrelid and p.attnum = c.confkey[1]
    where c.contype = 'f' and c.conparentid = 0 and c.confrelid = parent::regclass and cardinality(c.conkey) = 1 and not a.attnotnull
  loop
    execute format('update %s c set %I = null from %I p where c.%I = p.%I and p.organisation_id = $1', found.child, found.col, parent, found.col, found.key)
      using organisation;
  end loop;
end $$;

-- Removes the content of sealed entries; their leaves keep the chain. The salt goes too, or a short entry could be guessed from its leaf.
create function erase_audit(organisation integer, leaves jsonb) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  erased bigint;
begin
  perform require_erasure(organisation);
  with links as (
    update audit_chain c set erased_leaf = decode(l.leaf, 'hex'), salt = decode(repeat('00', 32), 'hex')
    from jsonb_to_recordset(leaves) as l ("auditId" bigint, leaf text), erasures e
    where c.audit_id = l."auditId" and c.organisation_id = organisation and c.erased_leaf is null
      and e.organisation_id = organisation and c.audit_id <= e.audit_through
    returning c.audit_id
  ), entries as (
    update audit a set target = '', before = null, after = null, address = '' from links where a.id = links.audit_id and a.organisation_id = organisation
    returning 1
  ) select count(*) into erased from entries;
  return erased;
end $$;

-- Leaves of the organisation its id, kind, partner and times.
create function erase_organisation(organisation integer) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  columns text;
begin
  perform require_erasure(organisation);
  select string_agg(format('%I = default', a.attname), ', ') into columns from pg_attribute a
  where a.attrelid = 'organisations'::regclass and a.attnum > 0 and not a.attisdropped
    and a.attname not in ('id', 'name', 'is_partner', 'parent_id', 'created_at', 'deactivated_at', 'erased_at');
  execute format('update organisations set %s, name = $2 where id = $1', columns) using organisation, 'Erased client ' || organisation;
end $$;

revoke all on function erasable_tables(), require_erasure(integer), erase_rows(integer, text, integer), erase_references(integer, text), erase_audit(integer, jsonb),
  erase_organisation(integer), unerased_tables(integer) from public;
grant execute on function erasable_tables(), erase_rows(integer, text, integer), erase_references(integer, text), erase_audit(integer, jsonb), erase_organisation(integer), unerased_tables(integer) to parapet_app;
