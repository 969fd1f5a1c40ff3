-- Who may approve a request of a response is told by mail, once.
alter table responses add column approvers_told_at timestamptz;
update responses set approvers_told_at = now();
create index responses_untold on responses (id) where state = 'requested' and approvals_needed > 0 and approvers_told_at is null;
