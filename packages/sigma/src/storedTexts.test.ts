import { expect, test } from 'vitest';
import { places } from './fields.ts';
import { storedTexts } from './storedTexts.ts';
import { ruleOf } from './testing.ts';
import { composedOf, VIRTUAL } from './virtual.ts';

const textsOf = (selection: unknown) =>
  storedTexts([ruleOf({ sel: selection, condition: 'sel' })])?.texts.map(({ text }) => text);

test.each([
  ['CommandLine|contains', 'C:\\Tools\\Mimikatz.exe', ['mimikatz.exe']],
  ['CommandLine|contains', 'net user /add', ['user']],
  ['CommandLine|contains', '"quoted":value', ['quoted']],
  ['CommandLine|contains', 'MD5=4', ['md5']],
  ['CommandLine|contains', 'news', ['ews']],
  ['CommandLine|re', 'sekurlsa\\s*::', ['sekurlsa']],
  ['EventID', 4625, ['4625']],
  ['EventID', -4625, ['4625']],
  ['Hashes|contains', 'MD5=0123456789abcdef0123456789abcdef', ['0123456789abcdef0123456789abcdef']],
  ['Image|endswith', '/usr/bin/python3', ['python3']],
])('takes of %s %s the part that JSON leaves as it is', (field, value, expected) => {
  expect(textsOf({ [field]: value })).toEqual(expected);
});

test.each([
  ['EventID', 1],
  ['EventID', 1.5],
  ['status', 'success'],
  ['Hashes|contains', 'MD5='],
  ['CommandLine|contains', '2026-11-26'],
  ['CommandLine|contains', 'dead-beef'],
  ['CommandLine|exists', true],
  ['CommandLine|contains', 'é'],
])('takes none of %s %s', (field, value) => {
  expect(textsOf({ [field]: value })).toBeUndefined();
});

test('separates the clauses of a few rules, and takes one of each of many', () => {
  const both = { sel: { 'Image|endswith': '\\rundll32.exe', 'CommandLine|contains': 'comsvcs' }, condition: 'sel' };
  const few = storedTexts([ruleOf(both), ruleOf({ sel: { CommandLine: 'lsadump' }, condition: 'sel' })])!;
  expect(few.wanted).toHaveLength(2);
  expect(new Set(few.texts.map(({ clauses }) => clauses)).size).toBe(3);
  const many = storedTexts(Array.from({ length: 40 }, () => ruleOf(both)))!;
  expect(many.wanted).toEqual([1]);
});

test('leaves out rules that never match, and has nothing where one needs no text', () => {
  const waiting = ruleOf({ sel: { 'Image|expand': '%tools%' }, condition: 'sel' });
  expect(storedTexts([waiting])).toMatchObject({ texts: [], wanted: [] });
  const negated = ruleOf({ sel: { Image: 'lsadump' }, condition: 'not sel' });
  expect(storedTexts([negated, ruleOf({ sel: { Image: 'lsadump' }, condition: 'sel' })])).toBeUndefined();
});

test('reads the locations of fields, and the values of every virtual one', () => {
  const { names } = storedTexts([ruleOf({ sel: { CommandLine: 'lsadump' }, condition: 'sel' })])!;
  for (const { keys } of places('ecs', 'CommandLine').filter(({ read }) => !read)) expect(names).toContain(keys.at(-1));
  for (const name of ['args', 'decoded_command_line', 'Data']) expect(names).toContain(name);
  for (const field of VIRTUAL.keys()) expect([field, composedOf.has(field)]).toEqual([field, true]);
});
