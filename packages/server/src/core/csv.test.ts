import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, csvStart } from './csv.ts';

/** Independent RFC 4180 parser, so that the writer is checked against the format. */
function read(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === ',') {
      row.push(cell);
      cell = '';
    } else if (sign === '\r' && text[i + 1] === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
      i++;
    } else cell += sign;
  }
  return rows;
}

describe('a cell', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '\u00a0=1', '\u200b=1', '＝1', '-', '='])(
    'prefixes an apostrophe where a spreadsheet would compute: %j',
    (text) => expect(read(csvLine([text]))).toEqual([[`'${text}`]]),
  );

  test.each(['Ada', "'quoted", 'a=b', 'a-b@c.example', '12', '', 'zwei;=1+1'])('leaves plain text unchanged: %j', (text) => {
    expect(read(csvLine([text]))).toEqual([[text]]);
  });

  test('quotes all text, so that another locale’s list separator cannot expose a formula', () => {
    expect(csvLine(['zwei;=1+1', 'drei\t=1'])).toBe('"zwei;=1+1","drei\t=1"\r\n');
  });

  test('leaves numbers, negative ones too, and null unquoted', () => {
    expect(csvLine([-5, 0, null])).toBe('-5,0,\r\n');
  });
});

test('round-trips any text except for the apostrophe before a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
      const [row = [], ...others] = read(csvLine(cells));
      expect(others).toEqual([]);
      expect(row.map((cell, i) => (cell === cells[i] ? cell : cell.slice(1)))).toEqual(cells);
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});

test('starts the first line with a byte order mark', () => {
  expect([...Buffer.from(csvStart(['Name'])).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});
