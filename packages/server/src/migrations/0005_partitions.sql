-- The application's role owns nothing, so months are made and dropped by functions that run with their owner's rights.
create function make_partitions(first date, last date) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
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
    foreach parent in array array['events', 'alerts', 'alert_events'] loop
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

-- Drops the months of a table that end at or before an instant; answers the names of what went.
create function drop_partitions(parent text, before timestamptz) returns setof text language plpgsql security definer set search_path = public, pg_temp as $$
declare
  child text;
begin
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

revoke all on function make_partitions(date, date), drop_partitions(text, timestamptz) from public;
grant execute on function make_partitions(date, date), drop_partitions(text, timestamptz) to parapet_app;
