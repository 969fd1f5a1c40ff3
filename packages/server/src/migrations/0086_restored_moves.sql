-- After a restore this database begins its moves anew at an earlier number, while ClickHouse keeps the events of later moves. They count as moves that
-- were given up: hidden from now on, and cleaned away. Legitimate moves take their number before ClickHouse has their events, so none is among them.
-- Returns how many numbers were lost.
create function adopt_event_moves(newest bigint, started timestamptz) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  known bigint;
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work moves events' using errcode = 'insufficient_privilege';
  end if;
  select number into known from event_moves_last for update;
  if newest <= known then
    return 0;
  end if;
  insert into event_moves (number, started_at, is_abandoned) select lost, started, true from generate_series(known + 1, newest) lost;
  update event_moves_last set number = newest;
  return newest - known;
end $$;
revoke all on function adopt_event_moves(bigint, timestamptz) from public;
grant execute on function adopt_event_moves(bigint, timestamptz) to parapet_app;
