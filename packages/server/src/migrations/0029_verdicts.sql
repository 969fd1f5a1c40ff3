-- Five verdicts, and no confidence in an absent one. Stored verdicts stay as judged; an Insufficient Information loses the number beside it, which
-- was the confidence that nothing could be concluded. The clause on the number skips the other rows.
update cases set confidence = null where confidence is not null and (verdict is null or verdict = 'Insufficient Information');
alter table cases
  add constraint cases_verdict check (verdict in ('Malicious', 'Suspicious', 'Insufficient Information', 'Likely Benign', 'Benign')),
  add constraint cases_confidence check (confidence between 0 and 100),
  add constraint cases_confidence_of_verdict check ((confidence is null) = (verdict is null or verdict = 'Insufficient Information'));
