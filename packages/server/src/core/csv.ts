/** CSV files (RFC 4180). Cells that a spreadsheet would evaluate as a formula are escaped. */

export type Cell = string | number | null;

/** Tells spreadsheets that it is UTF-8. */
const byteOrderMark = '\uFEFF';
/** Characters that start a formula, after those that spreadsheets skip; some accept the full-width forms too. */
const formula = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/** Each text in quotes, so that no list separator of any country cuts it into cells. */
function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(formula.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(written).join(',')}\r\n`;
export const csvStart = (columns: readonly string[]): string => byteOrderMark + csvLine(columns);
export const csvType = 'text/csv; charset=utf-8';
