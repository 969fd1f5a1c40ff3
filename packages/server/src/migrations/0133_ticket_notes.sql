-- Notes of people that a client may read go to the tickets of their case (docs/decisions/0114). Internal notes, and those that came from a PSA, never do.
-- Targets of a partner are outside a client's scope, so the function decides. Returns how many deliveries it wrote.
create function queue_ticket_note(note integer, occasion text, at timestamptz) returns integer
language sql volatile security definer set search_path = public, pg_temp as $$
  with written as (
    insert into deliveries (organisation_id, target_id, client_id, event, subject, object_id, key, facts, actor_user_id, event_at, queue_at, next_at, expires_at)
    select t.organisation_id, t.id, n.organisation_id, 'case.note', 'case-' || n.case_id, n.case_id, 'case.note:' || n.id || ':' || occasion,
      jsonb_build_object('note', n.id, 'title', c.title), n.author_user_id, at, at, at, at + interval '72 hours'
    from case_notes n join cases c on c.id = n.case_id and c.organisation_id = n.organisation_id
    join organisations o on o.id = n.organisation_id
    join delivery_targets t on t.organisation_id in (o.id, o.parent_id, 1)
    join ticket_setups s on s.target_id = t.id
    left join case_tickets k on k.target_id = t.id and k.case_id = n.case_id and k.client_id = n.organisation_id
    where n.id = note and not n.is_internal and n.source is null and n.author_user_id is not null and not c.is_excluded and k.deleted_at is null
      and ((select app_is_system()) or n.organisation_id = any ((select app_organisations())::integer[]))
      -- Linked, or about to be: its turn comes after the delivery that opens the ticket.
      and (k.id is not null or exists (select from deliveries d where d.target_id = t.id and d.subject = 'case-' || n.case_id
        and d.client_id = n.organisation_id and d.state in ('queued', 'sent', 'failed')))
    on conflict (target_id, key) do nothing
    returning 1
  )
  select count(*)::integer from written $$;
revoke all on function queue_ticket_note(integer, text, timestamptz) from public;
grant execute on function queue_ticket_note(integer, text, timestamptz) to parapet_app;
