/** Intake rows by day, client and outcome, and the address filters of intake and dead letters. Pure. */
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { listIn, type Search } from '../../lib/address.ts';
import { type Outcome, reasonLabel } from '../../lib/intake.ts';
import { afterIn, type EventSearch } from './eventSearch.ts';

export interface IntakeRow {
  id: string;
  date: string;
  clientOrganizationID: number;
  clientOrganizationName: string;
  outcome: Exclude<Outcome, 'received'>;
  /** Reason of dropped events. */
  reason: string | undefined;
  count: number;
}

const outcomes = ['stored', 'duplicate', 'dropped', 'dead'] as const satisfies IntakeRow['outcome'][];
export const outcomeOptions = outcomes.map((value) => ({ value, label: reconciliationLabels[value] }));
export const wordsOf = ({ outcome, reason }: IntakeRow): string =>
  reason === undefined ? reconciliationLabels[outcome] : `${reconciliationLabels[outcome]}: ${reasonLabel(reason)}`;

export interface AsideSearch {
  reason: string[];
  /** Position of the page: the last row of the preceding one. */
  after: EventSearch['after'];
}

export const asideSearchIn = (search: Search): AsideSearch => ({
  reason: [...new Set(listIn(search.reason))].filter((reason) => reason.length <= 100).slice(0, 50),
  after: afterIn(search, /^\d{1,18}$/),
});

/** Outcomes in the address; none selects everything received. */
export const outcomesIn = (search: Search): IntakeRow['outcome'][] => {
  const asked = listIn(search.outcome);
  return outcomes.filter((each) => asked.includes(each));
};

/** Rows, newest day first. Their counts add up to the number in the reconciliation. */
export const intakeRows = (days: readonly ReconciliationDay[], asked: readonly IntakeRow['outcome'][]): IntakeRow[] =>
  days.flatMap(({ date, clientOrganizationID, clientOrganizationName, dropped, ...sums }) =>
    outcomes
      .filter((outcome) => asked.length === 0 || asked.includes(outcome))
      .flatMap((outcome): { outcome: IntakeRow['outcome']; reason: string | undefined; count: number }[] =>
        outcome === 'dropped'
          ? dropped.map((each) => ({ outcome, ...each }))
          : [{ outcome, reason: undefined, count: sums[outcome] }],
      )
      .filter(({ count }) => count > 0)
      .map((row) => ({
        id: [date, clientOrganizationID, row.outcome, row.reason].join(' '),
        date,
        clientOrganizationID,
        clientOrganizationName,
        ...row,
      })),
  );
