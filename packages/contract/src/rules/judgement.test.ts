import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseStatusValues, emailActions, investigationStatusIds, resolutionValues, verdicts } from './cases.ts';
import { calibrationNote, confidenceLevelOf, type Judged, judgementOf, judgementText, verdictText } from './judgement.ts';
import { severities } from './values.ts';

const judged = (more: Partial<Judged> = {}): Judged => ({
  criticality: 'critical',
  status: 'open',
  investigationStatus: investigationStatusIds.notStarted,
  resolution: null,
  clientAnswer: null,
  verdict: 'Malicious',
  confidenceScore: 94,
  ...more,
});
const line = (more: Partial<Judged> = {}) => judgementText(judgementOf(judged(more)));

describe('the line of a case', () => {
  test.each<[string, Partial<Judged>, string]>([
    ['a rated verdict', {}, 'Critical alerts, judged malicious with high confidence'],
    ['a benign verdict on severe alerts', { verdict: 'Benign' }, 'Critical alerts, judged benign with high confidence'],
    [
      'a medium one',
      { verdict: 'Likely Benign', confidenceScore: 70 },
      'Critical alerts, judged likely benign with medium confidence',
    ],
    ['a low one', { verdict: 'Suspicious', confidenceScore: 45 }, 'Critical alerts, judged suspicious with low confidence'],
    ['no verdict', { verdict: null, confidenceScore: null, criticality: 'low' }, 'Low alerts, not judged yet'],
    [
      'a verdict that an early version rated although it had none',
      { verdict: 'Insufficient Information' },
      'Critical alerts, insufficient information for a verdict',
    ],
    [
      'the conclusion of a person against the verdict',
      { investigationStatus: investigationStatusIds.falsePositive },
      'Critical alerts, judged a false positive by an analyst',
    ],
    [
      'a case that a person declared malicious',
      { status: 'malicious', verdict: 'Benign' },
      'Critical alerts, judged malicious by an analyst',
    ],
    [
      'a conclusion that was marked as incorrect',
      { investigationStatus: investigationStatusIds.markedIncorrect },
      'Critical alerts, judged malicious with high confidence',
    ],
    ['a false positive', { resolution: 'falsePositive', status: 'closed' }, 'Critical alerts, closed as a false positive'],
    ['a benign resolution', { resolution: 'benign', status: 'closed' }, 'Critical alerts, closed as benign'],
    ['a duplicate', { resolution: 'duplicate', status: 'closed' }, 'Critical alerts, closed as a duplicate'],
    ['an accepted risk', { resolution: 'acceptedRisk', status: 'closed' }, 'Critical alerts, closed as an accepted risk'],
    [
      'a resolution over an earlier conclusion',
      { resolution: 'falsePositive', status: 'closed', investigationStatus: investigationStatusIds.malicious },
      'Critical alerts, closed as a false positive',
    ],
    [
      'the verdict that a true positive confirms',
      { resolution: 'truePositive', status: 'closed' },
      'Critical alerts, judged malicious with high confidence',
    ],
    [
      'a true positive against the verdict',
      { resolution: 'truePositive', status: 'closed', verdict: 'Likely Benign' },
      'Critical alerts, closed as a true positive',
    ],
    [
      'the verdict of a case closed without a resolution',
      { resolution: 'notStated', status: 'closed' },
      'Critical alerts, judged malicious with high confidence',
    ],
    [
      'a client’s report that it was not expected',
      { status: 'malicious', investigationStatus: investigationStatusIds.malicious, clientAnswer: { answer: 'malicious' } },
      'Critical alerts, reported as not expected by the client',
    ],
    [
      'a client’s report that it was expected',
      { investigationStatus: investigationStatusIds.benign, clientAnswer: { answer: 'benign' } },
      'Critical alerts, reported as expected by the client',
    ],
    [
      'an analyst’s conclusion against the client’s report',
      { investigationStatus: investigationStatusIds.falsePositive, clientAnswer: { answer: 'malicious' } },
      'Critical alerts, judged a false positive by an analyst',
    ],
  ])('states %s', (_what, more, expected) => expect(line(more)).toBe(expected));

  test('contains one verdict, no percentage, and a confidence only beside a rated verdict', () => {
    fc.assert(
      fc.property(
        fc.record({
          criticality: fc.constantFrom(...severities),
          status: fc.constantFrom(...caseStatusValues),
          investigationStatus: fc.integer({ min: 1, max: 8 }),
          resolution: fc.option(fc.constantFrom(...resolutionValues)),
          clientAnswer: fc.option(fc.record({ answer: fc.constantFrom(...emailActions) })),
          verdict: fc.option(fc.constantFrom(...verdicts)),
          confidenceScore: fc.option(fc.integer({ min: 0, max: 100 })),
        }),
        (facts) => {
          const judgement = judgementOf(facts);
          const text = `${judgementText(judgement)} ${verdictText(judgement)}`;
          expect(text).not.toMatch(/\d|%|undefined|null/);
          expect(text.includes('confidence')).toBe(judgement.confidence !== null);
          if (judgement.confidence !== null) expect([facts.verdict, judgement.by]).toEqual([judgement.verdict, 'decisioning']);
          if (judgement.verdict === 'Insufficient Information' || judgement.verdict === null)
            expect(text).not.toContain('confidence');
        },
      ),
    );
  });
});

test('levels are bounded by confidence', () => {
  expect([100, 80, 79, 65, 64, 0].map(confidenceLevelOf)).toEqual(['high', 'high', 'medium', 'medium', 'low', 'low']);
  expect(calibrationNote('high')).toMatch(/^High confidence: from 80 of 100\./);
  expect(calibrationNote('medium')).toMatch(/^Medium confidence: from 65 to 79 of 100\./);
});
