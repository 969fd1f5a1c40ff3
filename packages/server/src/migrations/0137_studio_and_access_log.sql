-- Updates of a pack, rule by rule: a rule that was changed here is replaced, kept or merged; one that left the pack is retired or kept.
alter table rule_import_items
  add column decision text check (decision in ('accept', 'keep', 'merge')),
  add column merged text check (octet_length(merged) <= 65536),
  -- Author of a merged text.
  add column decided_by integer references users on delete set null,
  add column decided_by_name text,
  -- Newest version of the rule at the decision, which ends with a newer one.
  add column decided_version integer,
  add check ((decision = 'merge') = (merged is not null)),
  add check ((decision is null) = (decided_version is null));
create index rule_import_items_decided_by on rule_import_items (decided_by) where decided_by is not null;
-- Text of the pack that was taken note of without a version; null where a version has it.
alter table rule_pack_rules add column kept_yaml text check (octet_length(kept_yaml) <= 65536);

-- Both kinds are named by the application; numbers of before their move serve nothing.
alter table exceptions alter column kind drop default, drop column former_id;
