/** Records of a CSV file (RFC 4180) with a header row, fed piece by piece, and rows of a whole one; comma, semicolon or tab. Linear in the text’s length. */

export interface CsvRecord {
  /** Line of the record’s beginning, from 1. */
  line: number;
  /** Cells by the names of the header; empty cells are left out. */
  value?: Record<string, string>;
  /** Reason why the row is no record, with its beginning. */
  fault?: string;
  raw?: string;
}

const maxColumns = 500;
const maxInvalidText = 4_096;

export interface CsvReader {
  /** Records that end in this piece. */
  push(text: string): CsvRecord[];
  /** The last record, which no line break ends. */
  end(): CsvRecord[];
}

interface Row {
  line: number;
  text: string;
  fault?: string;
}

/** @param maxRow characters of a row; a longer one is a fault, as of a quote that is never closed */
function createRowReader(maxRow: number) {
  let rest = '';
  // Position in `rest` up to which quotes were counted.
  let scanned = 0;
  let isQuoted = false;
  let line = 1;
  let isFirst = true;

  const rowOf = (row: string): Row[] => {
    const at = line;
    line += row.split('\n').length;
    const text = row.endsWith('\r') ? row.slice(0, -1) : row;
    return text.trim() === '' ? [] : [{ line: at, text }];
  };

  /** A row whose quote is never closed: reading goes on behind its first line. Returns the start of the next one. */
  const giveUp = (from: number, rows: Row[]): number => {
    const end = rest.indexOf('\n', from);
    const until = end === -1 ? rest.length : end;
    const fault = `This row is longer than ${maxRow} characters, or has a quote that isn’t closed.`;
    rows.push({ line, fault, text: rest.slice(from, Math.min(until, from + maxInvalidText)) });
    line++;
    isQuoted = false;
    return Math.min(until + 1, rest.length);
  };

  return {
    push(text: string): Row[] {
      rest += isFirst ? text.replace(/^\uFEFF/, '') : text;
      isFirst &&= text === '';
      const rows: Row[] = [];
      let from = 0;
      for (; scanned < rest.length; scanned++) {
        const code = rest.charCodeAt(scanned);
        if (code === 34) isQuoted = !isQuoted;
        else if (code === 10 && !isQuoted) {
          rows.push(...rowOf(rest.slice(from, scanned)));
          from = scanned + 1;
        } else if (scanned - from > maxRow) {
          from = giveUp(from, rows);
          scanned = from - 1;
        }
      }
      rest = rest.slice(from);
      scanned = rest.length;
      return rows;
    },
    end(): Row[] {
      const rows = isQuoted ? [{ line, fault: 'A quote isn’t closed.', text: rest }] : rowOf(rest);
      rest = '';
      return rows;
    },
  };
}

/** @param maxRow characters of a row; a longer one is a fault, as of a quote that is never closed */
export function createCsvReader(maxRow: number): CsvReader {
  const rows = createRowReader(maxRow);
  let separator = ',';
  let header: string[] | undefined;

  const recordOf = ({ line, text, fault }: Row): CsvRecord[] => {
    const raw = text.slice(0, maxInvalidText);
    if (fault !== undefined) return [{ line, fault, raw }];
    if (!header) {
      separator = separatorOf(text);
      header = namesOf(cellsOf(text, separator));
      return header.length > maxColumns ? [{ line, fault: `The header has more than ${maxColumns} columns.`, raw }] : [];
    }
    const cells = cellsOf(text, separator);
    if (cells.length > header.length)
      return [{ line, fault: `This row has ${cells.length} cells, but the header has ${header.length}.`, raw }];
    const value: Record<string, string> = {};
    for (const [column, cell] of cells.entries()) {
      const name = header[column];
      if (name !== undefined && cell !== '')
        Object.defineProperty(value, name, { value: cell, enumerable: true, configurable: true, writable: true });
    }
    return [{ line, value }];
  };

  return {
    push: (text) => rows.push(text).flatMap(recordOf),
    end: () => rows.end().flatMap(recordOf),
  };
}

export interface CsvRow {
  /** Line of the row’s beginning, from 1. */
  line: number;
  cells: string[];
}

/** Rows of a whole text, with at least one filled cell. An unclosed quote ends at the end of the text. */
export function readCsv(text: string): CsvRow[] {
  const reader = createRowReader(Number.POSITIVE_INFINITY);
  const rows = [...reader.push(text), ...reader.end()];
  const separator = separatorOf(rows[0]?.text ?? '');
  return rows
    .map((row) => ({ line: row.line, cells: cellsOf(row.text, separator) }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
}

/** The separator that occurs most in the header, outside quotes. */
function separatorOf(header: string): string {
  const plain = header.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: plain.split(separator).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).separator;
}

/** Names of the columns: trimmed, numbered where empty or doubled. */
function namesOf(cells: readonly string[]): string[] {
  const taken = new Set<string>();
  return cells.map((cell, at) => {
    const name = cell.trim().slice(0, 200) || `column${at + 1}`;
    const own = taken.has(name) ? `${name}_${at + 1}` : name;
    taken.add(own);
    return own;
  });
}

function cellsOf(row: string, separator: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    const quoted = row[at] === '"' ? quotedAt(row, at) : { text: '', end: at };
    const next = row.indexOf(separator, quoted.end);
    const end = next === -1 ? row.length : next;
    cells.push(quoted.text + row.slice(quoted.end, end));
    at = end + 1;
  }
  return cells;
}

/** Text of a quoted cell, and the position behind its closing quote. */
function quotedAt(row: string, start: number): { text: string; end: number } {
  const parts: string[] = [];
  for (let at = start + 1; ; ) {
    const quote = row.indexOf('"', at);
    if (quote === -1) return { text: parts.join('') + row.slice(at), end: row.length };
    parts.push(row.slice(at, quote));
    if (row[quote + 1] !== '"') return { text: parts.join(''), end: quote + 1 };
    parts.push('"');
    at = quote + 2;
  }
}
