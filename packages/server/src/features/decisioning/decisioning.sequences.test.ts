import { describe, expect, test } from 'vitest';
import { sampleFacts as facts, sampleRule as rule } from '../../../test/decisioning.samples.ts';
import { decide } from './decisioning.model.ts';
import { matchSequence, sequences } from './decisioning.sequences.ts';
import type { RuleFact } from './decisioning.types.ts';

const guessed = sequences.find(({ id }) => id === 'guessed')!;
const cite = (value: string) => ({ citation: { alertID: 7, field: 'message', value } });
const base = (number: number, more: Partial<RuleFact>) =>
  rule({ ruleId: number, at: number, lastAt: number, devices: ['web01'], tactics: [], category: 'Other', ...more });
const failed = base(1, {
  title: 'SSH Brute Force',
  techniques: ['T1110.001'],
  tactics: ['credential-access'],
  criticality: 3,
  ...cite('Failed password for root'),
});
const success = base(2, {
  title: 'Root Logged On by SSH with a Password',
  techniques: ['T1078.003'],
  tactics: ['initial-access'],
  criticality: 3,
  ...cite('Accepted password for root'),
});
const shell = base(3, {
  title: 'Root Shell Opened with Sudo',
  techniques: ['T1548.003'],
  tactics: ['privilege-escalation'],
  criticality: 3,
  ...cite('COMMAND=/bin/bash'),
});
const shadow = base(4, {
  title: 'Password File Read with Sudo',
  techniques: ['T1003.008'],
  tactics: ['credential-access'],
  ...cite('COMMAND=/usr/bin/cat /etc/shadow'),
});
const names = (rules: readonly RuleFact[]) => matchSequence(guessed, rules).map(({ name }) => name);

describe('a sequence', () => {
  test('orders its steps by time', () => {
    expect(names([failed, success, shell, shadow])).toEqual([
      'failed sign-ins',
      'a sign-in',
      'greater rights',
      'credentials taken',
    ]);
    expect(names([failed, success, shadow])).toEqual(['failed sign-ins', 'a sign-in', 'credentials taken']);
  });
  test('ignores steps before the one that they follow', () => {
    expect(names([{ ...success, at: 0, lastAt: 0 }, failed, shell])).toEqual([]);
    expect(names([failed, { ...success, at: 0, lastAt: 9 }])).toEqual(['failed sign-ins', 'a sign-in']);
  });
  test('needs a shared device, user or address', () => {
    expect(names([failed, { ...success, devices: ['db01'] }])).toEqual([]);
    expect(
      names([
        { ...failed, addresses: ['203.0.113.9'] },
        { ...success, devices: ['db01'], addresses: ['203.0.113.9'] },
      ]),
    ).toHaveLength(2);
  });
  test('counts one rule once, but a correlation of failures with a success as both', () => {
    const both = { techniques: ['T1110.001', 'T1078.003'], title: 'SSH Logon Succeeded after Brute Force' };
    expect(names([{ ...failed, ...both }])).toEqual([]);
    expect(names([{ ...failed, ...both, isOrdered: true }])).toEqual([]);
    expect(names([{ ...failed, ...both, isOrdered: true }, shadow])).toEqual([
      'failed sign-ins',
      'a sign-in',
      'credentials taken',
    ]);
  });
  test('takes two rules for the steps rather than the worse one twice', () => {
    const carried = { techniques: ['T1021.002', 'T1570'], criticality: 3, at: 1, event: 'written' };
    const run = { techniques: ['T1021.002', 'T1569.002'], criticality: 4, at: 2, lastAt: 2, event: 'started', isOrdered: true };
    const steps = matchSequence(sequences.find(({ id }) => id === 'carried')!, [rule(carried), rule({ ruleId: 2, ...run })]);
    expect(steps.map(({ rule: { event } }) => event)).toEqual(['written', 'started']);
  });
  test('counts two records of one technique as no two steps', () => {
    const line = base(1, { techniques: ['T1059.001'], tactics: ['execution'], criticality: 4, ...cite('iex (irm a.example)') });
    const script = base(2, { ...line, ruleId: 2, at: 2, lastAt: 2, event: 'script block', tactics: ['command-and-control'] });
    const inOrder = (second: RuleFact) =>
      decide(facts({ rules: [line, second] })).evidence.some(({ factor }) => factor === 'sequence');
    expect(inOrder(script)).toBe(false);
    expect(inOrder({ ...script, techniques: ['T1105'] })).toBe(true);
  });
  test('weighs more than its parts and quotes each step', () => {
    const whole = decide(facts({ rules: [failed, success, shell, shadow] }));
    const apart = decide(
      facts({ rules: [failed, success, shell, shadow].map((each, index) => ({ ...each, devices: [`h${index}`] })) }),
    );
    expect(whole.probability).toBeGreaterThan(apart.probability);
    expect(whole.verdict).toBe('Malicious');
    const sentences = whole.evidence.filter(({ text }) => /^Step \d of 4|4 steps in order/.test(text));
    expect(sentences.map(({ value }) => value)).toEqual([failed, success, shell, shadow].map(({ citation }) => citation!.value));
    for (const { text, value } of sentences) expect(text).toContain(value);
  });
  test('declares its steps, needed ones among them', () => {
    for (const { steps, needs, name } of sequences) {
      expect(steps.length, name).toBeGreaterThanOrEqual(3);
      expect(needs.length, name).toBeGreaterThan(0);
      for (const index of needs) expect(steps[index], name).toBeDefined();
    }
  });
});

test('counts the tactics that it names, in ATT&CK’s order', () => {
  const rules = [
    rule({ ruleId: 1, at: 1, tactics: ['initial-access', 'persistence'] }),
    rule({ ruleId: 2, at: 2, tactics: ['discovery', 'execution'], techniques: ['T1082'] }),
    rule({ ruleId: 3, at: 3, tactics: ['execution'], techniques: ['T1059'] }),
    rule({ ruleId: 4, at: 4, tactics: ['impact'], techniques: ['T1490'] }),
  ];
  const { evidence } = decide(facts({ rules }));
  const { text } = evidence.find((each) => each.text.includes('tactics follow'))!;
  const [, number, list] = /^(\d+) tactics follow each other in ATT&CK’s order: ([^;]+);/.exec(text)!;
  expect(list!.split(', ')).toHaveLength(Number(number));
  expect(text).toContain('Initial Access');
  expect(text).toContain('Impact');
  const backwards = [
    rule({ at: 1, tactics: ['impact'] }),
    rule({ ruleId: 2, at: 2, tactics: ['execution'] }),
    rule({ ruleId: 3, at: 3, tactics: ['initial-access'] }),
  ];
  expect(decide(facts({ rules: backwards })).evidence.some((each) => each.text.includes('tactics follow'))).toBe(false);
});
