-- Several look at one device: a CVE is shown from the first of agent, CycloneDX and Trivy that has it there.
alter table findings add column is_repeated boolean not null default false;
update findings f set is_repeated = true where fixed_at is null
  and exists (select from findings o where o.device_id = f.device_id and o.cve = f.cve and o.source < f.source and o.fixed_at is null);
