import { scoreCategories } from '@parapet/contract/rules/values.ts';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { expect, test } from 'vitest';
import { chanceText, daysText, isOld, kindOf, pageAbout, type Stats, shownOf } from './findings.ts';
import { findingList, scannedDeviceList } from './vulnerabilities.queries.ts';

const { read, isFiltered, write } = findingList;

const device = '0B8F2A86-53F4-4A3C-9D59-0f5e3d4c2b1a';

test('parses filters that the contract accepts', () => {
  const filters = read({
    text: '  openssl ',
    severity: 'HIGH,critical,none',
    state: 'fixed,nothing',
    exploited: 'true',
    device,
    page: '3',
    pageSize: '100',
  });
  expect(filters).toEqual({
    text: 'openssl',
    severity: ['critical', 'high'],
    state: ['fixed'],
    exploited: 'true',
    device: device.toLowerCase(),
    page: 3,
    pageSize: 100,
  });
  expect(vulnerabilitiesApi.list.query.safeParse({ ...filters, severity: 'critical,high', state: 'fixed' }).success).toBe(true);
  expect(isFiltered(filters)).toBe(true);
});

test('ignores invalid filters', () => {
  const filters = read({
    severity: '__proto__',
    state: 'open;drop',
    exploited: 'maybe',
    device: '../../x',
    page: '-1',
    pageSize: '7',
    text: ' ',
  });
  expect(filters).toEqual({
    text: '',
    severity: [],
    state: [],
    exploited: undefined,
    device: undefined,
    page: 1,
    pageSize: 50,
  });
  expect(isFiltered(filters)).toBe(false);
  expect(scannedDeviceList.read({ text: 'x'.repeat(300) }).text).toHaveLength(200);
  expect(write({ page: 1, pageSize: 50 })).toEqual({ page: undefined, pageSize: undefined });
  expect(write({ page: 2, pageSize: 25 })).toEqual({ page: 2, pageSize: 25 });
});

const stats = (score: number): Stats => ({
  score,
  online: 3,
  scanned: 2,
  monitored: 5,
  categories: scoreCategories.map((name) => ({ name, score: 40, basis: 'Of 2 devices.' })),
  open: 7,
  knownExploited: 1,
  meanDaysToFix: 4.5,
});

test('hides the display and zeroes all values at a score of −1 (spec §5)', () => {
  const hidden = shownOf(stats(-1));
  expect(hidden).toMatchObject({ isMeasured: false, score: 0, online: 0, scanned: 0, monitored: 0, open: 0, knownExploited: 0 });
  expect(hidden.categories.map(({ score }) => score)).toEqual(Array.from({ length: 10 }, () => 0));
});

test('shows a score of 0 and caps scores above 100', () => {
  expect(shownOf(stats(0))).toMatchObject({ isMeasured: true, score: 0, online: 3 });
  expect(shownOf(stats(140)).score).toBe(100);
});

test.each([
  [0.973, '97%'],
  [0.0043, '0.43%'],
  [0.00001, '< 0.01%'],
  [0, '0%'],
  [1, '100%'],
])('a chance of %d is %s', (chance, text) => {
  expect(chanceText(chance)).toBe(text);
});

test('formats days', () => {
  expect([1, 0.25, 1200.04].map(daysText)).toEqual(['1 day', '0.3 days', '1,200 days']);
});

test.each([
  ['CVE-2024-6387', 'https://nvd.nist.gov/vuln/detail/CVE-2024-6387'],
  ['GHSA-jfh8-c2jp-5v3q', 'https://osv.dev/vulnerability/GHSA-jfh8-c2jp-5v3q'],
  ['javascript:alert(1)', undefined],
  ['CVE-2024-1/../../evil', undefined],
  ['CVE-2024-6387?x', undefined],
  ['', undefined],
])('links %j to %s', (id, url) => {
  expect(pageAbout(id)?.url).toBe(url);
});

test.each([
  ['cve,epss,percentile\nCVE-2024-1,0.1,0.2', 'epss'],
  ['#model_version:v2023\ncve,epss', 'epss'],
  ['\uFEFF{"catalogVersion":"2026.11.20","vulnerabilities":[]}', 'kev'],
  ['{"id":"DSA-1","affected":[]}', 'osv'],
  ['{"id":"A"}\n{"id":"B"}', 'osv'],
  ['[{"id":"A"}]', 'osv'],
  ['', 'epss'],
] as const)('detects %j as %s', (head, kind) => {
  expect(kindOf(head)).toBe(kind);
});

test('marks imports older than 30 days as old', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(isOld(null, now)).toBe(true);
  expect(isOld('2026-10-21T12:00:00Z', now)).toBe(true);
  expect(isOld('2026-11-20T12:00:00Z', now)).toBe(false);
});
