/** Reads CSV (RFC 4180) with comma, semicolon or tab, as spreadsheets of any country write it. Linear in the length of the text. */

export interface CsvRow {
  /** Of the row’s beginning in the text, from 1. */
  line: number;
  cells: string[];
}

/** The separator that occurs most in the first line, outside quotes. */
function separatorOf(text: string): string {
  const first = text
    .slice(0, 20_000)
    .split(/\r?\n/, 1)[0]!
    .replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).separator;
}

/** Rows with at least one filled cell. An unclosed quote ends at the end of the text. */
export function readCsv(source: string): CsvRow[] {
  const text = source.replace(/^\uFEFF/, '');
  const separator = separatorOf(text);
  const rows: CsvRow[] = [];
  let row: CsvRow = { line: 1, cells: [] };
  let [at, line] = [0, 1];
  const readQuoted = (): string => {
    const parts: string[] = [];
    for (at++; at < text.length; ) {
      const end = text.indexOf('"', at);
      const part = text.slice(at, end === -1 ? text.length : end);
      parts.push(part);
      line += part.split('\n').length - 1;
      at = end === -1 ? text.length : end + 1;
      if (text[at] !== '"') break;
      parts.push('"');
      at++;
    }
    return parts.join('');
  };
  const readPlain = (): string => {
    const from = at;
    while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++;
    return text.slice(from, at);
  };
  const endRow = () => {
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
    row = { line, cells: [] };
  };
  while (at < text.length) {
    row.cells.push(text[at] === '"' ? readQuoted() + readPlain() : readPlain());
    if (text[at] === separator) {
      at++;
      if (at === text.length) row.cells.push('');
      continue;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    endRow();
  }
  endRow();
  return rows;
}
