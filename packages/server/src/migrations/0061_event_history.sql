-- A person’s own last event searches, and views that are shared with the clients of an organisation.

create table event_searches (
  organisation_id integer not null references organisations,
  user_id integer not null references users,
  -- As the query string of the page; its hash is the key, because it may be long.
  query text not null,
  query_hash bytea not null,
  searched_at timestamptz not null,
  primary key (user_id, query_hash)
);
create index event_searches_organisation on event_searches (organisation_id);
alter table event_searches enable row level security;
create policy tenant on event_searches using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on event_searches to parapet_app;

alter table saved_views add column is_shared_below boolean not null default false;

-- Views that the partner or the provider of an organisation shares with it.
create function views_from_above(reader integer, wanted text) returns setof saved_views
language sql stable security definer set search_path = public, pg_temp as $$
  select v.* from saved_views v join users u on u.id = v.user_id join organisations o on o.id = reader
  where reader = any (app_organisations()) and v.list = wanted and v.is_shared and v.is_shared_below and not u.is_deleted
    and v.organisation_id <> reader and v.organisation_id in (o.parent_id, 1)
$$;
revoke all on function views_from_above(integer, text) from public;
grant execute on function views_from_above(integer, text) to parapet_app;
