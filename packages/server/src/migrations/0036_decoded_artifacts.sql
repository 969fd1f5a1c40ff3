-- The field whose decoded text holds an artifact; null for one that an event has as such.
alter table case_artifacts add column decoded_from text;

-- As before, with that field.
create or replace function absorb_case(organisation integer, source integer, target integer, by_alert integer, why text, happened timestamptz) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  taken cases%rowtype;
  members jsonb;
begin
  if not (coalesce(app_is_system(), false) or coalesce(organisation = any (app_organisations()), false)) then
    raise exception 'the organisation is not in scope' using errcode = 'insufficient_privilege';
  end if;
  perform from cases where id in (source, target) and organisation_id = organisation order by id for update;
  perform from cases where id = target and organisation_id = organisation and closed_at is null;
  if not found or source = target then
    return false;
  end if;
  select * into taken from cases where id = source and organisation_id = organisation and closed_at is null;
  if not found or is_attended(taken) then
    return false;
  end if;
  select coalesce(jsonb_agg(jsonb_build_object('id', alert_id, 'at', alert_at, 'joinedBy', joined_by)), '[]') into members
    from case_alerts where organisation_id = organisation and case_id = source;
  insert into case_merges (organisation_id, case_id, into_case_id, alert_id, reason, state, at, snapshot, history, alerts)
    select organisation, source, target, by_alert, why, 'merged', happened, to_jsonb(taken),
      (select coalesce(jsonb_agg(jsonb_build_object('at', h.at, 'kind', h.kind, 'text', h.text) order by h.id), '[]') from case_history h where h.case_id = source),
      members;
  update case_alerts set case_id = target where organisation_id = organisation and case_id = source;
  insert into case_artifacts as a (organisation_id, case_id, kind, value, first_at, last_at, count, decoded_from)
    select organisation_id, target, kind, value, first_at, last_at, count, decoded_from from case_artifacts where organisation_id = organisation and case_id = source
    on conflict (case_id, kind, value) do update set first_at = least(a.first_at, excluded.first_at),
      last_at = greatest(a.last_at, excluded.last_at), count = a.count + excluded.count,
      decoded_from = case when excluded.decoded_from is not null then a.decoded_from end;
  delete from cases where id = source and organisation_id = organisation;
  return true;
end $$;
