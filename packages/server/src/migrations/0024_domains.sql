-- Names that a partner claims: the domain under which it shows and the domain that its mails come from. A claim is used once a DNS TXT record proves it.
create table domains (
  organisation_id integer not null references organisations,
  domain text not null,
  -- What the TXT record must say; random for each organisation and domain.
  token text not null,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  -- The Host who vouched for it where DNS cannot be asked.
  vouched_by integer references users,
  -- Since when the daily check fails; the proof holds for seven days more.
  failing_since timestamptz,
  -- Claims older than this table hold until then without a proof.
  accepted_until timestamptz,
  -- When the administrators were mailed that the claim is about to end.
  noticed_at timestamptz,
  checked_at timestamptz,
  error text not null default '',
  primary key (organisation_id, domain)
);
-- The first proof wins.
create unique index domains_verified_once on domains (domain) where verified_at is not null;
create index domains_vouched_by on domains (vouched_by);
create index domains_due on domains (checked_at nulls first);
alter table domains enable row level security;
create policy tenant on domains using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on domains to parapet_app;

-- Whether links, mails and hosts may use it at this moment: the one place that says so.
create function is_proven(d domains) returns boolean language sql stable as $$
  select (d.verified_at is not null and (d.failing_since is null or d.failing_since > now() - interval '7 days'))
    or coalesce(d.accepted_until > now(), false)
$$;

-- A claim no longer keeps the name from whoever can prove it.
drop index brands_self_hosted_domain;
create index brands_self_hosted_domain on brands (self_hosted_domain);

insert into domains (organisation_id, domain, token, accepted_until)
select organisation_id, lower(domain), encode(sha256((gen_random_uuid()::text || gen_random_uuid())::bytea), 'hex'), now() + interval '30 days'
from (
  select organisation_id, self_hosted_domain as domain from brands
  union
  select o.id, split_part(coalesce(nullif(b.mail_sender_address, ''), o.email_address), '@', 2)
  from organisations o left join brands b on b.organisation_id = o.id where o.is_partner
) claims where domain <> ''
on conflict do nothing;
