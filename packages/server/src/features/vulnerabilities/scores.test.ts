import { describe, expect, test } from 'vitest';
import { type CategoryInputs, categoriesOf } from './categories.ts';
import { cvssOf, severityOfLabel, severityOfScore } from './cvss.ts';
import { listeningOf, priorityOf, weights } from './priority.ts';

describe('CVSS', () => {
  // nvd.nist.gov and FIRST's own examples.
  test.each([
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
    ['CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 7.8],
    ['CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H', 8.1],
    ['CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:L', 1.6],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
    ['CVSS:4.0/AV:L/AC:L/AT:P/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 9.3],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U/RL:O', 9.8],
    ['AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
    ['AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
    ['(AV:L/AC:H/Au:N/C:C/I:C/A:C)', 6.2],
    ['AV:N/AC:M/Au:N/C:P/I:P/A:P', 6.8],
  ])('%s is %d', (vector, score) => {
    expect(cvssOf(vector)).toBe(score);
  });
  test.each([
    '',
    'CVSS:3.1/AV:N',
    'CVSS:4.0/AV:N/AC:L',
    'CVSS:5.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    'AV:N/AC:L',
    'constructor',
    'CVSS:3.1/AV:__proto__/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'x'.repeat(10_000),
  ])('returns no score for %s', (vector) => {
    expect(cvssOf(vector)).toBeUndefined();
  });
  test('derives severities from scores and labels', () => {
    expect([9, 8.9, 7, 6.9, 4, 3.9, 0.1, 0].map(severityOfScore)).toEqual([
      'critical',
      'high',
      'high',
      'medium',
      'medium',
      'low',
      'low',
      'informational',
    ]);
    expect([severityOfLabel('Important'), severityOfLabel('constructor'), severityOfLabel(7)]).toEqual([
      'high',
      undefined,
      undefined,
    ]);
  });
});

describe('priority', () => {
  const plain = { severity: 'high' as const, cvss: 10, epss: 1, isKnownExploited: true, packages: ['openssh'] };
  test('reaches 100, with reasons that add up', () => {
    const { priority, reasons } = priorityOf(plain, { deviceType: 'server', listening: new Set(['sshd']) });
    expect(priority).toBe(100);
    expect(reasons.map((reason) => Number(/\+(\d+)$/.exec(reason)?.[1])).reduce((a, b) => a + b)).toBe(100);
    expect(Object.values<number>(weights).reduce((a, b) => a + b)).toBe(100);
  });
  test('rises with each factor', () => {
    const base = { severity: 'low' as const, cvss: 3, epss: null, isKnownExploited: false, packages: ['p'] };
    const bare = { deviceType: 'workstation' as const, listening: undefined };
    const of = (weighed: object, exposure: object = {}) => priorityOf({ ...base, ...weighed }, { ...bare, ...exposure }).priority;
    expect(of({})).toBe(9);
    expect(of({ isKnownExploited: true })).toBe(39);
    expect(of({ epss: 0.25 })).toBe(22);
    expect(of({ cvss: 9 })).toBe(27);
    expect(of({ cvss: null, severity: 'critical' })).toBe(29);
    expect(of({}, { deviceType: 'server' })).toBe(14);
    expect(of({}, { listening: new Set(['other']) })).toBe(14);
    expect(of({ packages: ['p', 'nginx'] }, { listening: new Set(['nginx']) })).toBe(19);
    expect(of({}, { listening: new Set() })).toBe(9);
  });
  test('ignores services that listen on loopback only', () => {
    expect(
      listeningOf([
        { address: '127.0.0.1', process: 'a' },
        { address: '::1', process: 'b' },
        { address: '0.0.0.0', process: 'c' },
        {},
      ]),
    ).toEqual(new Set(['c', '']));
    expect(listeningOf(undefined)).toBeUndefined();
  });
});

describe('the ten categories', () => {
  const none = { liveRules: 0, alerts: [] };
  const empty: CategoryInputs = {
    endpoints: 0,
    reporting: 0,
    deviceScores: undefined,
    languageScores: undefined,
    patching: { total: 0, inTime: 0 },
    listening: { devices: 0, risky: 0 },
    lists: 0,
    addresses: { malicious: 0, suspicious: 0 },
    files: { malicious: 0, suspicious: 0 },
    devices: 0,
    network: none,
    dns: none,
    phishing: none,
    leaks: none,
  };
  const of = (inputs: Partial<CategoryInputs>) => {
    const { score, categories } = categoriesOf({ ...empty, ...inputs });
    return { score, ...Object.fromEntries(categories.map((each) => [each.name, each.score])) } as Record<string, number | null>;
  };

  test('match manually computed figures', () => {
    expect(of({ endpoints: 10, reporting: 8 })['Endpoint Security']).toBe(80);
    expect(of({ endpoints: 10, reporting: 8, deviceScores: { devices: 5, mean: 40 } })['Endpoint Security']).toBe(60);
    expect(of({ patching: { total: 4, inTime: 3 } })['Patching Cadence']).toBe(75);
    expect(of({ languageScores: { devices: 2, mean: 33.4 } })['Application Security']).toBe(33);
    expect(of({ listening: { devices: 2, risky: 3 } })['Network Security']).toBe(70);
    // 100 − 25 × (1 + 1) − 5 × (1 + 0).
    const alerts = [
      { criticality: 5, count: 10 },
      { criticality: 3, count: 1 },
    ];
    expect(of({ network: { liveRules: 2, alerts } })['Network Security']).toBe(45);
    expect(of({ listening: { devices: 1, risky: 0 }, network: { liveRules: 2, alerts } })['Network Security']).toBe(73);
    expect(of({ dns: { liveRules: 1, alerts: [] } })['DNS Health']).toBe(100);
    expect(of({ lists: 1, devices: 1, addresses: { malicious: 2, suspicious: 1 } })['IP Reputation']).toBe(65);
    expect(of({ lists: 1, devices: 1, files: { malicious: 9, suspicious: 9 } })['Hacker Chatter']).toBe(0);
    // Endpoint 80 weighs 20, patching 75 weighs 15.
    const both = of({ endpoints: 10, reporting: 8, patching: { total: 4, inTime: 3 } });
    expect(both['Cubit Score']).toBe(Math.round((80 * 20 + 75 * 15) / 35));
    expect(both.score).toBe(both['Cubit Score']);
  });

  test('return -1 without data', () => {
    const { score, categories } = categoriesOf(empty);
    expect(score).toBe(-1);
    expect(categories.map((each) => each.score)).toEqual(Array(10).fill(null));
    expect(of({ lists: 1 })['IP Reputation']).toBeNull();
  });
});
