/** First table that a statement names, as a label of metrics and traces: bounded, and without values. */

const named = /\b(?:from|into|update|join)\s+"?([a-z][a-z0-9_]*)"?(?!\s*\()/;
/** Texts of searches have no end; the tables do. */
const maxTexts = 5_000;
/** Characters; longer ones are read each time. */
const maxLength = 2_000;
const maxTables = 250;
const other = 'other';

const byText = new Map<string, string>();
const tables = new Set<string>();

export function tableOf(statement: string): string {
  const known = byText.get(statement);
  if (known !== undefined) return known;
  const found = named.exec(statement)?.[1] ?? other;
  const table = tables.has(found) || tables.size < maxTables ? found : other;
  tables.add(table);
  if (byText.size < maxTexts && statement.length <= maxLength) byText.set(statement, table);
  return table;
}
