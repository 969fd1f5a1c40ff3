-- Files of closed cases go to the tickets of targets that wish them (docs/decisions/0170-attachments.md). Targets of a partner are outside a client's
-- scope, so the function decides. Returns how many deliveries it wrote.
create function queue_ticket_files(closings jsonb) returns integer
language sql volatile security definer set search_path = public, pg_temp as $$
  with written as (
    insert into deliveries (organisation_id, target_id, client_id, event, subject, object_id, key, facts, actor_user_id, event_at, queue_at, next_at, expires_at)
    select t.organisation_id, t.id, c.organisation_id, 'case.file', 'case-' || c.id, c.id, 'case.file:' || c.id || ':' || u.version,
      jsonb_build_object('title', c.title, 'file', s.setup ->> 'attachment'), u."actorId", u.at, u.at, u.at, u.at + interval '72 hours'
    from jsonb_to_recordset(closings) as u (id integer, version integer, at timestamptz, "actorId" integer)
    join cases c on c.id = u.id
    join organisations o on o.id = c.organisation_id
    join delivery_targets t on t.organisation_id in (o.id, o.parent_id, 1)
    join ticket_setups s on s.target_id = t.id
    left join case_tickets k on k.target_id = t.id and k.case_id = c.id and k.client_id = c.organisation_id
    where s.setup ->> 'attachment' in ('report', 'archive') and not c.is_excluded and k.deleted_at is null
      and ((select app_is_system()) or c.organisation_id = any ((select app_organisations())::integer[]))
      -- Linked, or about to be: its turn comes after the delivery that opens the ticket.
      and (k.id is not null or exists (select from deliveries d where d.target_id = t.id and d.subject = 'case-' || c.id
        and d.client_id = c.organisation_id and d.state in ('queued', 'sent', 'failed')))
    on conflict (target_id, key) do nothing
    returning 1
  )
  select count(*)::integer from written $$;
revoke all on function queue_ticket_files(jsonb) from public;
grant execute on function queue_ticket_files(jsonb) to parapet_app;
