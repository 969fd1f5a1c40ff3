-- Updates of a pack, rule by rule: a rule that was changed here is replaced, kept or merged; one that left the pack is retired or kept.
alter table rule_import_items
  add column decision text check (decision in ('accept', 'keep', 'merge')),
  add column merged text check (octet_length(merged) <= 65536),
  add check ((decision = 'merge') = (merged is not null));
-- Text of the pack that was taken note of without a version; null where a version has it.
alter table rule_pack_rules add column kept_yaml text check (octet_length(kept_yaml) <= 65536);

-- Both kinds are named by the application; numbers of before their move serve nothing.
alter table exceptions alter column kind drop default, drop column former_id;

-- Entries of the access log are closed by a seal in the audit log of their client, and change no more.
-- The salt keeps names that a reader may not know from being guessed by the digest.
alter table access_looks add column sealed_at timestamptz, add column seal_salt uuid, add check ((sealed_at is null) = (seal_salt is null));
create index access_looks_unsealed on access_looks (until) where sealed_at is null;
