-- A job that ends its process would begin anew for ever: the third time it fails instead.
alter table event_exports add column attempts smallint not null default 0;
alter table rule_previews add column attempts smallint not null default 0;
