import { expect, test } from 'vitest';
import { readCsv } from './csvRecords.ts';

const cells = (text: string) => readCsv(text).map((row) => row.cells);

test.each([
  ['comma', 'a,b\r\n1,2\r\n'],
  ['semicolon', 'a;b\n1;2'],
  ['tab', 'a\tb\n1\t2\n'],
  ['byte order mark', '\uFEFFa,b\n1,2\n'],
  ['blank lines', '\n\na,b\n , \n1,2\n\n'],
])('reads rows separated by %s', (_, text) => {
  expect(cells(text)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('reads quoted cells with separators, quotes and lines, and each row’s line', () => {
  expect(readCsv('a,b\n"x, ""y""\nz",1\n2,3')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x, "y"\nz', '1'] },
    { line: 4, cells: ['2', '3'] },
  ]);
  expect(cells('a,b\n1,')).toEqual([
    ['a', 'b'],
    ['1', ''],
  ]);
});

test('reads broken files to their end, in time linear to their length', () => {
  const started = performance.now();
  for (const text of ['"', '"a', 'a"b"c', '"'.repeat(300_001), ','.repeat(300_000)]) readCsv(text);
  expect(cells('"a,b\n1')).toEqual([['a,b\n1']]);
  expect(performance.now() - started).toBeLessThan(10_000);
});
