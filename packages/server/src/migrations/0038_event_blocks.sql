-- Events as compressed blocks (docs/decisions/0044-event-blocks.md), each of one organisation and one day (UTC), so that what is stored of an event is some hundred bytes. The
-- rows of `event_rows`, the table before, become blocks in the background; until then both are read.
alter table events rename to event_rows;
do $$
declare
  month regclass;
  is_empty boolean;
begin
  for month in select inhrelid from pg_inherits where inhparent = 'event_rows'::regclass loop
    execute format('select not exists (select from %s)', month) into is_empty;
    if is_empty then
      execute format('drop table %s', month);
    end if;
  end loop;
end $$;
revoke insert on event_rows from parapet_app;

create table event_blocks (
  id uuid not null,
  organisation_id integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  count integer not null check (count > 0),
  -- Events of each minute.
  minutes bytea not null,
  -- Null for too many to name.
  devices text[],
  -- Bloom filter of words.
  tokens bytea not null,
  -- Ids of the events, 16 bytes each, in the order of the body.
  ids bytea not null,
  body bytea not null,
  primary key (organisation_id, first_at, id),
  check (last_at - first_at < interval '1 day'),
  check (octet_length(ids) = 16 * count)
) partition by range (first_at);
create index event_blocks_small on event_blocks (organisation_id, first_at) where count < 1000;
-- All is compressed already.
alter table event_blocks alter column body set storage external, alter column ids set storage external, alter column tokens set storage external;
alter table event_blocks enable row level security;
create policy tenant on event_blocks using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert on event_blocks to parapet_app;

create or replace function make_partitions(first date, last date) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month date := date_trunc('month', first)::date;
  parent text;
  made integer := 0;
begin
  if last > first + interval '30 years' then
    raise exception 'partitions are made for at most 30 years at once';
  end if;
  perform pg_advisory_xact_lock(7301);
  while month <= last loop
    foreach parent in array array['event_blocks', 'alerts', 'alert_events'] loop
      if to_regclass(format('%s_%s', parent, to_char(month, 'YYYY_MM'))) is null then
        -- Documents stay in their row, uncompressed, up to a page: compressing each cost as much as all else of its insert.
        execute format('create table %I partition of %I for values from (%L) to (%L) with (toast_tuple_target = 8160)',
          format('%s_%s', parent, to_char(month, 'YYYY_MM')), parent,
          month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
        made := made + 1;
      end if;
    end loop;
    month := (month + interval '1 month')::date;
  end loop;
  return made;
end $$;
select make_partitions(min(at)::date, now()::date) from event_rows having count(*) > 0;

create or replace function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes what is over age' using errcode = 'insufficient_privilege';
  end if;
  if parent not in ('event_blocks', 'event_rows', 'alerts', 'alert_events') then
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
  if kind = 'event_blocks' then
    with old as (
      delete from event_blocks where (organisation_id, first_at, id) in (
        select b.organisation_id, b.first_at, b.id from event_blocks b
        where b.organisation_id = organisation and b.first_at < before and b.last_at < before order by b.first_at limit most)
      returning count
    ) select coalesce(sum(count), 0) into gone from old;
  elsif kind = 'event_rows' then
    delete from event_rows where (organisation_id, at, id) in (
      select e.organisation_id, e.at, e.id from event_rows e where e.organisation_id = organisation and e.at < before order by e.at limit most);
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

-- Removes blocks whose events one other block of the same organisation holds, which the same transaction inserted.
create function remove_merged_blocks(organisation integer, merged uuid[], since timestamptz, replacement uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint;
  kept bigint;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work merges blocks' using errcode = 'insufficient_privilege';
  end if;
  with old as (
    delete from event_blocks b where b.organisation_id = organisation and b.id = any (merged) and b.first_at >= since
      and b.first_at < since + interval '1 day' and b.id <> replacement returning count
  ) select coalesce(sum(count), 0) into gone from old;
  select count into kept from event_blocks b where b.organisation_id = organisation and b.id = replacement
    and b.first_at >= since and b.first_at < since + interval '1 day';
  if gone is distinct from kept then
    raise exception 'blocks of % events would become one of %', gone, coalesce(kept, 0);
  end if;
end $$;

-- Removes rows that became part of a block.
create function remove_packed_rows(organisation integer, times timestamptz[], packed uuid[]) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work packs events' using errcode = 'insufficient_privilege';
  end if;
  delete from event_rows e using unnest(times, packed) as p (at, id)
  where e.organisation_id = organisation and e.at = p.at and e.id = p.id;
  get diagnostics gone = row_count;
  return gone;
end $$;

-- True until every row has become part of a block.
create function has_event_rows() returns boolean language sql stable security definer set search_path = public, pg_temp as
  $$ select exists (select from event_rows) $$;

revoke all on function remove_merged_blocks(integer, uuid[], timestamptz, uuid), remove_packed_rows(integer, timestamptz[], uuid[]), has_event_rows() from public;
grant execute on function remove_merged_blocks(integer, uuid[], timestamptz, uuid), remove_packed_rows(integer, timestamptz[], uuid[]), has_event_rows() to parapet_app;
