import { expect, test } from 'vitest';
import { firstRows, rowCount } from './csv.ts';
import { ownPath } from './ownPath.ts';
import { fileName } from './parts/DataFile.tsx';

test.each([
  ['/apps/case/12', true],
  ['/apps/alerts/10?severity=critical,high&timeframe=lastMonth', true],
  ['/pages/faq', true],
  ['https://evil.example/apps/case/12', false],
  ['//evil.example/apps/', false],
  ['/apps/..//evil.example', false],
  ['/apps/../logout', false],
  ['/apps/%2e%2e/logout', false],
  ['/apps/../../api/v1/x', false],
  ['/apps\\..\\x', false],
  ['javascript:alert(1)', false],
  ['/login?to=/apps/', false],
  [' /apps/case/1', false],
  ['/appsx/1', false],
  [undefined, false],
])('accepts a link to %s: %s', (path, isOwn) => {
  expect(ownPath(path)).toBe(isOwn ? path : undefined);
});

test('parses CSV rows with quoted commas and line breaks', () => {
  const csv = '\ufeffname,note\r\n"a, ""b""","one\ntwo"\r\nc,\r\n';
  expect(firstRows(csv, 10)).toEqual([
    ['name', 'note'],
    ['a, "b"', 'one\ntwo'],
    ['c', ''],
  ]);
  expect(firstRows(csv, 2)).toHaveLength(2);
  expect(rowCount(csv)).toBe(2);
});

test.each([
  ['', [], 0],
  ['a', [['a']], 0],
  ['a\nb', [['a'], ['b']], 1],
  [
    'a,b\n,',
    [
      ['a', 'b'],
      ['', ''],
    ],
    1,
  ],
  ['a\n"open', [['a'], ['open']], 1],
])('parses %j', (csv, rows, count) => {
  expect(firstRows(csv, 10)).toEqual(rows);
  expect(rowCount(csv)).toBe(count);
});

test.each([
  ['cases-2026.csv', 'cases-2026.csv'],
  ['../../etc/passwd', 'etc-passwd.csv'],
  ['<b>.exe', 'b-.exe.csv'],
  ['\u202egpj.csv', 'gpj.csv'],
  ['', 'answer.csv'],
])('saves the file %j as %s', (name, saved) => {
  expect(fileName(name)).toBe(saved);
});
