/** Data of a chart as a table: on screen, for screen readers, and as CSV (RFC 4180). */
export type Cell = string | number;
export interface ChartTable {
  head: readonly string[];
  /** The first cell names the row. */
  rows: readonly (readonly Cell[])[];
}

/** A text that a spreadsheet would run as a formula is written as text; numbers stay numbers. */
function csvCell(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = /^[\s]*[=+\-@]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** With a byte order mark, without which spreadsheets take UTF-8 for something else. */
export const csvOf = ({ head, rows }: ChartTable): string =>
  `\uFEFF${[head, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')}`;

/** A title as a file's name. */
export function fileNameOf(title: string, ending: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${name || 'chart'}.${ending}`;
}
