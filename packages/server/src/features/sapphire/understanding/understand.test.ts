import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { techniqueNames } from '../techniques.ts';
import type { Reading, Vocabulary } from './reading.ts';
import { findTimes } from './times.ts';
import { understand } from './understand.ts';
import { correctSpelling, distance, likeness } from './words.ts';

const vocabulary: Vocabulary = {
  clients: [
    { id: 10, name: 'Alder Manufacturing' },
    { id: 11, name: 'Birch Dental Group' },
  ],
  otherClients: [{ id: 20, name: 'Dogwood Logistics' }],
  devices: ['ALD-DC-01', 'ALD-WS-014', 'ALD-WS-041'],
  users: ['j.moreau', 'admin'],
  rules: ['SSH Brute Force', 'Defender Found Malware', 'Port Scan'],
  techniques: techniqueNames,
};
// A Saturday.
const now = Date.parse('2026-11-21T14:50:00Z');
const read = (text: string, previous?: Reading) => understand({ text, vocabulary, now, timeZone: 'Europe/Berlin', previous });
const label = (slots: Reading['slots']) => ({
  ...slots,
  ...(slots.timeframe && { timeframe: slots.timeframe.label }),
  ...(slots.before && { before: slots.before.label }),
});

test.each<[string, string, object]>([
  ['How many open cases do we have?', 'cases.count', { states: ['open'] }],
  ['how meny opn caes do we hvae', 'cases.count', { states: ['open'] }],
  ['unassigned critical cases', 'cases.list', { severities: ['critical'], assigned: 'nobody' }],
  ['show me my cases', 'cases.list', { assigned: 'me' }],
  ['medium or higher alerts yesterday', 'alerts.list', { severities: ['critical', 'high', 'medium'], timeframe: 'yesterday' }],
  ['what happened to ald-dc-01', 'alerts.list', { device: 'ALD-DC-01' }],
  ['how often did SSH brute force fire', 'alerts.count', { rule: 'SSH Brute Force' }],
  ['how many phishing alerts', 'alerts.count', { technique: 'T1566' }],
  ['alerts of the user admin', 'alerts.list', { user: 'admin' }],
  ['top 5 users at Birch', 'top.users', { clients: [11], limit: 5 }],
  ['is ALD-DC-01 isolated', 'response.state', { device: 'ALD-DC-01' }],
  ['which machines are isolated', 'devices.count', { deviceState: 'isolated' }],
  ['are we affected by CVE-2024-3094', 'vulnerabilities', { cve: 'CVE-2024-3094' }],
  ['compare october and september', 'compare.periods', { timeframe: 'October 2026', before: 'September 2026', metric: 'alerts' }],
  ['were there more cases than last month', 'compare.periods', { before: 'last month', metric: 'cases' }],
  ['summarise last week for Birch', 'period.summary', { clients: [11], timeframe: 'last week' }],
  ['suspicious cases this week', 'cases.list', { states: ['suspicious'], timeframe: 'the last seven days' }],
  ['how many cases were judged suspicious last month', 'cases.count', { states: ['suspicious'], timeframe: 'last month' }],
  ['likely benign', 'cases.list', { states: ['likely benign'] }],
  ['list the probably harmless cases of Birch', 'cases.list', { states: ['likely benign'], clients: [11] }],
  ['how many cases have insufficient information', 'cases.count', { states: ['inconclusive'] }],
  ['inconclusive cases of j.moreau', 'cases.list', { states: ['inconclusive'], user: 'j.moreau' }],
  ['benign cases', 'cases.list', { states: ['benign'] }],
  ['what did we do about case 5', 'response.state', { caseId: 5 }],
  ['please isolate ALD-DC-01', 'howto', {}],
])('%s', (text, skill, slots) => {
  const understood = read(text);
  expect(understood).toMatchObject({ kind: 'reading', reading: { skill } });
  if (understood.kind === 'reading') expect(label(understood.reading.slots)).toEqual(slots);
});

test.each([
  ['what is the weather like', { kind: 'unknown' }],
  ['tell me a joke', { kind: 'unknown' }],
  ['how many?', { kind: 'unknown' }],
  ['talk to a human', { kind: 'support' }],
  ['hello there', { kind: 'greeting' }],
  ['How many alerts did Zebra Bank have?', { kind: 'unknownName', name: 'Zebra Bank' }],
  ['cases of organisation 99', { kind: 'unknownName', name: 'organisation 99' }],
  ['alerts at Dogwood', { kind: 'otherClient', name: 'Dogwood Logistics' }],
  ['#44', { kind: 'question', choices: ['Summarise case 44', 'Explain alert 44'] }],
])('rejects %s', (text, understood) => {
  expect(read(text)).toMatchObject(understood);
});

test('finds a misspelt name, asks about an ambiguous one, and treats another number as another name', () => {
  expect(read('alerts on ALD-DC-O1')).toMatchObject({ reading: { slots: { device: 'ALD-DC-01' } } });
  expect(read('alerts at Brich Dental')).toMatchObject({ reading: { slots: { clients: [11] } } });
  expect(read('alerts on ALD-WS')).toMatchObject({ kind: 'question' });
  expect(read('alerts on ALD-WS-777')).toMatchObject({ kind: 'unknownName' });
});

describe('follow-ups', () => {
  const first: Reading = { skill: 'cases.count', slots: { states: ['open'] } };
  test.each<[string, string, object]>([
    ['only critical', 'cases.count', { states: ['open'], severities: ['critical'] }],
    ['and last month?', 'cases.count', { states: ['open'], timeframe: 'last month' }],
    ['for Birch', 'cases.count', { states: ['open'], clients: [11] }],
    ['list them', 'cases.list', { states: ['open'] }],
    ['why?', 'cases.list', { states: ['open'] }],
    ['by week', 'cases.trend', { states: ['open'], bucket: 'week' }],
    ['and alerts?', 'alerts.count', {}],
    ['Which device is the biggest risk?', 'devices.riskiest', {}],
  ])('%s', (text, skill, slots) => {
    const understood = read(text, first);
    expect(understood).toMatchObject({ kind: 'reading', reading: { skill } });
    if (understood.kind === 'reading') expect(label(understood.reading.slots)).toEqual(slots);
  });
  test('accept another number and the month before', () => {
    expect(read('and 108?', { skill: 'case.summarise', slots: { caseId: 5 } })).toMatchObject({
      reading: { slots: { caseId: 108 } },
    });
    const october = findTimes('in October', now, 'UTC')[0]!.timeframe;
    expect(read('and the month before?', { skill: 'alerts.count', slots: { timeframe: october } })).toMatchObject({
      reading: { slots: { timeframe: { label: 'September 2026' } } },
    });
  });
});

test.each([
  ['this month', '2026-10-31T23:00:00.000Z', '2026-11-21T14:55:00.000Z'],
  ['last month', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
  ['last week', '2026-11-08T23:00:00.000Z', '2026-11-15T23:00:00.000Z'],
  ['last 3 days', '2026-11-18T23:00:00.000Z', '2026-11-21T14:55:00.000Z'],
  ['since Monday', '2026-11-15T23:00:00.000Z', '2026-11-21T14:55:00.000Z'],
  ['between 1 and 10 November', '2026-10-31T23:00:00.000Z', '2026-11-10T23:00:00.000Z'],
  ['from 3 Nov to 7 Nov', '2026-11-02T23:00:00.000Z', '2026-11-07T23:00:00.000Z'],
  ['from Monday to Wednesday', '2026-11-15T23:00:00.000Z', '2026-11-18T23:00:00.000Z'],
  ['on 12/11/2026', '2026-11-11T23:00:00.000Z', '2026-11-12T23:00:00.000Z'],
  ['in December', '2025-11-30T23:00:00.000Z', '2025-12-31T23:00:00.000Z'],
  ['in the first week of October', '2026-09-30T22:00:00.000Z', '2026-10-07T22:00:00.000Z'],
  ['Q3', '2026-06-30T22:00:00.000Z', '2026-09-30T22:00:00.000Z'],
])('alerts %s', (text, start, end) => {
  const found = findTimes(`alerts ${text}`, now, 'Europe/Berlin');
  expect(found.map(({ timeframe }) => [timeframe.start, timeframe.end])).toEqual([[start, end]]);
});

test.each(['may I see alerts', 'case 12', 'top 5 rules', 'alert 2024', 'what is going on right now'])(
  'finds no time in %s',
  (text) => {
    expect(findTimes(text, now, 'UTC')).toEqual([]);
  },
);

test('computes likeness as pg_trgm does, and counts a swap as one edit', () => {
  expect(likeness('word', 'two words')).toBeCloseTo(0.363636, 5);
  expect(distance('caes', 'case', 2)).toBe(1);
  expect(correctSpelling('tehcniques')).toBe('techniques');
  expect(correctSpelling('xqzwv')).toBeUndefined();
});

test('parses any text in any zone, with times that end after they start', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'alerts',
      'open cases',
      'last 3 weeks',
      'between',
      'and',
      '31 February',
      'Birch',
      'ALD-DC-01',
      'why?',
      '#',
      'T1110',
      '..',
      'for',
    ),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom('UTC', 'Asia/Kolkata', '-09:30', 'America/New_York'),
      (pieces, timeZone) => {
        const understood = understand({
          text: pieces.join(' '),
          vocabulary,
          now,
          timeZone,
          previous: { skill: 'alerts.count', slots: {} },
        });
        const times = understood.kind === 'reading' ? [understood.reading.slots.timeframe, understood.reading.slots.before] : [];
        for (const time of times) if (time && Date.parse(time.start) >= Date.parse(time.end)) return false;
        return true;
      },
    ),
    { numRuns: 300 },
  );
});
