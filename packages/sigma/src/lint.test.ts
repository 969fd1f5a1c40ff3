import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lint, lintCodes } from './lint.ts';
import { loadRules } from './rules.ts';
import { runTests, testsOf } from './ruleTests.ts';

const id = '0e6a4d0e-3a3b-4a55-8a8a-0b1f3a8f2c11';
const head = [
  'title: Failed Logon of Root',
  `id: ${id}`,
  'status: test',
  'description: A logon as root failed.',
  'date: 2026-11-20',
  'tags: [attack.credential-access, attack.t1110.001]',
  'logsource: {product: linux, service: auth}',
  'detection:',
  '  selection:',
  '    message|contains: Failed password for root',
  '  condition: selection',
  'falsepositives: [A mistyped password.]',
  'level: high',
];
const rule = (changes: Record<string, string | undefined> = {}) =>
  Object.entries(changes)
    .reduce<string[]>(
      (lines, [key, value]) => {
        const at = lines.findIndex((line) => line.startsWith(`${key}:`));
        if (at >= 0) lines.splice(at, key === 'detection' ? 4 : 1, ...(value === undefined ? [] : [`${key}: ${value}`]));
        else if (value !== undefined) lines.push(`${key}: ${value}`);
        return lines;
      },
      [...head],
    )
    .join('\n');
const load = (...texts: string[]) => loadRules(texts.map((text, index) => ({ file: `${index}.yml`, text })));
const codes = (...texts: string[]) => lint(load(...texts)).map(({ code }) => code);

describe('lint', () => {
  test('finds nothing in a rule that is written well', () => expect(codes(rule())).toEqual([]));

  test.each<[string, Record<string, string | undefined>]>([
    ['not-loaded', { detection: '{a: {b|nothing: 1}, condition: a}' }],
    ['missing-id', { id: undefined }],
    ['invalid-id', { id: 'rule-1' }],
    ['long-title', { title: 'x'.repeat(257) }],
    ['missing-description', { description: undefined }],
    ['missing-level', { level: 'severe' }],
    ['invalid-status', { status: 'production' }],
    ['invalid-date', { date: '2026-02-30' }],
    ['invalid-date', { date: 'yesterday' }],
    ['modified-before-date', { modified: '2026-11-19' }],
    ['invalid-tag', { tags: '[attack.t1110.001, attack.breaking-in]' }],
    ['invalid-tag', { tags: '[attack.t1110.001, linux]' }],
    ['invalid-tag', { tags: '[attack.t1110.001, __proto__.x, constructor.]' }],
    ['no-technique', { tags: '[attack.credential-access]' }],
    ['invalid-related', { related: `[{id: ${id}, type: twin}]` }],
    ['no-logsource', { logsource: '{definition: any}' }],
    ['unused-selection', { detection: '{a: {b: 1}, c: {d: 2}, condition: a}' }],
    ['repeated-value', { detection: '{a: {b: [one, ONE]}, condition: a}' }],
    ['surrounding-space', { detection: '{a: {b: "one "}, condition: a}' }],
    ['no-falsepositives', { falsepositives: undefined }],
    ['wildcard-for-modifier', { detection: '{a: {b: "*one*"}, condition: a}' }],
    ['idle-expression-end', { detection: '{a: {b|re: ".*one"}, condition: a}' }],
    ['matches-empty-event', { detection: '{a: {b: 1}, condition: not a}' }],
    ['missing-placeholder', { detection: '{a: {b|expand: "%names%"}, condition: a}' }],
    ['invalid-tests', { tests: '[{name: x}]' }],
  ])('%s: %j', (code, changes) => expect(codes(rule(changes))).toContain(code));

  test.each<[string, Record<string, string | undefined>]>([
    ['values of different case under cased', { detection: '{a: {b|cased: [one, ONE]}, condition: a}' }],
    ['a wildcard within a value', { detection: '{a: {b: "one*two"}, condition: a}' }],
    ['a lone wildcard', { detection: '{a: {b: "*"}, condition: a}' }],
    ['an escaped dot before a star', { detection: '{a: {b|re: "one\\\\.*"}, condition: a}' }],
    ['selections by pattern', { detection: '{a_1: {b: 1}, a_2: {c: 2}, condition: 1 of a_*}' }],
    ['tags of an organisation', { tags: '[attack.t1110, acme.tier-1]' }],
    ['slashes of Sigma 1', { date: '2026/11/20' }],
  ])('accepts %s', (_what, changes) => expect(codes(rule(changes))).toEqual([]));

  test('names the rules of the same id, and a correlation', () => {
    const burst = `title: Burst\nid: 1\ncorrelation: {type: event_count, rules: [${id}], group-by: [user.name], timespan: 5m, condition: {gte: 3}}`;
    expect(codes(rule(), rule())).toEqual(['duplicate-id']);
    expect(
      lint(load(rule(), burst))
        .filter(({ title }) => title === 'Burst')
        .map(({ code }) => code),
    ).toContain('invalid-id');
  });

  test('documents each code', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/rules.md'), 'utf8');
    for (const [code, [severity, meaning]] of Object.entries(lintCodes))
      expect(text).toContain(`| \`${code}\` | ${severity} | ${meaning} |`);
  });
});

describe('tests of rules', () => {
  const failed = '{message: "Failed password for root from 203.0.113.9"}';
  const withTests = (tests: string) => load(rule({ tests }));

  test('pass, and fail by name', () => {
    const loaded = withTests(`[{name: hit, matches: true, event: ${failed}}, {name: miss, matches: false, event: ${failed}}]`);
    expect(runTests(loaded)).toMatchObject({
      tests: 2,
      tested: 1,
      failures: [{ file: '0.yml', text: '“miss” fails: expected no match, found one.' }],
    });
  });

  test('run a correlation over its events in order', () => {
    const at = (minute: number) => `{"@timestamp": "2026-11-20T10:0${minute}:00Z", message: "Failed password for root", user: u}`;
    const burst = (events: string) =>
      `title: Burst\nid: 1\ncorrelation: {type: event_count, rules: [${id}], group-by: [user], timespan: 5m, condition: {gte: 3}}\ntests: [{name: three, matches: true, events: [${events}]}]`;
    expect(runTests(load(rule(), burst([at(0), at(1), at(2)].join())))).toMatchObject({ tests: 1, failures: [] });
    expect(runTests(load(rule(), burst([at(0), at(1)].join()))).failures).toHaveLength(1);
    expect(runTests(load(rule(), burst([at(0), at(1), at(9)].join()))).failures).toHaveLength(1);
  });

  test.each([
    ['{}', 'must be a list'],
    ['[5]', '“Test 1” must have “matches”'],
    ['[{name: a, matches: "yes", event: {}}]', '“a” must have “matches”'],
    ['[{name: a, matches: true}]', '“a” must have an “event”'],
    ['[{name: a, matches: true, events: []}]', '“a” must have an “event”'],
    ['[{name: a, matches: true, event: [1]}]', '“a” must have an “event”'],
    [`[${Array(101).fill('{matches: true, event: {}}').join()}]`, 'at most 100 tests'],
    [`[{matches: true, events: [${Array(1_001).fill('{}').join()}]}]`, 'at most 1000 events'],
  ])('%.40s is refused', (tests, reason) => {
    const loaded = withTests(tests);
    expect(() => testsOf(loaded.rules[0]!)).toThrow(reason);
    expect(runTests(loaded).failures[0]?.text).toContain(reason);
  });
});
