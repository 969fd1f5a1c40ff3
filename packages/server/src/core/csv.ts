/** CSV files (RFC 4180). Cells that a spreadsheet would evaluate as a formula are escaped. */
import { Readable } from 'node:stream';

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

/** Title and cell of each column. */
export type Columns<Row> = readonly (readonly [string, (row: Row) => Cell])[];

/** Reads the rows below a position, and the next position while more may follow. */
export type ReadBelow<Position, Row> = (
  below: Position | undefined,
) => Promise<{ rows: readonly Row[]; below: Position | undefined }>;

/** Batches of rows, read one by one to bound memory. */
export async function* batchesOf<Position, Row>(
  read: ReadBelow<Position, Row>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Row[]> {
  let below: Position | undefined;
  for (let count = 0; count < limit; ) {
    const batch = await read(below);
    count += batch.rows.length;
    if (batch.rows.length > 0) yield batch.rows;
    if (batch.below === undefined || batch.rows.length === 0) return;
    below = batch.below;
  }
}

/** Streams a long table. */
export function csvOf<Position, Row>(columns: Columns<Row>, read: ReadBelow<Position, Row>, limit: number): Readable {
  async function* lines() {
    yield csvStart(columns.map(([title]) => title));
    for await (const rows of batchesOf(read, limit))
      yield rows.map((row) => csvLine(columns.map(([, cell]) => cell(row)))).join('');
  }
  return Readable.from(lines());
}
