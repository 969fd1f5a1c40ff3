/** Intake as rows, one per day, client and outcome; schemas of the lists of intake and of dead letters. */
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { type Outcome, reasonLabel } from '../../lib/intake.ts';
import { answerRows, field, instant, listSchema, match, values, words } from '../../lib/listSchema.ts';

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

export const deadLetterList = listSchema({
  reason: values(/^.{1,100}$/),
  query: answerRows(),
  before: instant(),
  beforeID: match(/^\d{1,18}$/),
  peek: field((text) => text || undefined),
});
/** No outcome selected: everything received. */
export const intakeList = listSchema({ outcome: words(outcomes) });

/** Rows, newest day first. Their counts add up to the number in the reconciliation. */
export const intakeRows = (days: readonly ReconciliationDay[], shown: readonly IntakeRow['outcome'][]): IntakeRow[] =>
  days.flatMap(({ date, clientOrganizationID, clientOrganizationName, dropped, ...sums }) =>
    outcomes
      .filter((outcome) => shown.length === 0 || shown.includes(outcome))
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
