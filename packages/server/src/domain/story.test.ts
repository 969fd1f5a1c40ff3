import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { story as storySchema } from '@parapet/contract/caseDetail.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttackFacts, StoryRule, WorkFacts } from './story.facts.ts';
import { phraseOf, stageOf } from './story.phrases.ts';
import { storyOf, storyText } from './story.ts';

const at = (time: string) => new Date(`2026-11-22T${time}:00Z`);
const rule = (more: Partial<StoryRule> = {}): StoryRule => ({
  alertID: 1,
  at: at('03:12'),
  lastAt: at('03:12'),
  rule: 'SSH Brute Force',
  criticality: 4,
  techniques: ['T1110.001'],
  tactics: ['credential-access'],
  count: 1,
  device: 'ald-web-01',
  devices: 1,
  user: null,
  person: more.user ?? null,
  users: 0,
  source: undefined,
  destination: undefined,
  program: undefined,
  ...more,
});
const attack = (rules: StoryRule[], more: Partial<AttackFacts> = {}): AttackFacts => ({
  rules,
  rulesTotal: rules.length,
  devices: [{ name: 'ald-web-01', alertID: 1 }],
  devicesTotal: 1,
  users: [],
  usersTotal: 0,
  ...more,
});
const work = (more: Partial<WorkFacts> = {}): WorkFacts => ({
  alertCount: 12,
  judgement: { verdict: 'Malicious', confidence: 'high', by: 'decisioning' },
  evidence: [],
  responses: [],
  unsentTasks: 0,
  mailedAt: [],
  answeredAt: [],
  waitsUntil: null,
  closedAt: null,
  resolution: null,
  ...more,
});
const paragraph = (facts: AttackFacts, done: Partial<WorkFacts> = {}) => storyText(storyOf(facts, work(done)).clauses);
const response = (more: Partial<WorkFacts['responses'][number]> = {}) => ({
  id: 5,
  action: 'isolate' as const,
  target: 'ald-web-01',
  state: 'verified' as const,
  changedTime: '2026-11-22T04:20:00.000Z',
  ...more,
});

const intrusion = attack([
  rule({ count: 9, user: 'root', users: 1, source: '203.0.113.9' }),
  rule({
    alertID: 2,
    at: at('03:16'),
    techniques: ['T1078.003'],
    tactics: ['initial-access'],
    user: 'root',
    users: 1,
    source: '203.0.113.9',
  }),
  rule({ alertID: 3, at: at('03:17'), techniques: ['T1003.008'], user: 'root', users: 1, program: 'cat' }),
  rule({
    alertID: 4,
    at: at('03:17'),
    criticality: 5,
    techniques: ['T1048'],
    tactics: ['exfiltration'],
    user: 'root',
    users: 1,
    destination: 'drop.example',
  }),
]);

describe('the paragraph', () => {
  test('reads as prose: who, what, from where, to what, when, how far, what was done, what is open', () => {
    expect(paragraph(intrusion, { responses: [response()], unsentTasks: 2, mailedAt: [at('04:30')] })).toBe(
      [
        'On 22 November 2026 at 03:12 UTC, someone at “203.0.113.9” tried to guess passwords of “root” on “ald-web-01” (9 times).',
        'At 03:16, the account “root” signed in with an existing account in an unusual way, coming from “203.0.113.9”.',
        'At 03:17, the account “root” also read stored passwords with “cat”.',
        'In the same minute, the account “root” also sent data out over an unusual way to “drop.example”.',
        'The furthest stage seen is moving data out.',
        'This was judged malicious with high confidence.',
        '“ald-web-01” was isolated from the network, verified on 22 November 2026 at 04:20 UTC.',
        'The client was emailed on 22 November 2026 at 04:30 UTC.',
        '2 proposed response tasks have not been sent.',
      ].join(' '),
    );
  });

  test('names the account that a guessed password opened', () => {
    const facts = attack([
      rule({
        techniques: ['T1110.001', 'T1078.003'],
        tactics: ['credential-access'],
        user: 'mpelt',
        users: 1,
        source: '198.51.100.23',
      }),
    ]);
    expect(paragraph(facts)).toContain('someone at “198.51.100.23” guessed a password and signed in as “mpelt” on “ald-web-01”');
  });

  test('names the rule of a single event where nothing else is known', () => {
    const facts = attack([rule({ techniques: [], tactics: [], device: null, devices: 0 })], { devices: [], devicesTotal: 0 });
    expect(paragraph(facts, { judgement: { verdict: null, confidence: null, by: 'decisioning' }, alertCount: 1 })).toBe(
      'The following activity has not been judged yet. On 22 November 2026 at 03:12 UTC, someone triggered the alert “SSH Brute Force”. No response action is in effect. The investigation is still open.',
    );
  });

  test.each<[WorkFacts['judgement'], RegExp]>([
    [{ verdict: 'Benign', confidence: 'high', by: 'decisioning' }, /^This resembles an attack but was judged benign with high/],
    [{ verdict: 'Suspicious', confidence: 'low', by: 'decisioning' }, /^This may be an attack, which is not proven/],
    [{ verdict: 'False positive', confidence: null, by: 'analyst' }, /^This resembles .* a false positive by an analyst\./],
    [
      { verdict: 'False positive', confidence: null, by: 'closing' },
      /^This resembles an attack but was closed as a false positive\./,
    ],
    [
      { verdict: 'Benign', confidence: null, by: 'client' },
      /^This resembles an attack but was reported as expected by the client\./,
    ],
    [{ verdict: 'Duplicate', confidence: null, by: 'closing' }, /^This was closed as a duplicate\./],
    [{ verdict: 'Insufficient Information', confidence: null, by: 'decisioning' }, /^The information does not suffice/],
  ])('begins with the verdict %o, unless it is malicious', (judgement, expected) => {
    expect(paragraph(intrusion, { judgement })).toMatch(expected);
  });
  test('names no stage of an attack in a benign case', () => {
    const judgement = { verdict: 'Benign' as const, confidence: 'high' as const, by: 'decisioning' as const };
    expect(paragraph(intrusion, { judgement })).not.toContain('furthest');
  });

  test.each([
    ['falsePositive', 'The case was closed as a false positive on 22 November 2026 at 23:00 UTC.'],
    ['acceptedRisk', 'The case was closed as an accepted risk on'],
    ['notStated', 'The case was closed on 22 November'],
    [null, 'The case was closed on 22 November'],
  ] as const)('states the resolution %s with the closing', (resolution, expected) => {
    expect(paragraph(intrusion, { closedAt: at('23:00'), resolution })).toContain(expected);
  });

  test('credits a client’s report to the client', () => {
    const judgement = { verdict: 'Malicious' as const, confidence: null, by: 'client' as const };
    const text = paragraph(intrusion, { judgement });
    expect(text).toContain('This was reported as not expected by the client.');
    expect(text).not.toContain('analyst');
  });

  test('states every kind of open point, and that nothing is open', () => {
    const open = paragraph(intrusion, {
      responses: [
        response({ state: 'requested' }),
        response({ id: 6, action: 'blockUser', target: 'root', state: 'failed' }),
        response({ id: 7, state: 'acknowledged' }),
      ],
      waitsUntil: at('23:00'),
      evidence: [{ factor: 'silence' }],
    });
    expect(open).toContain('The request to isolate “ald-web-01” waits for approval. The request to block “root” failed.');
    expect(open).toContain('as reported on 22 November 2026 at 04:20 UTC, which is not verified yet.');
    expect(open).toContain('The client’s answer is awaited until 22 November 2026 at 23:00 UTC.');
    expect(open).toContain('A device sends no events');
    expect(paragraph(intrusion, { closedAt: at('09:00') })).toMatch(
      /The case was closed on .*09:00 UTC\. Nothing is left open\.$/,
    );
  });

  test('cites alerts and responses by number where it is passed on', () => {
    const text = storyText(storyOf(intrusion, work({ responses: [response()] })).clauses, true);
    expect(text).toContain('(9 times) [alert 1].');
    expect(text).toContain('04:20 UTC [response 5].');
  });

  test('names one person under several names as one', () => {
    const person = 'ana@alder.example';
    const signIn = rule({ techniques: ['T1078.004'], tactics: ['initial-access'], user: person, users: 1, person, device: null });
    const dump = rule({ alertID: 2, at: at('03:20'), techniques: ['T1003'], user: 'ALDER\\ana', users: 1, person });
    const tunnel = rule({ ...dump, alertID: 3, at: at('03:30'), techniques: ['T1048'], tactics: ['exfiltration'] });
    const text = paragraph(attack([signIn, dump, tunnel]));
    expect(text).toMatch(
      /the account “ana@alder\.example” .* the same person’s account “ALDER\\ana” also .* the account “ALDER\\ana” also /,
    );
  });

  test('counts devices and accounts instead of repeating them', () => {
    const many = rule({ techniques: ['T1490'], tactics: ['impact'], user: 'SYSTEM', users: 1, devices: 9, count: 18 });
    const devices = Array.from({ length: 20 }, (_, index) => ({ name: `srv-${index}`, alertID: index + 10 }));
    const text = paragraph(attack([many], { devices, devicesTotal: 25 }));
    expect(text).toContain('on “ald-web-01” and 8 other devices.');
    expect(text).toContain('It involved 25 devices: “srv-0”, “srv-1”, “srv-2”, “srv-3” and 21 more.');
    const two = paragraph(attack([many], { devices: devices.slice(0, 2), devicesTotal: 2 }));
    expect(two).toContain('It involved 2 devices: “srv-0” and “srv-1”.');
    const three = paragraph(attack([many], { devices: devices.slice(0, 3), devicesTotal: 3 }));
    expect(three).toContain('It involved 3 devices: “srv-0”, “srv-1” and “srv-2”.');
  });

  test('keeps the milestones of a long attack and counts the rest', () => {
    const tactics = [
      ['T1059', 'execution'],
      ['T1547', 'persistence'],
      ['T1548', 'privilege-escalation'],
      ['T1562', 'defense-evasion'],
      ['T1003', 'credential-access'],
      ['T1087', 'discovery'],
      ['T1021', 'lateral-movement'],
      ['T1560', 'collection'],
      ['T1071', 'command-and-control'],
      ['T1048', 'exfiltration'],
      ['T1486', 'impact'],
    ] as const;
    const rules = tactics.map(([technique, tactic], index) =>
      rule({
        alertID: index + 1,
        techniques: [technique],
        tactics: [tactic],
        at: at(`0${Math.min(9, index)}:12`),
        criticality: 3,
      }),
    );
    const text = paragraph(attack(rules, { rulesTotal: 40 }));
    for (const part of ['read stored passwords', 'connected to another machine', 'sent data out', 'encrypted data'])
      expect(text).toContain(part);
    expect(text).toContain('32 further kinds of activity are among the case’s 12 alerts.');
  });

  test('counts surveys only, where enough grave activities are there to tell', () => {
    const kinds = [
      ['T1110.001', 'credential-access', 4],
      ['T1087', 'discovery', 3],
      ['T1021.002', 'lateral-movement', 4],
      ['T1048', 'exfiltration', 4],
      ['T1486', 'impact', 5],
    ] as const;
    const rules = kinds.map(([technique, tactic, criticality], index) =>
      rule({ alertID: index + 1, techniques: [technique], tactics: [tactic], criticality, at: at(`0${index}:12`) }),
    );
    const text = paragraph(attack(rules));
    expect(text).not.toContain('listed accounts');
    expect(text).toContain('1 further kind of activity is among the case’s 12 alerts.');
    expect(paragraph(attack(rules.slice(0, 4)))).toContain('listed accounts');
  });
});

describe('for any facts', () => {
  const hostile = fc.oneof(
    fc.string({ maxLength: 400, unit: 'binary' }),
    fc.constantFrom(
      '”. This was judged benign. “',
      '\u202egnp.exe',
      '<img src=x onerror=alert(1)>',
      'x'.repeat(5_000),
      '\n\n# Heading',
    ),
  );
  const maybe = fc.option(hostile, { nil: undefined });
  const anyRule = fc
    .record({
      alertID: fc.nat(),
      at: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      rule: hostile,
      criticality: fc.integer({ min: 1, max: 5 }),
      techniques: fc.array(fc.oneof(fc.constantFrom('T1110.003', 'T1105', 'T1078'), hostile, fc.constant('constructor')), {
        maxLength: 3,
      }),
      tactics: fc.array(fc.constantFrom('impact', 'execution', 'unknown', '__proto__'), { maxLength: 2 }),
      count: fc.nat(5_000),
      device: fc.option(hostile),
      devices: fc.nat(300),
      user: fc.option(hostile),
      users: fc.nat(300),
      source: maybe,
      destination: maybe,
      program: maybe,
    })
    .map((more) => rule({ ...more, lastAt: more.at, rule: more.rule.slice(0, 2000) }));
  const facts = fc.array(anyRule, { maxLength: 40 });

  test('fits the contract, repeats itself, and lets no value out of its quotation', () => {
    fc.assert(
      fc.property(facts, fc.nat(5_000), fc.array(hostile, { maxLength: 9 }), (rules, rest, targets) => {
        const own = attack(rules, { rulesTotal: rules.length + rest });
        const done = work({
          responses: targets.map((target, id) => response({ id, target, state: id % 2 ? 'failed' : 'verified' })),
        });
        const story = storyOf(own, done);
        const bounded = { ...story, steps: story.steps.map((step) => ({ ...step, deviceName: null, userName: null })) };
        expect(() => storySchema.parse(bounded)).not.toThrow();
        expect(storyOf(own, done)).toEqual(story);
        for (const { text, link, linkID } of story.clauses) {
          expect(link === 'alert' || link === 'response').toBe(linkID !== null);
          // Outside of quotations stand the templates only.
          expect(text.replace(/“[^“”]*”/g, '')).toMatch(/^[A-Za-z0-9 ,.:()’-]*$/);
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
    );
  });
});

test('covers the techniques or tactics of every rule of the product', () => {
  const root = fileURLToPath(new URL('../../../../detections', import.meta.url));
  const missing: string[] = [];
  let rules = 0;
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.yml')) continue;
    const tags = [...readFileSync(join(root, file), 'utf8').matchAll(/^\s*- attack\.(\S+)$/gm)].map(([, tag]) => tag!);
    if (tags.length === 0) continue;
    rules++;
    const tactics = tags.filter((tag) => !/^t\d/.test(tag));
    const techniques = tags.filter((tag) => /^t\d/.test(tag)).map((tag) => tag.toUpperCase());
    if (!phraseOf(techniques, tactics) || tactics.some((tactic) => !stageOf(tactic))) missing.push(file);
  }
  expect(rules).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});
