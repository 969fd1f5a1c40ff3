-- Rota of the people on call at an organisation (docs/decisions/0128-on-call.md).

create table on_call_shifts (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users on delete cascade,
  -- 1 is called first, 2 next.
  place smallint not null check (place between 1 and 3),
  zone text not null,
  -- ISO numbers of the days on which it begins.
  days smallint[] not null,
  -- Minutes of the local day; an end that is not after the begin is on the next day.
  from_minute integer not null check (from_minute between 0 and 1439),
  to_minute integer not null check (to_minute between 0 and 1440)
);
create index on_call_shifts_organisation on on_call_shifts (organisation_id);
create index on_call_shifts_user on on_call_shifts (user_id);

-- A person in place of the shifts, such as a swap.
create table on_call_overrides (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  user_id integer not null references users on delete cascade,
  place smallint not null check (place between 1 and 3),
  starts timestamptz not null,
  ends timestamptz not null check (ends > starts)
);
create index on_call_overrides_organisation on on_call_overrides (organisation_id);
create index on_call_overrides_user on on_call_overrides (user_id);

create table on_call_notes (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  author_user_id integer references users on delete set null,
  author_name text not null,
  text text not null,
  written_at timestamptz not null
);
create index on_call_notes_organisation on on_call_notes (organisation_id, id desc);
create index on_call_notes_author on on_call_notes (author_user_id);

alter table on_call_shifts enable row level security;
create policy tenant on on_call_shifts using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on on_call_shifts to parapet_app;
alter table on_call_overrides enable row level security;
create policy tenant on on_call_overrides using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on on_call_overrides to parapet_app;
alter table on_call_notes enable row level security;
create policy tenant on on_call_notes using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on on_call_notes to parapet_app;

-- Shifts of an organisation as spans of time that touch a window, in the order of their ids. Begin and end are local times of their day, converted each,
-- so that consecutive shifts leave neither a gap nor an overlap where the clocks change.
create function on_call_spans(owner integer, since timestamptz, until timestamptz)
returns table (id integer, place smallint, user_id integer, starts timestamptz, ends timestamptz)
language sql stable set search_path = public, pg_temp as $$
  select s.id, s.place, s.user_id, t.starts, t.ends from on_call_shifts s
  cross join lateral generate_series((since at time zone s.zone)::date - 1, (until at time zone s.zone)::date, interval '1 day') as d (day)
  cross join lateral (select (d.day::timestamp + s.from_minute * interval '1 minute') at time zone s.zone as starts,
    (d.day::timestamp + (s.to_minute + case when s.to_minute <= s.from_minute then 1440 else 0 end) * interval '1 minute') at time zone s.zone as ends) t
  where s.organisation_id = owner and extract(isodow from d.day)::smallint = any (s.days) and t.starts < until and t.ends > since
  order by s.id, t.starts $$;
