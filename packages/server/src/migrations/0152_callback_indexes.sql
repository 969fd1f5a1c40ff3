-- no transaction
-- Of 0150, without blocking writes; each statement may be repeated after a failure.
alter table cases validate constraint cases_acknowledged_channel_check;
-- The message of a press.
drop index concurrently if exists deliveries_message;
create index concurrently deliveries_message on deliveries (message_id);
