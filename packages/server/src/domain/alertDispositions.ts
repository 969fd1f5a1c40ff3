/** Dispositions of alerts as SQL over alerts `a`, for lists and queries. */
import type { alertDispositions } from '@parapet/contract/alerts.ts';
import { type RawBuilder, sql } from 'kysely';

/**
 * Counted as in the triggers of alert_fates (migration 0013), so that a reconciliation figure and its list are the same
 * alerts. Each condition names the organisation, so that only a client’s own rows are read.
 */
const isSuppressed = sql<boolean>`exists (select from suppressed_alerts s
  where s.alert_id = a.id and s.alert_at = a.at and s.organisation_id = a.organisation_id)`;
const isInAnyCase = sql<boolean>`exists (select from case_alerts ca
  where ca.alert_id = a.id and ca.alert_at = a.at and ca.organisation_id = a.organisation_id)`;
// Looks up the case per alert; a join would read all cases of all organisations first.
const isInCase = (disposition: 'inCase' | 'autoClosed') => sql<boolean>`exists (select from case_alerts ca
  where ca.alert_id = a.id and ca.alert_at = a.at and ca.organisation_id = a.organisation_id
    and (select case_fate(c.closed_at, c.closed_by) from cases c where c.id = ca.case_id) = ${sql.lit(disposition)})`;
export const dispositionConditions: Record<(typeof alertDispositions)[number], RawBuilder<boolean>> = {
  shown: sql<boolean>`not ${isInAnyCase} and not ${isSuppressed}`,
  folded: sql<boolean>`a.fire_count > 1`,
  suppressed: sql<boolean>`${isSuppressed} and not ${isInAnyCase}`,
  autoClosed: isInCase('autoClosed'),
  inCase: isInCase('inCase'),
};
