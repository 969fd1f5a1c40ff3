-- Data keys: each seals the values of one organisation, null: of the installation. Wrapped by the master key, which is not here once one is configured.
create table data_keys (
  id integer generated always as identity primary key,
  organisation_id integer references organisations,
  wrapped bytea not null,
  -- Names the master key.
  master text not null,
  created_at timestamptz not null default now(),
  -- Nothing is sealed with it any more; it still opens.
  retired_at timestamptz
);
create index data_keys_organisation on data_keys (organisation_id, id);
alter table data_keys enable row level security;
create policy system on data_keys using ((select app_is_system()));
grant select, insert, update, delete on data_keys to parapet_app;
grant delete on secrets to parapet_app;

-- What was sealed before there were data keys is sealed again at the next start. A second factor that is being set up lives for five minutes.
insert into secrets (name, value) select 'sealed before data keys', '' where exists (select from users) or exists (select from secrets);
delete from mfa_challenges where new_secret is not null;

-- Links in mails: sealed until delivery, then cut. The placeholders that stand for them, and links as mails had them before.
create function without_links(content text, instead text) returns text language sql immutable set search_path = public, pg_temp as $$
  select regexp_replace(
    regexp_replace(content, '\(sealed link [0-9a-f]{32}\)', instead, 'g'),
    'https?://[^\s"''<>]*/(passwordReset/|emailCaseAction\?|unsubscribe/)[^\s"''<>]+', instead, 'gi')
$$;
revoke all on function without_links(text, text) from public;
grant execute on function without_links(text, text) to parapet_app;

alter table mails
  -- From placeholder to link, as JSON; null once they are cut.
  add column sealed_links bytea,
  -- SHA-256 of each link that the mail carried.
  add column link_hashes bytea[] not null default '{}';
create index mails_sealed on mails (message_id) where sealed_links is not null;
update mails set
  state = case when state = 'waiting' then 'failed' else state end,
  error = case when state = 'waiting' then 'Not sent within two days' else error end,
  text = without_links(text, '[link removed]'),
  html = without_links(html, '[link removed]'),
  headers = without_links(headers::text, '[link removed]')::jsonb
  where (state <> 'waiting' or created_at < now() - interval '2 days')
    and (text || html || headers::text) ~* '/(passwordReset/|emailCaseAction\?|unsubscribe/)';
alter table mails drop column link;
