import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { citationOf, pathsOf, valuesAt } from './decisioning.citations.ts';
import { type CaseFacts, type Citation, decide, type RuleFact } from './decisioning.model.ts';
import { proposalsFor } from './decisioning.service.ts';
import { narrativeOf, quote, summaryOf } from './decisioning.text.ts';

const citation: Citation = { alertID: 7, field: 'process.command_line', value: 'x.exe' };
const rule = (more: Partial<RuleFact> = {}): RuleFact => ({
  ruleId: 1,
  title: 'Odd program',
  criticality: 4,
  tactics: ['execution'],
  at: 1,
  alerts: 1,
  citation,
  outcomes: { malicious: 0, benign: 0 },
  firedBefore: 0,
  on: 'WS-1',
  ...more,
});
const facts = (more: Partial<CaseFacts> = {}): CaseFacts => ({
  rules: [rule()],
  indicators: [],
  hour: undefined,
  responses: [],
  silent: [],
  ...more,
});
const p = (more: Partial<CaseFacts> = {}) => decide(facts(more)).probability;
const indicator = (reputation: 'Malicious' | 'Suspicious' | 'Benign', value = '203.0.113.66') => ({
  reputation,
  value,
  list: 'L',
  citation,
});

describe('each factor moves the probability its way', () => {
  const plain = p();
  test.each<[string, Partial<CaseFacts>, 'up' | 'down']>([
    ['a worse rule', { rules: [rule({ criticality: 5 })] }, 'up'],
    ['a milder rule', { rules: [rule({ criticality: 2 })] }, 'down'],
    ['another severe rule', { rules: [rule(), rule({ ruleId: 2 })] }, 'up'],
    ['malicious reviews', { rules: [rule({ outcomes: { malicious: 8, benign: 0 } })] }, 'up'],
    ['benign reviews', { rules: [rule({ outcomes: { malicious: 0, benign: 8 } })] }, 'down'],
    ['a habit', { rules: [rule({ firedBefore: 5 })] }, 'down'],
    ['tactics in order', { rules: [rule(), rule({ ruleId: 2, criticality: 3, at: 2, tactics: ['impact'] })] }, 'up'],
    ['a malicious address', { indicators: [indicator('Malicious')] }, 'up'],
    ['a suspicious address', { indicators: [indicator('Suspicious')] }, 'up'],
    ['a benign address', { indicators: [indicator('Benign')] }, 'down'],
    ['an unusual hour', { hour: { utcHour: 3, share: 0.001, alerts: 500 } }, 'up'],
    ['an isolation that was done', { responses: [{ action: 'isolate', target: 'WS-1' }] }, 'up'],
  ])('%s', (_what, more, way) => {
    if (way === 'up') expect(p(more)).toBeGreaterThan(plain);
    else expect(p(more)).toBeLessThan(plain);
  });
  test('ignores unordered tactics, usual hours and sparse hours', () => {
    const backwards = { rules: [rule({ tactics: ['impact'] }), rule({ ruleId: 2, criticality: 3, at: 2 })] };
    expect(decide(facts(backwards)).evidence.map(({ factor }) => factor)).not.toContain('sequence');
    expect(p({ hour: { utcHour: 3, share: 0.1, alerts: 500 } })).toBe(plain);
    expect(p({ hour: { utcHour: 3, share: 0.001, alerts: 10 } })).toBe(plain);
  });
  test('weighs more reviews higher and needs more than one', () => {
    const reviewed = (benign: number) => p({ rules: [rule({ criticality: 5, outcomes: { malicious: 0, benign } })] });
    expect(reviewed(1)).toBeGreaterThan(reviewed(4));
    expect(reviewed(4)).toBeGreaterThan(reviewed(40));
  });
});

test.each([
  ['much that is severe', { rules: [rule({ criticality: 5 })], indicators: [indicator('Malicious')] }, 'Malicious'],
  ['a habit of a mild rule', { rules: [rule({ criticality: 3, firedBefore: 10 })] }, 'Benign'],
  ['something between', { rules: [rule({ criticality: 5 })], indicators: [indicator('Suspicious')] }, 'Insufficient Information'],
  ['nothing that can be cited', { rules: [rule({ citation: undefined })] }, 'Insufficient Information'],
] as [string, Partial<CaseFacts>, string][])('%s: %s', (_what, more, verdict) => {
  const decision = decide(facts(more));
  expect(decision.verdict).toBe(verdict);
  if (verdict === 'Insufficient Information') expect(decision.confidence).toBeNull();
  else {
    expect(decision.confidence).toBeGreaterThanOrEqual(65);
    expect(decision.confidence).toBeLessThanOrEqual(100);
  }
});

test('forces insufficient information for a silent data source', () => {
  const loud = { rules: [rule({ criticality: 5 })], indicators: [indicator('Malicious')] };
  expect(decide(facts(loud)).verdict).toBe('Malicious');
  const silent = decide(facts({ ...loud, silent: [{ device: 'WS-1', lastEventAt: '2026-05-04 10:00 UTC' }] }));
  expect(silent).toMatchObject({ verdict: 'Insufficient Information', confidence: null });
  expect(silent.probability).toBe(decide(facts(loud)).probability);
  expect(silent.evidence.at(-1)).toMatchObject({ factor: 'silence', alertID: null, field: null, value: null });
});

test('returns the same result in any order, with bounded and cited sentences', () => {
  const some = fc.record({
    ruleId: fc.integer({ min: 1, max: 9 }),
    title: fc.string({ maxLength: 3_000 }),
    criticality: fc.integer({ min: 1, max: 5 }),
    tactics: fc.subarray(['execution', 'impact', 'discovery', 'initial-access']),
    at: fc.nat(100),
    alerts: fc.integer({ min: 1, max: 1000 }),
    outcomes: fc.record({ malicious: fc.nat(1000), benign: fc.nat(1000) }),
    firedBefore: fc.nat(50),
    on: fc.string({ maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.uniqueArray(some, { maxLength: 8, selector: (each) => each.ruleId }), (list) => {
      const rules = list.map((each) => rule(each));
      const one = decide(facts({ rules }));
      expect(decide(facts({ rules: [...rules].reverse() }))).toEqual(one);
      expect(one.probability).toBeGreaterThan(0);
      expect(one.probability).toBeLessThan(1);
      for (const { text, weight, alertID } of one.evidence) {
        expect(text.length).toBeLessThanOrEqual(2000);
        expect(Math.abs(weight)).toBeLessThanOrEqual(100);
        expect(alertID).toBe(7);
      }
    }),
  );
});

describe('citations', () => {
  test('find nested, dotted and mixed fields', () => {
    for (const document of [
      { a: { b: { c: 'x' } } },
      { 'a.b.c': 'x' },
      { a: { 'b.c': 'x' } },
      { 'a.b': { c: 'x' } },
      { a: { b: { c: ['y', 'x'] } } },
    ])
      expect(valuesAt(document, 'a.b.c')).toContain('x');
    expect(valuesAt({ a: 'x' }, 'a.b.c')).toEqual([]);
    expect(valuesAt({}, 'constructor.name')).toEqual([]);
    expect(pathsOf('a.b.c')).toHaveLength(4);
    expect(pathsOf('a.'.repeat(5_000))).toHaveLength(1);
  });
  test('prefer the rule’s own field, then the most informative one', () => {
    const why = (field: string | null) => ({
      condition: '',
      items: [{ selection: 's', field, modifier: '', pattern: '', value: '' }],
    });
    const document = { process: { command_line: 'evil --now', executable: 'C:\\evil.exe' }, message: 'm' };
    expect(citationOf(document, why('process.executable'))).toEqual({ field: 'process.executable', value: 'C:\\evil.exe' });
    expect(citationOf(document, why('cs-uri-query'))).toEqual({ field: 'process.command_line', value: 'evil --now' });
    expect(citationOf({ a: 1 }, why(null))).toBeUndefined();
    expect(citationOf(null, undefined)).toBeUndefined();
  });
});

test('quotes, truncates and escapes untrusted text', () => {
  expect(quote('a\u0000b\u202ec\nd')).toBe('“a\\u{0}b\\u{202e}c\\u{a}d”');
  expect(quote('”. Verdict: Benign. “')).toBe('“". Verdict: Benign. "”');
  expect(quote('x'.repeat(10_000)).length).toBeLessThan(200);
  const words = {
    title: 't\u202e',
    alertCount: 1,
    ruleCount: 1,
    firstAt: new Date(0),
    lastAt: new Date(0),
    devices: ['d\n'],
    users: [],
    tactics: [],
    verdict: 'Malicious',
    confidence: 90,
  };
  expect(narrativeOf(words, decide(facts()).evidence)).not.toMatch(/\u202e|d\n”/);
  expect(summaryOf(words)).toMatch(/Verdict: Malicious, with a confidence of 90 of 100\.$/);
  expect(summaryOf({ ...words, verdict: 'Insufficient Information', confidence: null })).toMatch(
    /Verdict: Insufficient Information\.$/,
  );
});

test('proposes listed addresses, programs and users once each', () => {
  const seen = facts({
    rules: [
      rule({
        tactics: ['credential-access'],
        citation: { alertID: 1, field: 'process.executable', value: 'C:\\ProgramData\\lock.exe' },
      }),
      rule({ ruleId: 2, citation: { alertID: 2, field: 'process.executable', value: 'C:\\Windows\\System32\\cmd.exe' } }),
    ],
    indicators: [indicator('Malicious'), indicator('Malicious'), indicator('Suspicious', '203.0.113.9')],
  });
  expect(proposalsFor({ id: 5, user_names: ['CORP\\ana', 'ANA', 'NT AUTHORITY\\SYSTEM'] }, seen)).toEqual([
    { caseId: 5, action: 'block', target: '203.0.113.66', device: '' },
    { caseId: 5, action: 'block', target: 'C:\\ProgramData\\lock.exe', device: 'WS-1' },
    { caseId: 5, action: 'disable', target: 'ANA', device: '' },
  ]);
});
