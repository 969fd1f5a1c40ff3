-- How a case was resolved and contained, and the client's answer to a question. Nullable, because rows of merged cases from before are restored as they were.
alter table cases
  -- Null while open; notStated for a case closed without one.
  add column resolution text check (resolution in ('truePositive', 'benign', 'falsePositive', 'duplicate', 'acceptedRisk', 'notStated')),
  -- Internal: the analyst's reason.
  add column resolution_reason text,
  -- What stopped the containment timer. unverified: recorded before verification was required, or taken from the closing.
  add column containment text check (containment in ('verified', 'notNeeded', 'unverified')),
  add column client_question_at timestamptz,
  add column client_answer text check (client_answer in ('benign', 'malicious')),
  add column client_answered_at timestamptz,
  -- Null until an analyst has seen the newest answer.
  add column client_answer_seen_at timestamptz;
create index cases_unseen_answer on cases (organisation_id, client_answered_at) where client_answered_at is not null and client_answer_seen_at is null;

update cases set resolution = 'notStated' where closed_at is not null;
-- A closed case keeps the time that reports have shown; an open one without a verified response has not been contained.
update cases c set containment = case when exists (select from responses r where r.case_id = c.id and r.organisation_id = c.organisation_id
    and r.state = 'verified' and r.action in ('isolate', 'blockUser', 'block', 'disable', 'killProcess')) then 'verified' else 'unverified' end
  where contained_at is not null;
update cases set contained_at = null, contained_waited_ms = null, containment = null where closed_at is null and containment = 'unverified';
update cases c set client_question_at = m.at from (select case_id, max(created_at) as at from mails where kind = 'case.escalation' group by 1) m where m.case_id = c.id;
update cases c set client_answer = h.answer, client_answered_at = h.at, client_answer_seen_at = now()
  from (select distinct on (case_id) case_id, at, after ->> 'action' as answer from case_history
    where kind = 'client' and after ->> 'action' in ('benign', 'malicious') order by case_id, at desc) h where h.case_id = c.id;

-- Gaps are measured again: devices were stale for ever whose events were too rare for a baseline, or too new.
update devices set quiet_from = null where silent_since is null and quiet_from is not null;
