import type { Clock } from '../../core/clock.ts';
import { changeCase, lockCase, recordCaseHistory } from './cases.changes.ts';
import { contained } from './cases.clocks.ts';
import { getCase } from './cases.detail.ts';
import type { CaseAccess } from './cases.ports.ts';
import { getCaseRow } from './cases.rows.ts';

/** Cases as responses, reviews and case mails use them, on one clock. */
export const createCaseAccess = ({ clock }: { clock: Clock }): CaseAccess => ({
  find: getCase,
  lock: lockCase,
  change: (tx, actor, record, change) => changeCase(tx, clock, actor, record, change),
  recordHistory: (tx, actor, record, entry) => recordCaseHistory(tx, clock, actor, record, entry),
  containedNow: (record) => contained(record, clock.now(), 'verified'),
  getRow: (tx, scope, id) => getCaseRow(tx, scope, id, clock.now()),
});
