/** Rules made of a search match what the search finds. */
import type { Kql } from '@parapet/contract/rules/kql/ast.ts';
import { matcher } from '@parapet/contract/rules/kql/match.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import { ruleOfSearch } from '@parapet/contract/rules/kql/sigma.ts';
import { compileRules } from '@parapet/sigma/matcher.ts';
import { loadRules } from '@parapet/sigma/rules.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const treeOf = (search: string): Kql => {
  const parsed = parseKql(search);
  if (!parsed.ok || !parsed.ast) throw new Error(`no search: ${search}`);
  return parsed.ast;
};
const textOf = (search: string, shape = 'winlogbeat') => ruleOfSearch(search, treeOf(search), shape);
const compiled = (search: string) => {
  const { rules, faults } = loadRules([{ file: 'rule.yml', text: textOf(search) ?? '' }]);
  expect(faults, textOf(search)).toEqual([]);
  return compileRules(rules);
};
const found = (search: string, document: Record<string, unknown>) =>
  matcher(treeOf(search))({
    at: '2026-11-25T10:00:00.000Z',
    receivedAt: '2026-11-25T10:00:01.000Z',
    shape: 'winlogbeat',
    deviceName: null,
    userName: null,
    text: '',
    document,
  });

const plain = [
  'alpha',
  'Alpha',
  'alphabet',
  'C:\\dir\\a.exe',
  'C:\\dir\\',
  "it's",
  'a*b',
  'axb',
  'a?b',
  '10',
  '10.0.0.7',
  '11.0.0.7',
];
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const values = fc.oneof(
  fc.constantFrom(...plain).map(quoted),
  fc.constantFrom('alpha*', '*alpha', '*dir*', 'a*b', 'C\\:\\\\dir\\\\*', '*', '10.0.0.0/8', '10'),
);
const fields = fc.constantFrom('process.name', 'process.args', 'source.ip', 'count');
const leaf = fc.oneof(
  fc.tuple(fields, values).map(([field, value]) => `${field}: ${value}`),
  fc.tuple(fc.constantFrom('>=', '>', '<=', '<'), fc.constantFrom(9, 10, 10.5)).map(([by, bound]) => `count ${by} ${bound}`),
);
const { search } = fc.letrec<{ search: string }>((tie) => ({
  search: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('search'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' and ')})`),
    fc.array(tie('search'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' or ')})`),
    tie('search').map((part) => `not ${part}`),
  ),
}));
const value = fc.constantFrom<unknown>(...plain, 10, 10.5, 9);
const document = fc.record(
  {
    process: fc.record({ name: value, args: fc.array(value, { minLength: 1, maxLength: 3 }) }, { requiredKeys: [] }),
    source: fc.record({ ip: value }),
    count: fc.constantFrom(8, 9, 10, 11, '10', 'many'),
  },
  { requiredKeys: [] },
);

describe('a rule of a search', () => {
  test('matches the events that the search finds, and no others', () => {
    let matched = 0;
    fc.assert(
      fc.property(search, fc.array(document, { minLength: 3, maxLength: 6 }), (text, documents) => {
        const rule = compiled(text);
        for (const each of documents) {
          const isFound = found(text, each);
          if (isFound) matched++;
          expect(rule.match(each).length === 1, `${textOf(text)}\n${JSON.stringify(each)}`).toBe(isFound);
        }
      }),
      { numRuns: 300 },
    );
    expect(matched).toBeGreaterThan(200);
  });

  test('reads words in any field, and prose by its parts', () => {
    const words = compiled('mimikatz and message: "failed password"');
    expect(words.match({ message: 'a failed password', process: { args: ['mimikatz'] } })).toHaveLength(1);
    expect(words.match({ message: 'a failed password' })).toHaveLength(0);
  });

  test('states one selection for each group, with the log source of the events', () => {
    expect(textOf('event.code: (4624 or 4625) and user: "bob" and not source.ip: 10.0.0.0/8 and device: ws-*', 'evtx')).toBe(
      `title: New rule
description: 'Events found by the search event.code: (4624 or 4625) and user: "bob" and not source.ip: 10.0.0.0/8 and device: ws-*'
status: experimental
author: ''
logsource:
  product: windows
detection:
  selection:
    'user.name': 'bob'
    'host.name': 'ws-*'
  selection_2:
    'event.code':
      - '4624'
      - '4625'
  selection_3:
    'source.ip|cidr': '10.0.0.0/8'
  condition: selection and selection_2 and not selection_3
falsepositives:
  - Unknown
level: medium
`,
    );
  });

  test('names what it leaves out, and is none of such conditions alone', () => {
    const text = textOf('event.code: 1 and @timestamp >= 2026-11-01 and winlog.*: x', 'unknown');
    expect(text).toContain('# Left out, because rules have no such condition: @timestamp >= 2026-11-01\n');
    expect(text).toContain('# Left out, because rules have no such condition: winlog.*: x\n');
    expect(text).toContain('# State the log source of these events.\n');
    expect(text).toContain('  condition: selection\n');
    expect(textOf('@timestamp >= 2026-11-01')).toBeUndefined();
  });

  test('keeps text of attackers within its line', () => {
    const text = textOf(`process.command_line: "x\nlevel: critical\n# '"`);
    const { rules, faults } = loadRules([{ file: 'rule.yml', text: text ?? '' }]);
    expect(faults).toEqual([]);
    expect(rules[0]).toMatchObject({ level: 'medium', title: 'New rule' });
  });
});
