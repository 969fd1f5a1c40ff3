-- Notices of cases whose change is taken back are withdrawn, batch by batch.
create index case_notices_case on case_notices (case_id);
