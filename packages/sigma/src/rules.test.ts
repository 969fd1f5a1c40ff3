import { describe, expect, test } from 'vitest';
import { parseCondition } from './condition.ts';
import { compileRules } from './matcher.ts';
import { loadRules } from './rules.ts';
import { faultOf, matches, matchesRule, ruleOf } from './testing.ts';

const load = (text: string) => loadRules([{ file: 'r.yml', text }]);

describe('rule', () => {
  test('keeps the descriptive attributes', () => {
    const { rules, faults } = load(`
title: A title
id: 0e95725d-7320-415d-80f7-004da920fc11
name: a_name
related: [{ id: other, type: derived }]
status: test
description: |
  Two
  lines
license: MIT
author: A, B
references: ['https://example.org']
date: 2024-01-02
modified: 2024-02-03
tags: [attack.execution, attack.t1059]
logsource: { product: Windows, category: process_creation, definition: audit it }
detection: { sel: { F: 1 }, condition: sel }
fields: [F]
falsepositives: Unknown
level: High
response: { isolate: true, __proto__: 1 }
`);
    expect(faults).toEqual([]);
    const { selections: _s, condition: _c, custom, ...rest } = rules[0]!;
    expect(rest).toEqual({
      id: '0e95725d-7320-415d-80f7-004da920fc11',
      writtenId: '0e95725d-7320-415d-80f7-004da920fc11',
      name: 'a_name',
      title: 'A title',
      description: 'Two\nlines\n',
      author: 'A, B',
      references: ['https://example.org'],
      level: 'high',
      status: 'test',
      date: '2024-01-02',
      modified: '2024-02-03',
      license: 'MIT',
      tags: ['attack.execution', 'attack.t1059'],
      falsepositives: ['Unknown'],
      fields: ['F'],
      related: [{ id: 'other', type: 'derived' }],
      logsource: { product: 'windows', category: 'process_creation', definition: 'audit it' },
      file: 'r.yml',
      line: 2,
      conditions: ['sel'],
      awaits: [],
      standalone: true,
    });
    expect(Object.keys(custom.response as object)).toEqual(['isolate', '__proto__']);
  });

  test.each([
    ['maps are all, lists of maps any', [{ A: 1, B: 2 }, { C: 3 }], { C: 3 }, true],
    ['all items of one map', [{ A: 1, B: 2 }, { C: 3 }], { A: 1 }, false],
    ['lists within lists', [[{ A: 1 }], { B: 2 }], { A: 1 }, true],
  ])('%s', (_name, selection, document, expected) => {
    expect(matches(selection, document)).toBe(expected);
  });

  test('matches any of a list of conditions', () => {
    const rule = ruleOf({ a: { A: 1 }, b: { B: 1 }, condition: ['a', 'b'] });
    expect([{ A: 1 }, { B: 1 }, { C: 1 }].map((document) => matchesRule(rule, document))).toEqual([true, true, false]);
  });
});

describe('condition', () => {
  const names = ['sel_a', 'sel_b', '_hidden', 'filter', 'sel-x.y'];
  const truth = (text: string, ...on: string[]): boolean => {
    const rule = ruleOf({ ...Object.fromEntries(names.map((name) => [name, { [name]: 1 }])), condition: text });
    return matchesRule(rule, Object.fromEntries(on.map((name) => [name, 1])));
  };
  test.each([
    ['sel_a or sel_b and filter', ['sel_a'], true],
    ['(sel_a or sel_b) and filter', ['sel_a'], false],
    ['not sel_a and sel_b', ['sel_b'], true],
    ['not (sel_a and sel_b)', ['sel_a'], true],
    ['NOT sel_a AND sel_b', ['sel_b'], true],
    ['not not sel_a', ['sel_a'], true],
    ['1 of them', ['_hidden'], false],
    ['1 of sel*', ['sel-x.y'], true],
    ['any of sel_*', ['sel_b'], true],
    ['all of sel_*', ['sel_a', 'sel_b'], true],
    ['all of sel_*', ['sel_a'], false],
    ['2 of sel*', ['sel_a', 'sel-x.y'], true],
    ['2 of sel*', ['sel_a'], false],
    ['all of *_a', ['sel_a'], true],
    ['1 of _hid*', ['_hidden'], true],
    ['sel-x.y', ['sel-x.y'], true],
    ['sel_a and not 1 of filter*', ['sel_a', 'filter'], false],
    ['((sel_a))', ['sel_a'], true],
  ])('%s with %j: %s', (text, on, expected) => {
    expect(truth(text, ...on)).toBe(expected);
  });

  test.each([
    ['', /empty/],
    ['sel_a and', /ends too early/],
    ['sel_a sel_b', /unexpected "sel_b"/],
    ['(sel_a', /not closed/],
    ['sel_a)', /unexpected "\)"/],
    ['selection', /names "selection"/],
    ['1 of x*', /fits no search identifier/],
    ['9 of sel_*', /fits only 2/],
    ['and', /unexpected/],
    [`${'('.repeat(100_000)}sel_a`, /nested deeper|more than/],
    ['not '.repeat(3_000), /nested deeper/],
    ['sel_a | near sel_b', /aggregation/],
  ])('rejects %s', (text, reason) => {
    expect(faultOf({ ...Object.fromEntries(names.map((name) => [name, { [name]: 1 }])), condition: text })).toMatch(reason);
  });

  test('throws only readable errors', () => {
    expect(() => parseCondition('x of of', ['x'])).toThrow(/unexpected/);
  });
});

describe('loading', () => {
  test('loads the other documents beside a faulty one and reports its line', () => {
    const { rules, faults } = load(
      [
        'title: ok\nlogsource: {product: windows}\ndetection: {a: {F: 1}, condition: a}',
        'title: no detection\nid: x1',
        'title: [unclosed',
        'title: typo\nlogsource: {product: windows}\ndetection:\n  a:\n    F: 1\n    G|bad: 2\n  condition: a',
        'title: twice\nlogsource: {product: windows}\ndetection:\n  a: {F: 1}\n  a: {F: 2}\n  condition: a',
        'just text',
        'title: ok2\nlogsource: {product: windows}\ndetection: {a: {F: 1}, condition: a}',
      ].join('\n---\n'),
    );
    expect(rules.map(({ title }) => title)).toEqual(['ok', 'ok2']);
    expect(faults.map(({ line, title }) => [line, title])).toEqual([
      [5, 'no detection'],
      [9, undefined],
      [15, 'typo'],
      [22, undefined],
      [25, undefined],
    ]);
  });

  test('keeps a second rule of the same id under a unique id', () => {
    const rule = (value: number) => `title: t\nid: same\ndetection: {a: {F: ${value}}, condition: a}`;
    const filter = 'title: f\nfilter: {rules: [same], s: {G: 1}, condition: not s}';
    const { rules, faults } = load([rule(1), rule(2), rule(1), filter].join('\n---\n'));
    expect(faults).toEqual([]);
    expect(rules.map(({ id, writtenId }) => [id, writtenId])).toEqual([
      ['same', 'same'],
      ['same:2', 'same'],
      ['same:3', 'same'],
    ]);
    expect(rules.map((each) => matchesRule(each, { F: 2 }))).toEqual([false, true, false]);
    expect(matchesRule(rules[1]!, { F: 2, G: 1 })).toBe(false);
  });

  test('rejects a filter whose placeholder has no value', () => {
    const { faults } = load("title: f\nfilter: {rules: [x], s: {'G|expand': '%hosts%'}, condition: not s}");
    expect(faults[0]!.reason).toMatch(/%hosts% has no value/);
  });

  test('matches a non-decimal number by its text as well', () => {
    const { rules } = load('title: t\ndetection: {a: {M: [0x100, 07]}, condition: a}');
    const found = (M: unknown) => matchesRule(rules[0]!, { M });
    expect(['0x100', 256, '256', '0X100', '07', 7].map(found)).toEqual([true, true, true, true, true, true]);
    expect(['0x10', '0100'].map(found)).toEqual([false, false]);
  });

  test('merges action: global into the following documents', () => {
    const { rules, faults } = load(`
action: global
title: Shared
id: g
level: high
detection: { condition: 1 of sel* }
---
logsource: { product: windows, service: security }
detection: { sel: { EventID: 1 } }
---
logsource: { product: windows, service: system }
detection: { sel: { EventID: 2 } }
`);
    expect(faults).toEqual([]);
    expect(rules.map(({ id, title, level, logsource }) => [id, title, level, logsource.service])).toEqual([
      ['g', 'Shared', 'high', 'security'],
      ['g:2', 'Shared', 'high', 'system'],
    ]);
  });

  test('resolves anchors and merge keys, but no expansion bombs', () => {
    const { rules } = load('title: t\nx: &x {F: 1}\ndetection:\n  a:\n    <<: *x\n    G: 2\n  condition: a');
    expect(matchesRule(rules[0]!, { F: 1, G: 2 })).toBe(true);
    expect(matchesRule(rules[0]!, { G: 2 })).toBe(false);
    let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let i = 1; i < 9; i++)
      bomb += `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]\n`;
    const { faults } = load(`title: bomb\n${bomb}detection: {a: {F: 1}, condition: a}`);
    expect(faults).toHaveLength(1);
  });

  test.each(['a | near b', 'a | count() by x > 5 and b | count() by x > 5', 'a | count(x) by y'])(
    'rejects an aggregation that Sigma 2 cannot express: %s',
    (condition) => {
      const { faults } = load(JSON.stringify({ title: 't', detection: { a: { F: 1 }, b: { F: 2 }, condition } }));
      expect(faults.map(({ reason }) => reason)).toEqual([expect.stringMatching(/is not supported/)]);
    },
  );

  test('converts a Sigma 1 aggregation into a correlation', () => {
    const { rules, correlations, faults } = load(`
title: Old
id: old
logsource: { product: windows, service: security }
detection:
  selection: { EventID: 4625 }
  timeframe: 10m
  condition: selection | count(TargetUserName) by IpAddress, Computer > 5
`);
    expect(faults).toEqual([]);
    expect(rules[0]).toMatchObject({ id: 'old:base', standalone: false });
    expect(correlations[0]).toMatchObject({
      id: 'old',
      type: 'value_count',
      rules: ['old:base'],
      groupBy: ['IpAddress', 'Computer'],
      timespanMs: 600_000,
      valueFields: ['TargetUserName'],
      conditions: [{ operator: 'gt', number: 5 }],
    });
  });
});

describe('filter', () => {
  const rule = (id: string, service = 'security') =>
    `title: T ${id}\nid: ${id}\nname: n_${id}\nlogsource: {product: windows, service: ${service}}\ndetection: {selection: {EventID: 1}, condition: selection}`;
  const filter = (rules: string) =>
    `title: f\nlogsource: {product: windows, service: security}\nfilter:\n  ${rules}\n  selection: {User|startswith: adm_}\n  condition: not selection`;

  test.each([
    ['by id', 'rules: [a]', ['b']],
    ['by name', 'rules: [n_b]', ['a']],
    ['any rule of the log source', 'rules: any', []],
    ['without rules, all of the log source', 'x: {y: 1}', []],
  ])('%s', (_name, rules, expected) => {
    const loaded = load([rule('a'), rule('b'), filter(rules)].join('\n---\n'));
    expect(loaded.faults).toEqual([]);
    const matcher = compileRules(loaded.rules);
    expect(matcher.match({ EventID: 1, User: 'ADM_x' }).map(({ id }) => id)).toEqual(expected);
    expect(matcher.match({ EventID: 1, User: 'x' })).toHaveLength(2);
  });

  test('ignores other log sources and reports unknown rules', () => {
    const loaded = load([rule('a', 'system'), filter('rules: [a, zz]')].join('\n---\n'));
    expect(compileRules(loaded.rules).match({ EventID: 1, User: 'adm_x' })).toHaveLength(1);
    expect(loaded.faults[0]!.reason).toMatch(/zz/);
  });
});

describe('correlation', () => {
  const base = 'title: B\nid: b\nname: base\nlogsource: {product: windows}\ndetection: {s: {F: 1}, condition: s}';
  const correlation = (body: string, rest = '') => load(`${base}\n---\ntitle: C\nid: c\n${rest}correlation:\n  ${body}`);

  test('applies defaults and resolves references', () => {
    const { correlations, rules, faults } = correlation(
      'type: temporal\n  rules: [base, b]\n  group-by: [who]\n  timespan: 2h\n  aliases: {who: {base: User}}',
    );
    expect(faults).toEqual([]);
    expect(correlations[0]).toMatchObject({
      rules: ['b', 'b'],
      timespanMs: 7_200_000,
      conditions: [{ operator: 'gte', number: 2 }],
    });
    expect(correlations[0]!.aliases.get('who')!.get('b')).toBe('User');
    expect(rules[0]!.standalone).toBe(false);
  });

  test('keeps its rules as detections with generate', () => {
    const { rules } = correlation('type: event_count\n  rules: [b]\n  timespan: 1m\n  generate: true\n  condition: {gte: 1}');
    expect(rules[0]!.standalone).toBe(true);
  });

  test.each([
    ['type: odd\n  rules: [b]\n  timespan: 1m', /"odd" is not known/],
    ['type: event_count\n  rules: [b]\n  timespan: 1m', /no condition/],
    ['type: event_count\n  rules: [b]\n  timespan: 1y\n  condition: {gte: 1}', /timespan "1y"/],
    ['type: event_count\n  rules: [b]\n  timespan: 1m\n  condition: {about: 1}', /"about" is not known/],
    ['type: event_count\n  rules: [b]\n  timespan: 1m\n  condition: {gte: many}', /takes a number/],
    ['type: value_count\n  rules: [b]\n  timespan: 1m\n  condition: {gte: 2}', /needs the field/],
    ['type: event_count\n  rules: [nobody]\n  timespan: 1m\n  condition: {gte: 1}', /"nobody", which is not loaded/],
    ['type: event_count\n  rules: [c]\n  timespan: 1m\n  condition: {gte: 1}', /leads back to itself/],
    ['type: event_count\n  timespan: 1m\n  condition: {gte: 1}', /names no rules/],
  ])('rejects %s', (body, reason) => {
    const { faults, correlations } = correlation(body);
    expect(correlations).toEqual([]);
    expect(faults[0]!.reason).toMatch(reason);
    expect(faults[0]!.line).toBeGreaterThanOrEqual(7);
  });
});
