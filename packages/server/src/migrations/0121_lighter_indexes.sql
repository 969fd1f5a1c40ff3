-- Indexes that take less room (docs/decisions/0101-lighter-blocks-and-indexes.md). A device is of one organisation: its id alone is the beginning of the key, and the reference to it needs no other index.
alter table device_sources drop constraint device_sources_pkey, add primary key (device_id, log_source);
drop index device_sources_device;
alter table device_hours drop constraint device_hours_pkey, add primary key (device_id, hour);
drop index device_hours_device;

-- Group and base of a hit as hashes: the index held each text a second time.
create unique index correlation_hits_key on correlation_hits
  (organisation_id, rule_id, hashtextextended(group_key, 0), at, event_id, hashtextextended(base_key, 0));
alter table correlation_hits drop constraint correlation_hits_pkey;
-- Written in the order of time, and read by it once a day, for what is over age.
drop index correlation_hits_at;
create index correlation_hits_at on correlation_hits using brin (at);
