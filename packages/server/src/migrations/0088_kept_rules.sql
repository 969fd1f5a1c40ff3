-- Rules of a former partner that raised alerts on a client before it moved: their titles stay readable with these alerts.
create table kept_rules (
  organisation_id integer not null references organisations,
  rule_id integer not null references rules,
  primary key (organisation_id, rule_id)
);
create index kept_rules_rule on kept_rules (rule_id);
alter table kept_rules enable row level security;
create policy tenant on kept_rules using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select on kept_rules to parapet_app;

-- At a move, in the portal's own scope alone.
create function keep_rules(client integer, partner integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not app_is_system() then
    raise exception 'only the portal''s own work keeps rules' using errcode = 'insufficient_privilege';
  end if;
  insert into kept_rules (organisation_id, rule_id)
  select client, r.id from rules r
  where r.organisation_id = partner and exists (select from alerts a where a.organisation_id = client and a.rule_id = r.id)
  on conflict do nothing;
end $$;
revoke all on function keep_rules(integer, integer) from public;
grant execute on function keep_rules(integer, integer) to parapet_app;

alter policy tenant on rules using (
  organisation_id is null or (select app_is_system()) or organisation_id = any ((select app_rule_owners())::integer[])
  or id = any ((select array_agg(k.rule_id) from kept_rules k)::integer[]));

-- Clients that moved before.
insert into kept_rules (organisation_id, rule_id)
select distinct a.organisation_id, r.id from rules r join alerts a on a.rule_id = r.id join organisations o on o.id = a.organisation_id
where r.organisation_id is not null and r.organisation_id <> a.organisation_id and r.organisation_id is distinct from o.parent_id;
