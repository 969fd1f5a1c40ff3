-- What became of alerts, for the balance sheet; what reports need beside their tables.

-- By the day (UTC) on which the alert happened, so that a number and the list behind it are of the same day. raised: times that rules matched and an
-- alert came of it; folded: those of them that were repeats; both are written with the alerts. The others are kept by the triggers below, whoever
-- puts an alert into a case. What retention takes away leaves these figures as they were.
create table alert_fates (
  organisation_id integer not null,
  day date not null,
  fate text not null check (fate in ('raised', 'folded', 'suppressed', 'inCase', 'autoClosed')),
  count bigint not null,
  primary key (organisation_id, day, fate)
);
alter table alert_fates enable row level security;
create policy tenant on alert_fates using ((select app_is_system()) or organisation_id in (select unnest(app_organisations())));
grant select, insert, update, delete on alert_fates to parapet_app;
grant delete on ingest_counters to parapet_app;

-- In an order, so that two transactions never wait for each other crosswise.
create function add_alert_fates(organisations integer[], days date[], fates text[], counts bigint[]) returns void language sql as $$
  insert into alert_fates as f (organisation_id, day, fate, count)
  select organisation_id, day, fate, sum(n) from unnest(organisations, days, fates, counts) as u (organisation_id, day, fate, n)
  group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
  on conflict (organisation_id, day, fate) do update set count = f.count + excluded.count $$;

-- Closed by nobody: the portal did it by itself.
create function case_fate(closed_at timestamptz, closed_by integer) returns text language sql immutable as $$
  select case when closed_at is not null and closed_by is null then 'autoClosed' else 'inCase' end $$;

-- An alert that was suppressed and is put into a case by hand counts for the case.
create function count_joined_alerts() returns trigger language plpgsql as $$ begin
  perform add_alert_fates(array_agg(organisation_id), array_agg(day), array_agg(fate), array_agg(n)) from (
    select j.organisation_id, (j.alert_at at time zone 'UTC')::date as day, case_fate(c.closed_at, c.closed_by) as fate, count(*) as n
    from joined j join cases c on c.id = j.case_id group by 1, 2, 3
    union all
    select j.organisation_id, (j.alert_at at time zone 'UTC')::date, 'suppressed', -count(*)
    from joined j join suppressed_alerts s on s.alert_id = j.alert_id and s.alert_at = j.alert_at group by 1, 2
  ) moved having count(*) > 0;
  return null;
end $$;
create trigger case_alerts_joined after insert on case_alerts referencing new table as joined for each statement execute function count_joined_alerts();

create function count_moved_alerts() returns trigger language plpgsql as $$ begin
  perform add_alert_fates(array_agg(organisation_id), array_agg(day), array_agg(fate), array_agg(n)) from (
    select m.organisation_id, (m.alert_at at time zone 'UTC')::date as day, case_fate(c.closed_at, c.closed_by) as fate, sum(m.n)::bigint as n
    from (select *, 1 as n from became union all select *, -1 from was) m join cases c on c.id = m.case_id group by 1, 2, 3
  ) moved having count(*) > 0;
  return null;
end $$;
create trigger case_alerts_moved after update on case_alerts referencing old table as was new table as became
  for each statement execute function count_moved_alerts();

create function count_suppressed_alerts() returns trigger language plpgsql as $$ begin
  perform add_alert_fates(array_agg(organisation_id), array_agg(day), array_agg('suppressed'::text), array_agg(n)) from (
    select h.organisation_id, (h.alert_at at time zone 'UTC')::date as day, count(*) as n from hidden h
    where not exists (select from case_alerts c where c.alert_id = h.alert_id and c.alert_at = h.alert_at) group by 1, 2
  ) moved having count(*) > 0;
  return null;
end $$;
create trigger suppressed_alerts_hidden after insert on suppressed_alerts referencing new table as hidden
  for each statement execute function count_suppressed_alerts();

create function count_closed_alerts() returns trigger language plpgsql as $$ begin
  perform add_alert_fates(array_agg(organisation_id), array_agg(day), array_agg(fate), array_agg(n)) from (
    select a.organisation_id, (a.alert_at at time zone 'UTC')::date as day, f.fate, sum(f.n)::bigint as n
    from case_alerts a cross join (values (case_fate(new.closed_at, new.closed_by), 1), (case_fate(old.closed_at, old.closed_by), -1)) as f (fate, n)
    where a.case_id = new.id group by 1, 2, 3
  ) moved having count(*) > 0;
  return null;
end $$;
create trigger cases_closed after update of closed_at, closed_by on cases for each row
  when (case_fate(old.closed_at, old.closed_by) <> case_fate(new.closed_at, new.closed_by)) execute function count_closed_alerts();

-- What happened before this was counted.
insert into alert_fates
  select organisation_id, day, 'folded', sum(n) from (
    select organisation_id, (at at time zone 'UTC')::date as day, fire_count - 1 as n from alerts where fire_count > 1) a group by 1, 2;
insert into alert_fates
  select organisation_id, day, 'raised', sum(n) from (
    select organisation_id, day, count as n from rollup_day_severity
    union all select organisation_id, day, count from alert_fates where fate = 'folded') a group by 1, 2;
insert into alert_fates
  select a.organisation_id, (a.alert_at at time zone 'UTC')::date, case_fate(c.closed_at, c.closed_by), count(*)
  from case_alerts a join cases c on c.id = a.case_id group by 1, 2, 3;
insert into alert_fates
  select s.organisation_id, (s.alert_at at time zone 'UTC')::date, 'suppressed', count(*) from suppressed_alerts s
  where not exists (select from case_alerts c where c.alert_id = s.alert_id and c.alert_at = s.alert_at) group by 1, 2;
-- Counted at the door from now on.
insert into ingest_counters select organisation_id, day, 'received', sum(count) from ingest_counters group by 1, 2;

-- Files that go with a mail: their names, types, and keys in the store of files.
alter table mails add column attachments jsonb not null default '[]';
-- Why the last try failed; empty after one that did not.
alter table report_schedules add column last_error text not null default '';
-- Of a month: what was closed in it, and what its mails were.
create index cases_closed_at on cases (organisation_id, closed_at) where closed_at is not null;
