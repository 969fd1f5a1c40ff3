-- Rules that the newest process has loaded: queries count only these. The others are kept for their alerts.
alter table rules add column is_loaded boolean not null default false;
