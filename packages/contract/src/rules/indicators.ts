/** The dashboard's views of rules, made of the answer of dashboard.alertsByType (spec §3, §5, §9). Pure. */
import type { AttackIndicator, NistAttackIndicator } from '../dashboard.ts';

export const nistPageSize = 5;
/** The dashboard shows this many agile rules. */
export const shownAgileRules = 10;

const serviceInterruption = 'service interruption';
const textKey = (text: string): string => text.trim().toLowerCase();

/** The first of each key, in the given order. */
function firstOfEach<T>(rows: readonly T[], keyOf: (row: T) => string): T[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Without service interruptions and duplicates. The dashboard shows the first ten. */
export const agileRows = (rows: readonly AttackIndicator[]): AttackIndicator[] =>
  firstOfEach(
    rows.filter(({ category }) => textKey(category) !== serviceInterruption),
    // Two rules of one title are two rules; the same row twice is one.
    ({ ruleID, rule, category, criticalityNumber, description, count }) =>
      JSON.stringify([ruleID, rule, category, criticalityNumber, description, count]),
  );

/** Those with a real tactic, each rule once, by its title. */
export const mitreRows = (rows: readonly AttackIndicator[]): AttackIndicator[] =>
  firstOfEach(
    rows.filter(({ mitreCategory }) => !['', 'n/a'].includes(textKey(mitreCategory))),
    ({ rule }) => textKey(rule),
  );

export interface NistRow extends Omit<NistAttackIndicator, 'agileRule'> {
  agileRule: string | string[];
}

/** Those with a control and a technique; rules that are named with commas between them become a list. */
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
