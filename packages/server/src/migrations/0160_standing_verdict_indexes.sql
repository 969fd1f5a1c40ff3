-- no transaction
-- Case lists filter, sort and count by the verdict that stands (docs/decisions/0152-the-verdict-that-stands.md): its columns join the covering indexes
-- of 0008. Each statement may be repeated after a failure.
drop index concurrently if exists cases_organisation_standing;
create index concurrently cases_organisation_standing on cases (organisation_id, created_at, id)
  include (status, criticality, verdict, analyst_user_id, investigation_status, resolution);
drop index concurrently if exists cases_created_standing;
create index concurrently cases_created_standing on cases (created_at, id)
  include (organisation_id, status, criticality, verdict, analyst_user_id, investigation_status, resolution);
drop index concurrently if exists cases_organisation;
drop index concurrently if exists cases_created;
