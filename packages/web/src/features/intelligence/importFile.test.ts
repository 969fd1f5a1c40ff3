import { expect, test } from 'vitest';
import { formatOf, nameOf } from './importFile.ts';

test.each([
  ['value,reputation\n203.0.113.5,Malicious', 'csv'],
  ['\uFEFFvalue,reputation', 'csv'],
  ['  \n{"Event": {"Attribute": []}}', 'misp'],
  ['{"response":[{"Event":{}}]}', 'misp'],
  ['\uFEFF{"type" : "bundle","id":"bundle--1"}', 'stix'],
  ['[{"type":"bundle"}]', 'stix'],
  ['', 'csv'],
] as const)('%j is %s', (head, format) => {
  expect(formatOf(head)).toBe(format);
});

test.each([
  ['block_list.csv', 'block list'],
  ['C:\\temp\\Feed 2.JSON', 'Feed 2'],
  ['.csv', ''],
  ['a.b.c.json', 'a.b.c'],
  [`${'x'.repeat(300)}.csv`, 'x'.repeat(200)],
])('%j is called %j', (file, name) => {
  expect(nameOf(file)).toBe(name);
});
