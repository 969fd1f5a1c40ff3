import { expect, test } from 'vitest';
import { tableOf } from './bars.ts';
import { csvOf, fileNameOf } from './chartTable.ts';

test('a chart’s figures as CSV: quoted where needed, formulas as text, numbers as numbers', () => {
  const table = {
    head: ['Time', 'High, urgent'],
    rows: [
      ['a "quoted"\nday', -4],
      ['=cmd()', 12],
      [' @x', 0],
    ],
  };
  expect(csvOf(table)).toBe('\uFEFFTime,"High, urgent"\r\n"a ""quoted""\nday",-4\r\n\'=cmd(),12\r\n\' @x,0\r\n');
});

test('stacked bars as a table: a row each, a missing figure is 0', () => {
  expect(
    tableOf(
      [{ name: 'Low' }, { name: 'High' }],
      [
        { title: 'Monday', values: [3, 1] },
        { title: 'Tuesday', values: [2] },
      ],
    ),
  ).toEqual({
    head: ['Time', 'Low', 'High'],
    rows: [
      ['Monday', 3, 1],
      ['Tuesday', 2, 0],
    ],
  });
});

test.each([
  ['Alerts by day', 'alerts-by-day.csv'],
  ['../../etc/passwd', 'etc-passwd.csv'],
  ['報告 2026', '報告-2026.csv'],
  ['***', 'chart.csv'],
])('%s is saved as %s', (title, name) => {
  expect(fileNameOf(title, 'csv')).toBe(name);
});
