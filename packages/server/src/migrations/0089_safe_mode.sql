-- Connections of a process in safe mode set app.safe_mode: nothing leaves by them, as after a restore (docs/decisions/0076-safe-mode.md).
create or replace function is_paused() returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(current_setting('app.safe_mode', true), '') = 'on' or exists (select from restorations where released_at is null)
$$;

-- Emails created since are sent: none in safe mode.
create or replace function paused_since() returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
  select case when coalesce(current_setting('app.safe_mode', true), '') = 'on' then timestamptz 'infinity'
    else (select max(restored_at) from restorations where released_at is null) end
$$;
