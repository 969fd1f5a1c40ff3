-- How often each rule found something in a month, in all organisations together: who sees them all need not add up each. Writers only add rows to
-- the news, so that tenants never wait for each other's counts; a job folds the news into the totals. Both together are the figure, at any moment.
create table rollup_month_rule_total (
  month date not null,
  rule_id integer not null,
  count bigint not null,
  primary key (month, rule_id)
);
create table rollup_month_rule_news (
  month date not null,
  rule_id integer not null,
  count bigint not null
);
insert into rollup_month_rule_total select month, rule_id, sum(count) from rollup_month_rule group by 1, 2;

-- Of many: only for whoever sees every organisation there is.
create function app_sees_everything() returns boolean language sql stable security definer set search_path = public, pg_temp
  as $$ select app_is_system() or not exists (select from organisations o where o.id <> all (coalesce(app_organisations(), '{}'))) $$;

-- Each tenant's writer leaves its own there, and reads nothing.
create function add_rule_news() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  if tg_op = 'INSERT' then
    insert into rollup_month_rule_news select month, rule_id, sum(count) from became group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into rollup_month_rule_news select month, rule_id, -sum(count) from was group by 1, 2;
  else
    insert into rollup_month_rule_news select month, rule_id, sum(n) from (
      select month, rule_id, count as n from became union all select month, rule_id, -count from was) c group by 1, 2 having sum(n) <> 0;
  end if;
  return null;
end $$;
revoke execute on function app_sees_everything(), add_rule_news() from public;
grant execute on function app_sees_everything(), add_rule_news() to parapet_app;
create trigger rule_news_inserted after insert on rollup_month_rule referencing new table as became
  for each statement execute function add_rule_news();
create trigger rule_news_updated after update on rollup_month_rule referencing old table as was new table as became
  for each statement execute function add_rule_news();
create trigger rule_news_deleted after delete on rollup_month_rule referencing old table as was
  for each statement execute function add_rule_news();

do $$ declare t text; begin
  foreach t in array array['rollup_month_rule_total', 'rollup_month_rule_news'] loop
    execute format('alter table %I enable row level security', t);
    execute format('create policy everything on %I using ((select app_is_system()) or (select app_sees_everything()))', t);
    execute format('grant select, insert, update, delete on %I to parapet_app', t);
  end loop;
end $$;
