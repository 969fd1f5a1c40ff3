/** Rules and events are untrusted: none may crash, hang or reach a prototype. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { layoutOf, newLayouts } from './layouts.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import type { Document } from './source.ts';
import { matches, matchesRule, ruleOf } from './testing.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Processor time, so that a busy machine does not fail the test. */
const within = <T>(ms: number, work: () => T): T => {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(ms);
  return result;
};

describe('events', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a.__proto__.b', 'process.constructor.name'])(
    'treats the field %s as data',
    (field) => {
      expect(matches({ [`${field}|exists`]: true }, {})).toBe(false);
      expect(matches({ [`${field}|exists`]: true }, { process: {}, a: {} })).toBe(false);
      expect(matches({ [field]: 'x' }, JSON.parse(`{"${field}":"x"}`))).toBe(true);
      expect(Object.prototype).not.toHaveProperty('b');
    },
  );

  test('bounds deep nesting', () => {
    let deep: unknown = 'evil';
    for (let i = 0; i < 50_000; i++) deep = i % 2 ? [deep] : { a: deep };
    const document = { Event: { System: { Channel: 'Security', EventID: 1 }, EventData: { F: deep } }, x: deep };
    expect(within(2_000, () => matches(['evil'], document))).toBe(false);
    expect(matches({ F: 'evil' }, document)).toBe(false);
    expect(matches({ 'x.a.a': 'evil' }, document)).toBe(false);
  });

  test('handles 256 KB values in milliseconds for any rule', () => {
    const value = 'ab'.repeat(131_072);
    const selections = [
      { 'F|contains': ['abc', 'bac', 'zzz'] },
      { 'F|contains': 'a*b*a*c' },
      { 'F|contains': 'a?a?a?c' },
      { 'F|re': '(a|b)*c$' },
      { 'F|re|i': '(A+B+)+x' },
      { 'F|cidr': '10.0.0.0/8' },
      { 'F|endswith': 'abab?' },
      { 'T|hour': 1, F: 5 },
    ];
    for (const selection of selections) {
      const rule = ruleOf({ s: selection, condition: 's' });
      const matcher = compileRules([rule]);
      matcher.match({ F: 'warm', T: value });
      within(1_000, () => matcher.match({ F: value, T: value }));
    }
  });

  test('matches events whatever kinds and orders of keys came before', () => {
    const matcher = compileRules([ruleOf({ s: { Image: 'evil' }, condition: 's' })]);
    const kinds = (count: number, name: (index: number) => string) => {
      for (let index = 0; index < count; index++)
        expect(matcher.match({ EventID: index, [name(index)]: 'x', Image: index % 2 ? 'evil' : 'fine' })).toHaveLength(index % 2);
    };
    kinds(2_000, (index) => `key${index % 40}`);
    kinds(100, (index) => `${index}`.padEnd(40_000, 'k'));
    expect(matcher.match({ EventID: 1, Image: 'evil' })).toHaveLength(1);
  });

  test('keeps few layouts of events, and none of long keys', () => {
    const layouts = newLayouts();
    const of = (document: Document) => layoutOf(layouts, { document } as Parameters<typeof layoutOf>[1]);
    expect(of({ EventID: 1, key1: 1 })).toBe(of({ EventID: 1, key1: 2 }));
    for (let index = 0; index < 3_000; index++) of({ EventID: index % 1_500, [`key${index}`]: 1 });
    expect(layouts.known.size).toBe(256);
    expect(of({ EventID: 1, ['k'.repeat(20_000)]: 1 })).toBe(layouts.any);
  });

  test('matches values of more than 65,535 characters', () => {
    const long = 'abc'.repeat(30_000);
    for (const modifier of ['', '|startswith', '|endswith', '|contains']) {
      expect(matches({ [`F${modifier}`]: long }, { F: long })).toBe(true);
      expect(matches({ [`F${modifier}`]: long }, { F: `${long.slice(1)}x` })).toBe(false);
    }
  });

  test('bounds hundreds of thousands of fields and elements', () => {
    const document: Document = { list: Array.from({ length: 300_000 }, (_, index) => ({ v: String(index) })) };
    for (let i = 0; i < 100_000; i++) document[`k${i}.x`] = i;
    within(3_000, () => {
      matches(['evil'], document);
      matches({ 'list.v': 'evil' }, document);
      matches({ 'process.parent.executable': 'evil' }, document);
    });
  });

  test('accepts any JSON as an event', () => {
    const text = ['a', '{s: {F: a, G|contains: b}, k: [x], condition: s or k}'];
    const { rules } = loadRules([{ file: 'r.yml', text: `title: t\nlogsource: {product: windows}\ndetection: ${text[1]}` }]);
    const matcher = compileRules(rules);
    const key = fc.constantFrom(
      'Event',
      'System',
      'EventData',
      'UserData',
      'winlog',
      'event_data',
      'channel',
      'Channel',
      'EventID',
      'event',
      'category',
      'type',
      'dataset',
      'log',
      'syslog',
      'process',
      'args',
      'url',
      'F',
      '#text',
      'Data',
      '@Name',
      '__proto__',
    );
    const { document } = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.constantFrom('Security', 'process', 'auditd.log', 'system.auth', 'zeek.dns'),
      ),
      value: fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.array(tie('value'), { maxLength: 3 }), tie('document')),
      document: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(document, (event) => {
        const found = matcher.match(event as Document);
        expect(Array.isArray(found)).toBe(true);
        for (const rule of found) expect(matcher.explain(rule, event as Document).condition).toBe('s or k');
      }),
      { numRuns: 2_000 },
    );
  });

  test('bounds the number of sources named by events', () => {
    const own = ruleOf({ s: { F: 1 }, condition: 's' });
    const matcher = compileRules([own, { ...own, id: 'late', logsource: { product: 'late' } }]);
    const late = { logsource: { product: 'late' }, F: 1 };
    within(5_000, () => {
      for (let i = 0; i < 20_000; i++) {
        matcher.match({ logsource: { product: `p${i}` }, F: 1 });
        matcher.match({ Event: { System: { Channel: `c${i}`, EventID: i } } });
        matcher.match({ event: { dataset: `d.${i}` }, process: { name: `n${i}` } });
      }
    });
    // A flood of stated sources takes none from others.
    expect(matcher.match(late).map(({ id }) => id)).toContain('late');
    expect(matcher.match({ ...late, logsource: { product: 'another' } }).map(({ id }) => id)).not.toContain('late');
  });
});

describe('rules', () => {
  test('accepts any text as a rule file', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `title: t\ndetection:\n  a:\n    ${text}: ${text}\n  condition: ${text}`),
        ),
        (text) => {
          const { rules, faults } = loadRules([{ file: 'f', text }]);
          compileRules(rules).match({ a: 'b' });
          for (const fault of faults) expect(fault.line).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('loads any JSON below detection as a rule or an error', () => {
    const key = fc.constantFrom(
      'sel',
      'condition',
      'F',
      'F|re',
      'F|contains|all',
      '|all',
      '',
      'F|cidr',
      'F|expand',
      'F|exists',
      'F|base64offset',
      'timeframe',
      '__proto__',
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('sel', 'a*', '%x%', '(((', '1 of them', null, 1, true, '10.0.0.0/8'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, node, { maxKeys: 5 }), (detection) => {
        const { rules, faults } = loadRules([{ file: 'f', text: JSON.stringify({ title: 't', detection }) }]);
        expect(rules.length + faults.length).toBe(1);
        compileRules(rules).match({ F: 'sel', G: 1 });
      }),
      { numRuns: 2_000 },
    );
  });

  test('rejects wide and deep files', () => {
    const deep = `${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}`;
    expect(within(5_000, () => loadRules([{ file: 'f', text: `title: t\ndetection: ${deep}` }])).faults).toHaveLength(1);
    const values = Array.from({ length: 19_000 }, (_, index) => `evil${index}`);
    const rule = within(5_000, () => ruleOf({ s: { 'F|contains': values }, condition: 's' }));
    expect(within(5_000, () => matchesRule(rule, { F: 'so evil18999' }))).toBe(true);
    expect(() => ruleOf({ s: { 'F|re': `(${'a{1000}'.repeat(50)}){1000}` }, condition: 's' })).toThrow();
  });
});
