-- What a transaction may see, unforgeable from within SQL. The setting `app.organisations` decided before, and any statement could change it. The
-- application now signs the scope for the connection's own backend: app.scope = '<HMAC-SHA-256> <organisations or *>'. The key is readable by the
-- owner alone (table scope_key, made by migrate.ts); the application derives it from its password, which no statement can read.
-- The scope behind a valid proof ('*' or ids with commas), else null.
create function proven_scope() returns text language plpgsql stable parallel restricted security definer set search_path = public, pg_temp as $$
declare
  given text := current_setting('app.scope', true);
  -- After 64 hexadecimal digits and a blank.
  visible text := substr(given, 66);
begin
  perform from scope_key k
  where encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(pg_backend_pid() || ' ' || visible, 'UTF8'))), 'hex') = left(given, 64);
  return case when found then visible end;
end $$;
revoke all on function proven_scope() from public;

-- The policies call these two. The cheap comparison comes first: most scopes are not the system's.
create or replace function app_is_system() returns boolean language plpgsql stable parallel restricted security definer
set search_path = public, pg_temp as $$
begin
  return right(current_setting('app.scope', true), 2) = ' *' and proven_scope() = '*';
end $$;

create or replace function app_organisations() returns integer[] language plpgsql stable parallel restricted security definer
set search_path = public, pg_temp as $$
begin
  if right(current_setting('app.scope', true), 2) = ' *' then
    return null;
  end if;
  return string_to_array(nullif(proven_scope(), ''), ',')::integer[];
end $$;
revoke all on function app_is_system(), app_organisations() from public;
grant execute on function app_is_system(), app_organisations() to parapet_app;

create or replace function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes what is over age' using errcode = 'insufficient_privilege';
  end if;
  if parent not in ('events', 'alerts', 'alert_events') then
    raise exception '% is not a table with months', parent;
  end if;
  -- Whoever gets hold of the application's role cannot throw today's evidence away.
  if before > now() - interval '1 day' then
    raise exception 'months are dropped when they are over, not before';
  end if;
  perform pg_advisory_xact_lock(7301);
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass order by 1 loop
    if (to_date(right(child, 7), 'YYYY_MM') + interval '1 month')::timestamp at time zone 'UTC' <= before then
      execute format('drop table %I', child);
      return next child;
    end if;
  end loop;
end $$;

create or replace function remove_over_age(kind text, organisation integer, before timestamptz, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes what is over age' using errcode = 'insufficient_privilege';
  end if;
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
