/** Parses the first rows of a CSV file (RFC 4180) for a preview. */
export function firstRows(csv: string, maxRows: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    rows.push(row);
    row = [];
    cell = '';
  };
  // Skips the byte order mark.
  for (let at = csv.startsWith('\ufeff') ? 1 : 0; at < csv.length && rows.length < maxRows; at++) {
    const char = csv[at]!;
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (csv[at + 1] === '"') cell += csv[++at];
      else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ',') {
      row.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r' || csv[at + 1] !== '\n') cell += char;
  }
  if (rows.length < maxRows && (cell !== '' || row.length > 0)) endRow();
  return rows;
}

/** Number of data rows, without the header; quoted line breaks don’t count. */
export function rowCount(csv: string): number {
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < csv.length; at++) {
    if (csv[at] === '"') isQuoted = !isQuoted;
    else if (csv[at] === '\n' && !isQuoted) count++;
  }
  const lines = count + (csv === '' || csv.endsWith('\n') ? 0 : 1);
  return Math.max(0, lines - 1);
}
