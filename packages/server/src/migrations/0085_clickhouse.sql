-- Events that were moved to ClickHouse (docs/decisions/0075-clickhouse.md). A block that is moved names its move; one that is not lies here alone. A
-- reader takes the state of the moves first: then each event is in exactly one of the two stores, whatever happens meanwhile.
alter table event_blocks add column move bigint;
create index event_blocks_moved on event_blocks_merged (last_received_at) where move is not null;
create index event_blocks_recent_moved on event_blocks_recent (last_received_at) where move is not null;

-- Number of the last move that began. Its row is locked by each new one, so that moves become visible in the order of their numbers.
-- Moved blocks whose events and arrivals are before `trimmed_before` may be gone.
create table event_moves_last (
  is_only boolean primary key default true check (is_only),
  number bigint not null,
  trimmed_before timestamptz not null default '-infinity'
);
insert into event_moves_last (number) values (0);
-- Moves whose rows in ClickHouse do not count: under way, or given up and not cleaned away yet.
create table event_moves (
  number bigint primary key,
  started_at timestamptz not null,
  is_abandoned boolean not null default false
);
-- Numbers alone, of no organisation.
alter table event_moves_last enable row level security;
alter table event_moves enable row level security;
create policy reading on event_moves_last for select using (true);
create policy reading on event_moves for select using (true);
grant select on event_moves_last, event_moves to parapet_app;

-- Begins a move of blocks, all of one day; returns its number.
create function begin_event_move(blocks uuid[], since timestamptz, started timestamptz) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  own bigint;
  marked integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work moves events' using errcode = 'insufficient_privilege';
  end if;
  update event_moves_last set number = number + 1 returning number into own;
  insert into event_moves (number, started_at) values (own, started);
  update event_blocks b set move = own where b.id = any (blocks) and b.first_at >= since and b.first_at < since + interval '1 day'
    and b.move is null and b.archive_file_id is null;
  get diagnostics marked = row_count;
  if marked <> cardinality(blocks) then
    raise exception 'blocks changed before they were moved' using errcode = 'serialization_failure';
  end if;
  return own;
end $$;

-- From now on the events of a move are those in ClickHouse.
create function finish_event_move(own bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work moves events' using errcode = 'insufficient_privilege';
  end if;
  delete from event_moves where number = own and not is_abandoned;
  if not found then
    raise exception 'move % was given up', own;
  end if;
end $$;

-- Gives up moves that began before a time: their blocks stay here.
create function abandon_event_moves(before timestamptz) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
declare
  given_up integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work moves events' using errcode = 'insufficient_privilege';
  end if;
  with old as (
    update event_moves set is_abandoned = true where started_at < before and not is_abandoned returning number
  ), freed as (
    update event_blocks b set move = null where b.move in (select number from old) returning 1
  ) select count(*) into given_up from old;
  return given_up;
end $$;

-- Forgets a move that was given up, once ClickHouse has none of its rows.
create function forget_event_move(own bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work moves events' using errcode = 'insufficient_privilege';
  end if;
  delete from event_moves where number = own and is_abandoned;
end $$;

-- Removes blocks whose events ClickHouse has, once they are older than the window in which an event is recognised when it is sent again. Those that
-- the archive will take stay.
create function remove_moved_blocks(before timestamptz, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work removes moved events' using errcode = 'insufficient_privilege';
  end if;
  if before > now() + interval '1 minute' then
    raise exception 'moved events are removed when their window is over, not before';
  end if;
  update event_moves_last set trimmed_before = before where trimmed_before < before;
  delete from event_blocks where (organisation_id, first_at, id) in (
    select b.organisation_id, b.first_at, b.id from event_blocks b
    where b.move is not null and b.last_received_at < before and b.last_at < before
      and archive_months_of(b.organisation_id) = 0 and not exists (select from event_moves m where m.number = b.move) limit most);
  get diagnostics gone = row_count;
  return gone;
end $$;

-- As before, without blocks that are moved.
create or replace function remove_merged_blocks(organisation integer, merged uuid[], since timestamptz, replacement uuid) returns void
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
      and b.first_at < since + interval '1 day' and b.id <> replacement and b.move is null returning count
  ) select coalesce(sum(count), 0) into gone from old;
  select count into kept from event_blocks b where b.organisation_id = organisation and b.id = replacement
    and b.first_at >= since and b.first_at < since + interval '1 day';
  if gone is distinct from kept then
    raise exception 'blocks of % events would become one of %', gone, coalesce(kept, 0);
  end if;
end $$;

revoke all on function begin_event_move(uuid[], timestamptz, timestamptz), finish_event_move(bigint), abandon_event_moves(timestamptz),
  forget_event_move(bigint), remove_moved_blocks(timestamptz, integer) from public;
grant execute on function begin_event_move(uuid[], timestamptz, timestamptz), finish_event_move(bigint), abandon_event_moves(timestamptz),
  forget_event_move(bigint), remove_moved_blocks(timestamptz, integer) to parapet_app;
