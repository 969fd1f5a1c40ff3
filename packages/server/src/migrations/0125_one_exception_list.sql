-- Exceptions of rules and suppressions of alerts in one table: what matches, who owns it, until when, and what it keeps from happening.
alter table suppressions rename to exceptions;
alter index suppressions_organisation rename to exceptions_organisation;
alter index suppressions_rule rename to exceptions_rule;
alter index suppressions_owner rename to exceptions_owner;
alter table exceptions drop constraint suppressions_check;
alter table exceptions alter column owner_user_id drop not null;
alter table exceptions
  -- exception: events that its filter excludes raise no alert. suppression: alerts that it matches stay out of cases.
  add column kind text not null default 'suppression' check (kind in ('exception', 'suppression')),
  -- Key of the rule of an exception, also of one that has raised no alert yet.
  add column rule_key text,
  -- A Sigma filter.
  add column yaml text check (octet_length(yaml) <= 16384),
  -- ID that audit entries of exceptions from before this table name.
  add column former_id integer,
  add constraint exceptions_parts check (
    case kind when 'exception' then rule_key is not null and yaml is not null and rule_id is null and device_name is null and user_name is null
    else yaml is null and rule_key is null and (rule_id is not null or device_name is not null or user_name is not null) end);

insert into exceptions (organisation_id, kind, rule_key, yaml, reason, owner_user_id, owner_name, created_at, ends_at, former_id)
select organisation_id, 'exception', rule_key, yaml, reason, owner_id, owner_name, created_at, ends_at, id from rule_exceptions order by id;

-- By way of negative numbers, as the new ones may be among the former ones.
delete from rule_exception_days d where not exists (select from rule_exceptions e where e.id = d.exception_id);
update rule_exception_days d set exception_id = -e.id from exceptions e where e.former_id = d.exception_id;
update rule_exception_days set exception_id = -exception_id;

drop table rule_exceptions;
create index exceptions_rule_key on exceptions (organisation_id, rule_key) where kind = 'exception';
