-- Notes and responses that an assistant proposed for a case. Nothing happens until a person accepts one.
create table case_proposals (
  id integer generated always as identity primary key,
  organisation_id integer not null references organisations,
  case_id integer not null references cases on delete cascade,
  kind text not null check (kind in ('note', 'response')),
  -- Text of the note, or justification of the response.
  text text not null,
  is_internal boolean not null default true,
  -- The response as its request takes it; null for a note.
  request jsonb,
  proposed_by integer references users,
  proposed_by_name text not null,
  proposed_at timestamptz not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'dismissed')),
  decided_by integer references users,
  decided_at timestamptz,
  check ((kind = 'response') = (request is not null))
);
create index case_proposals_organisation on case_proposals (organisation_id);
create index case_proposals_case on case_proposals (case_id, state);
create index case_proposals_proposed_by on case_proposals (proposed_by);
create index case_proposals_decided_by on case_proposals (decided_by);
alter table case_proposals enable row level security;
create policy tenant on case_proposals using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]));
grant select, insert, update, delete on case_proposals to parapet_app;
