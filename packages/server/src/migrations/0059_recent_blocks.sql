-- Small blocks that the next merge takes up lie in a table of their own (docs/decisions/0070-recent-blocks.md): it is empty again after the merge, so
-- that a vacuum returns its room to the disk instead of leaving it between merged blocks.
alter table event_blocks rename to event_blocks_merged;
alter table event_blocks_merged add column is_recent boolean not null default false;
create table event_blocks (like event_blocks_merged including defaults including constraints) partition by list (is_recent);
alter table event_blocks attach partition event_blocks_merged for values in (false);
create table event_blocks_recent partition of event_blocks (primary key (organisation_id, first_at, id)) for values in (true)
  with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 16,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 500);
alter table event_blocks_recent alter column body set storage external, alter column ids set storage external, alter column tokens set storage external;

alter table event_blocks enable row level security;
alter table event_blocks_recent enable row level security;
create policy tenant on event_blocks using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
create policy tenant on event_blocks_recent using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
revoke all on event_blocks_merged from parapet_app;
grant select, insert on event_blocks to parapet_app;
-- For VACUUM after a merge; before PostgreSQL 17 autovacuum alone does it, within a minute or two.
do $$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute 'grant maintain on event_blocks_recent to parapet_app';
  end if;
end $$;

-- Table whose partitions are the months of a table.
create function months_of(parent text) returns text language sql immutable set search_path = public, pg_temp as
  $$ select case parent when 'event_blocks' then 'event_blocks_merged' else parent end $$;
revoke all on function months_of(text) from public;

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
          format('%s_%s', parent, to_char(month, 'YYYY_MM')), months_of(parent),
          month::timestamp at time zone 'UTC', (month + interval '1 month')::timestamp at time zone 'UTC');
        made := made + 1;
      end if;
    end loop;
    month := (month + interval '1 month')::date;
  end loop;
  return made;
end $$;

-- As before, with the small blocks of the month.
create or replace function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
  first timestamptz;
  after timestamptz;
  is_needed boolean;
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
  for child in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = months_of(parent)::regclass order by 1 loop
    first := to_date(right(child, 7), 'YYYY_MM')::timestamp at time zone 'UTC';
    after := (to_date(right(child, 7), 'YYYY_MM') + interval '1 month')::timestamp at time zone 'UTC';
    if after <= before then
      execute format('select exists (select from organisations o where (is_held(o.id) or $1 and archive_months_of(o.id) > 0)
        and exists (select from %I c where c.organisation_id = o.id))', child) into is_needed using parent in ('event_blocks', 'event_rows');
      if not is_needed and parent = 'event_blocks' then
        execute format('select exists (select from %I where archive_file_id is not null)', child) into is_needed;
        is_needed := is_needed or exists (select from event_blocks_recent b
          where b.first_at >= first and b.first_at < after and (is_held(b.organisation_id) or archive_months_of(b.organisation_id) > 0));
      end if;
      if not is_needed then
        if parent = 'event_blocks' then
          -- A merge would find no month for them.
          delete from event_blocks_recent b where b.first_at >= first and b.first_at < after;
        end if;
        execute format('drop table %I', child);
        return next child;
      end if;
    end if;
  end loop;
end $$;
