import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  codeFieldOf,
  codeOf,
  correlatedFields,
  type EventKind,
  fieldsOf,
  isIdentified,
  isPresent,
  judge,
  missingFields,
  neededRules,
  parseSource,
  sourceText,
} from './evidence.ts';
import { classify, newView } from './logsource.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import { ruleOf } from './testing.ts';

const windows: EventKind = {
  source: { shape: 'winlog', products: ['windows'], services: ['security'], categories: [] },
  code: undefined,
};
const coded = (value: string): EventKind => ({ ...windows, code: { field: 'EventID', value } });
const without =
  (...fields: string[]) =>
  (field: string) =>
    fields.includes(field) ? 'missing' : 'seen';
const verdict = (detection: unknown, missing: string[], kind = windows) => judge(ruleOf(detection), kind, without(...missing));
const needs = (detection: unknown, missing: string[]) => missingFields(ruleOf(detection), windows, without(...missing));

describe('judge', () => {
  test('blocks a rule only when every branch needs a missing field', () => {
    const either = { a: { A: 'x' }, b: { B: 'x' }, condition: 'a or b' };
    expect(verdict(either, ['A'])).toBe('possible');
    expect(verdict(either, ['A', 'B'])).toBe('blocked');
    expect(verdict({ a: { A: 'x' }, b: { B: 'x' }, condition: 'a and b' }, ['B'])).toBe('blocked');
    expect(verdict({ a: [{ A: 'x' }, { B: 'x' }], condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { A: 'x', B: 'x' }, condition: 'a' }, ['A'])).toBe('blocked');
  });

  test('holds the negation of a missing field for true', () => {
    const filtered = { a: { A: 'x' }, filter: { F: 'y' }, condition: 'a and not filter' };
    expect(verdict(filtered, ['F'])).toBe('possible');
    expect(verdict(filtered, ['A', 'F'])).toBe('blocked');
    expect(verdict({ a: { A: 'x' }, b: { B: 'x' }, condition: 'not (a or not b)' }, ['B'])).toBe('blocked');
  });

  test('counts the selections of quantifiers', () => {
    const of = (condition: string) => ({ s_a: { A: 'x' }, s_b: { B: 'x' }, s_c: { C: 'x' }, condition });
    expect(verdict(of('1 of s_*'), ['A', 'B'])).toBe('possible');
    expect(verdict(of('1 of s_*'), ['A', 'B', 'C'])).toBe('blocked');
    expect(verdict(of('all of s_*'), ['C'])).toBe('blocked');
    expect(verdict(of('2 of s_*'), ['C'])).toBe('possible');
    expect(verdict(of('2 of s_*'), ['B', 'C'])).toBe('blocked');
    expect(verdict(of('not 1 of s_*'), ['A', 'B', 'C'])).toBe('possible');
  });

  test('leaves keywords open, and whatever an absent or empty field matches', () => {
    expect(verdict({ a: ['word'], condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { A: null }, condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { 'A|exists': false }, condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { 'A|exists': true, B: 'x' }, condition: 'a' }, ['B'])).toBe('blocked');
    expect(verdict({ a: { A: '' }, condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { 'A|neq': 'x' }, condition: 'a' }, ['A'])).toBe('possible');
    expect(verdict({ a: { 'A|contains|all': ['x', 'y'] }, condition: 'a' }, ['A'])).toBe('blocked');
    expect(verdict({ a: { 'A|re': '^.+$' }, condition: 'a' }, ['A'])).toBe('blocked');
    expect(verdict({ a: { 'A|re': '^.*$' }, condition: 'a' }, ['A'])).toBe('possible');
  });

  test('judges nothing by fields with too few events', () => {
    const rule = ruleOf({ a: { A: 'x' }, condition: 'a' });
    expect(judge(rule, windows, () => 'unknown')).toBe('possible');
  });

  test('leaves out events of another log source or code', () => {
    const rule = { a: { EventID: [4688, 4689], CommandLine: 'x' }, condition: 'a' };
    expect(verdict(rule, ['CommandLine'], coded('4688'))).toBe('blocked');
    expect(verdict(rule, [], coded('4688'))).toBe('possible');
    expect(verdict(rule, ['CommandLine'], coded('4624'))).toBe('other');
    expect(judge(ruleOf({ a: { A: 'x' }, condition: 'a' }, { logsource: { product: 'linux' } }), windows, without())).toBe(
      'other',
    );
  });

  test('requires the fields that a correlation needs beside the condition', () => {
    const rule = ruleOf({ a: { A: 'x' }, condition: 'a' });
    expect(judge(rule, windows, without('user'), ['user'])).toBe('blocked');
    expect(missingFields(rule, windows, without('user'), ['user'])).toEqual(['user']);
  });

  test('blocks no rule that an event without the missing fields matches', () => {
    const fields = ['A', 'B', 'C'] as const;
    const item = fc.oneof(
      fc.tuple(fc.constantFrom(...fields), fc.constantFrom('', '|contains', '|neq', '|re'), fc.constantFrom('x', 'y', '')),
      fc.tuple(fc.constantFrom(...fields), fc.constant('|exists'), fc.boolean()),
      fc.tuple(fc.constantFrom(...fields), fc.constant(''), fc.constant(null)),
      fc.tuple(fc.constantFrom('A', 'B'), fc.constant('|fieldref'), fc.constant('C')),
    );
    const selection = fc.array(item, { minLength: 1, maxLength: 2 });
    const condition = fc.constantFrom(
      's_1 and s_2',
      's_1 or s_2',
      's_1 and not s_2',
      'not s_1 and not s_2',
      '1 of s_*',
      '2 of s_*',
      'all of s_*',
      'not all of s_*',
      's_3 and not 1 of s_*',
    );
    const document = fc.record(
      { A: fc.constantFrom('x', 'y', 'xy', ''), B: fc.constantFrom('x', 'y', ''), C: fc.constantFrom('x', '', null) },
      { requiredKeys: [] },
    );
    const kind: EventKind = {
      source: { shape: 'any', products: undefined, services: undefined, categories: undefined },
      code: undefined,
    };
    let blocked = 0;
    fc.assert(
      fc.property(fc.tuple(selection, selection, selection), condition, document, (selections, text, event) => {
        const named = selections.map((items, index) => [
          `s_${index + 1}`,
          Object.fromEntries(items.map(([field, modifier, value]) => [field + modifier, value])),
        ]);
        const rule = ruleOf({ ...Object.fromEntries(named), condition: text });
        const view = newView();
        classify(event, view);
        const missing = fields.filter((field) => !isPresent('any', field, view));
        const answer = judge(rule, kind, without(...missing));
        if (answer !== 'blocked') return;
        blocked++;
        expect(compileRules([rule]).match(event)).toEqual([]);
        // The named fields are enough, and each of them is needed.
        const needed = missingFields(rule, kind, without(...missing));
        expect(needed.length).toBeGreaterThan(0);
        const rest = (left: string | undefined) =>
          without(...missing.filter((field) => field === left || !needed.includes(field)));
        expect(judge(rule, kind, rest(undefined))).toBe('possible');
        for (const field of needed) expect(judge(rule, kind, rest(field))).toBe('blocked');
      }),
      { numRuns: 3_000 },
    );
    expect(blocked).toBeGreaterThan(100);
  });
});

describe('missingFields', () => {
  test('names a smallest set, the first of several', () => {
    expect(needs({ a: { A: 'x', B: 'x' }, condition: 'a' }, ['A', 'B'])).toEqual(['A', 'B']);
    expect(needs({ a: { A: 'x' }, b: { B: 'x' }, condition: 'a or b' }, ['A', 'B'])).toEqual(['A']);
    expect(needs({ a: { A: 'x' }, filter: { F: 'y' }, condition: 'a and not filter' }, ['A', 'F'])).toEqual(['A']);
  });
});

describe('fields and codes', () => {
  test('reads a field as rules do', () => {
    const view = newView();
    const { shape } = classify(
      { winlog: { channel: 'Security', event_id: 4688, event_data: { CommandLine: '', NewProcessName: 'a' } } },
      view,
    );
    expect(isPresent(shape, 'CommandLine', view)).toBe(false);
    expect(isPresent(shape, 'Image', view)).toBe(true);
    expect(codeOf(shape, 'EventID', view)).toBe('4688');
    const list = classify(
      { action: ['a', 'b'], A: [null, ''], B: [null, 'x'], eventName: 'x'.repeat(101), eventType: 'a\u0000b' },
      view,
    ).shape;
    expect(codeOf(list, 'action', view)).toBeUndefined();
    for (const field of ['eventName', 'eventType', 'none']) expect(codeOf(list, field, view)).toBeUndefined();
    expect([isPresent(list, 'A', view), isPresent(list, 'B', view)]).toEqual([false, true]);
  });

  test('writes and reads sources as text, unknown parts apart from empty ones', () => {
    for (const source of [
      { shape: 'ecs', products: ['a', 'b'], services: undefined, categories: [] },
      { shape: 'any', products: undefined, services: ['x'], categories: ['y'] },
    ] as const)
      expect(parseSource(sourceText(source as unknown as EventKind['source']))).toEqual(source);
  });

  test('takes the code field that most rules test', () => {
    const rules = [{ EventID: 1 }, { EventID: 2, type: 'x' }, { Image: 'x' }].map((sel) => ruleOf({ sel, condition: 'sel' }));
    expect(codeFieldOf(rules)).toBe('EventID');
    expect(codeFieldOf(rules.slice(2))).toBeUndefined();
    expect([...fieldsOf(ruleOf({ sel: { A: 'x', 'B|fieldref': 'C' }, words: ['w'], condition: 'sel or words' }))]).toEqual([
      'A',
      'B',
      'C',
    ]);
  });

  test('identifies a source only by parts that it names', () => {
    const rule = ruleOf({ sel: { A: 'x' }, condition: 'sel' });
    expect(isIdentified(windows, rule)).toBe(true);
    expect(isIdentified({ ...windows, source: { ...windows.source, products: undefined } }, rule)).toBe(false);
  });

  test('derives what a correlation needs', () => {
    const correlation = (type: string, condition: unknown) =>
      loadRules([
        {
          file: 'c.yml',
          text: `${['one', 'two'].map((name) => `title: ${name}\nname: ${name}\nid: ${name}\nlogsource: { product: windows }\ndetection: { sel: { A: x }, condition: sel }`).join('\n---\n')}
---
title: both
id: both
correlation: ${JSON.stringify({ type, rules: ['one', 'two'], 'group-by': ['who', 'host'], timespan: '5m', condition, aliases: { who: { one: 'User', two: 'Account' } } })}
`,
        },
      ]).correlations[0]!;
    expect(neededRules(correlation('temporal', { gte: 2 }))).toBe(2);
    expect(neededRules(correlation('temporal', { gte: 1 }))).toBe(1);
    expect(neededRules(correlation('temporal_ordered', { gte: 1 }))).toBe(2);
    expect(neededRules(correlation('event_count', { gte: 10 }))).toBe(1);
    const counted = correlation('value_count', { gte: 10, field: 'Target' });
    expect([correlatedFields(counted, 'one'), correlatedFields(counted, 'two')]).toEqual([
      ['User', 'host', 'Target'],
      ['Account', 'host', 'Target'],
    ]);
  });
});
