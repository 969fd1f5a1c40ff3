-- no transaction
-- Entries of the access log are closed by a seal in the audit log of their client, and change no more.
-- The salt keeps names that a reader may not know from being guessed by the digest.
-- Rows of 400 days are read while looks are written; each statement may be repeated after a failure.
alter table access_looks add column if not exists sealed_at timestamptz, add column if not exists seal_salt uuid,
  drop constraint if exists access_looks_seal, add constraint access_looks_seal check ((sealed_at is null) = (seal_salt is null)) not valid;
alter table access_looks validate constraint access_looks_seal;
drop index concurrently if exists access_looks_unsealed;
create index concurrently access_looks_unsealed on access_looks (until) where sealed_at is null;
