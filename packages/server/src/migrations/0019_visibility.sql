-- Visibility: entries about what the SOC keeps to itself (notes, drafts, reviews, suppressions) are not for the client that they concern.
-- New entries get theirs from the catalogue in core/audit.visibility.ts, which says the same.
alter table audit add column visibility text not null default 'client' check (visibility in ('internal', 'client'));
update audit set visibility = 'internal' where
  action in ('case.narrativeSaved', 'case.decisioningJudged', 'case.markedIncorrect', 'review.assigned', 'review.decided',
    'suppression.created', 'suppression.ended', 'bulk.suppress', 'sapphire.knowledgeReviewed')
  or (action = 'case.noteSaved' and (coalesce((before ->> 'isInternal')::boolean, false) or coalesce((after ->> 'isInternal')::boolean, true)));

-- The rule of names (docs/decisions/0021): the provider's staff have one name for everybody but the provider and its direct clients. Who reads is
-- an argument, so that neither a narrower scope nor the portal's own one changes what the same reader sees. 0 reads nobody's name.
create function sees_provider_staff(reader integer) returns boolean language sql stable security definer set search_path = public, pg_temp as $$
  select reader = 1 or exists (select from organisations where id = reader and parent_id = 1 and not is_partner) $$;
create function shown_name(reader integer, person integer, name text) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select case when exists (select from users where id = person and organisation_id = 1) and not sees_provider_staff(reader)
    then 'SOC Analyst' else name end $$;
revoke all on function sees_provider_staff(integer) from public;
revoke all on function shown_name(integer, integer, text) from public;
grant execute on function sees_provider_staff(integer) to parapet_app;
grant execute on function shown_name(integer, integer, text) to parapet_app;
drop function shown_name(integer, text);

-- Names that were written into texts and entries.
update case_history set text = 'Taken back: Analyst changed' where text like 'Taken back: Assigned to %' or text like 'Taken back: No longer assigned to %';
update audit set after = after - 'analyst_name' - 'analyst_email' - 'closed_by_name' where action = 'case.changeUndone' and jsonb_typeof(after) = 'object';
update responses set rule_text = regexp_replace(rule_text, 'were asked for by .*: a second person must', 'were asked for by one person: a second person must'),
  detail = regexp_replace(detail, 'were asked for by .*: a second person must', 'were asked for by one person: a second person must')
  where rule_text ~ 'were asked for by .*: a second person must';
