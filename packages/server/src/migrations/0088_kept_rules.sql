-- Rules of a former partner that raised alerts on a client before it moved: their titles stay readable with these alerts.
create table kept_rules (
  organisation_id integer not null references organisations,
  rule_id integer not null references rules,
  primary key (organisation_id, rule_id)
);
create index kept_rules_rule on kept_rules (rule_id);
alter table kept_rules enable row level security;
create policy tenant on kept_rules using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on kept_rules to parapet_app;

alter policy tenant on rules using (
  organisation_id is null or (select app_is_system()) or organisation_id = any ((select app_rule_owners())::integer[])
  or id = any ((select array_agg(k.rule_id) from kept_rules k)::integer[]));

-- Clients that moved before.
insert into kept_rules (organisation_id, rule_id)
select distinct a.organisation_id, r.id from rules r join alerts a on a.rule_id = r.id join organisations o on o.id = a.organisation_id
where r.organisation_id is not null and r.organisation_id <> a.organisation_id and r.organisation_id is distinct from o.parent_id;
