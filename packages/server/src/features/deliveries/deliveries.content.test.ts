import { describe, expect, test } from 'vitest';
import { messageOf } from './deliveries.content.ts';

const subject = {
  subject: 'case-7',
  objectId: 7,
  eventAt: new Date('2026-11-22T03:12:00Z'),
  messageId: '018f0000-0000-7000-8000-000000000007',
  clientId: 10,
  client: 'Alder',
};
const judged = {
  title: 'Ransom note',
  criticality: 5,
  status: 'investigating',
  alerts: 3,
  verdict: 'Suspicious',
  confidence: 72,
};
const message = (facts: object) =>
  messageOf(
    { ...subject, event: 'case.statusChanged', facts: { ...judged, ...facts } },
    { name: 'Parapet', origin: 'https://p.example' },
  );
const verdictOf = (facts: object) => message(facts).facts.find(([label]) => label === 'Verdict')?.[1];

describe('the verdict in a message', () => {
  test.each<[string, object, string | undefined]>([
    ['of decisioning', {}, 'Suspicious, medium confidence'],
    ['of an event stored before conclusions', { investigationStatus: undefined }, 'Suspicious, medium confidence'],
    ['of an analyst', { investigationStatus: 4, resolution: null, clientAnswer: null }, 'Benign, set by an analyst'],
    ['of the client', { investigationStatus: 4, resolution: null, clientAnswer: 'benign' }, 'Benign, reported by the client'],
    [
      'of the closing',
      { status: 'closed', investigationStatus: 6, resolution: 'falsePositive' },
      'False positive, set at closing',
    ],
    ['before any', { verdict: null, confidence: null }, undefined],
  ])('is that %s', (_of, facts, expected) => expect(verdictOf(facts)).toBe(expected));

  test('leaves verdict and confidence of decisioning in the data', () => {
    expect(message({ investigationStatus: 4 }).data).toMatchObject({ verdict: 'Suspicious', confidence: 72 });
  });
});
