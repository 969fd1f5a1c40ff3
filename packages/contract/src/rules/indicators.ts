/** The dashboard's rule views, derived from dashboard.alertsByType (spec §3, §5, §9). Pure. */
import type { AttackIndicator, NistAttackIndicator } from '../dashboard.ts';

export const nistPageSize = 5;
/** Number of agile rules shown on the dashboard. */
export const shownAgileRules = 10;

const serviceInterruption = 'service interruption';
const textKey = (text: string): string => text.trim().toLowerCase();

/** First item of each key, in the given order. */
function firstOfEach<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Rules without service interruptions and duplicates. */
export const agileRows = (rows: readonly AttackIndicator[]): AttackIndicator[] =>
  firstOfEach(
    rows.filter(({ category }) => textKey(category) !== serviceInterruption),
    // Rules are distinguished by ID: two of the same title both stay.
    ({ ruleID, rule, category, criticalityNumber, description, count }) =>
      JSON.stringify([ruleID, rule, category, criticalityNumber, description, count]),
  );

/** Rules with a known tactic, one per title. */
export const mitreRows = (rows: readonly AttackIndicator[]): AttackIndicator[] =>
  firstOfEach(
    rows.filter(({ mitreCategory }) => !['', 'n/a'].includes(textKey(mitreCategory))),
    ({ rule }) => textKey(rule),
  );

export interface NistRow extends Omit<NistAttackIndicator, 'agileRule'> {
  agileRule: string | string[];
}

/** Rows with a control and a technique; comma-separated rule names become a list. */
export const nistRows = (rows: readonly NistAttackIndicator[]): NistRow[] =>
  firstOfEach(
    rows
      .filter(({ nistControlID, mitreTechniqueName }) => nistControlID.trim() !== '' && mitreTechniqueName.trim() !== '')
      .map((row) => ({ ...row, agileRule: rulesOf(row.agileRule) })),
    (row) => JSON.stringify(row),
  );

function rulesOf(agileRule: string | readonly string[]): string | string[] {
  if (typeof agileRule !== 'string') return [...agileRule];
  if (!agileRule.includes(',')) return agileRule;
  return agileRule
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');
}
