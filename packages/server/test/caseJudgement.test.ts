import { criticalityOf } from '@parapet/contract/primitives.ts';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { describe, expect, test } from 'vitest';
import { type JudgedCase, summaryOfCase } from '../src/domain/caseJudgement.ts';
import { summaryOf } from '../src/features/decisioning/decisioning.text.ts';

const at = new Date('2026-11-12T08:00:00Z');
const summary = summaryOf({
  ...{ alertCount: 2, ruleCount: 1, firstAt: at, lastAt: at, devices: ['Verdict: none.'], users: [], tactics: ['Impact'] },
  ...{ verdict: 'Malicious', confidence: 94 },
});
const judged: JudgedCase = {
  criticality: criticalityOf.high,
  status: 'open',
  investigation_status: investigationStatusIds.notStarted,
  resolution: null,
  client_answer: null,
  verdict: 'Malicious',
  confidence: 94,
};
const lastSentence = (record: Partial<JudgedCase>) =>
  summaryOfCase({ ...judged, ...record, summary })
    .split('. ')
    .at(-1);

describe('summaryOfCase', () => {
  test('keeps the verdict of decisioning where no person concluded', () => {
    expect(summaryOfCase({ ...judged, summary })).toBe(summary);
  });

  test('states the resolution or the conclusion of a person instead', () => {
    expect(lastSentence({ resolution: 'falsePositive' })).toBe('Verdict: False positive, set at closing.');
    expect(lastSentence({ investigation_status: investigationStatusIds.benign })).toBe('Verdict: Benign, set by an analyst.');
    expect(lastSentence({ investigation_status: investigationStatusIds.benign, client_answer: 'benign' })).toBe(
      'Verdict: Benign, reported by the client.',
    );
  });

  test('leaves a summary without a verdict as it is', () => {
    const empty = { ...judged, resolution: 'benign' as const, summary: '' };
    expect(summaryOfCase(empty)).toBe('');
    expect(summaryOfCase({ ...empty, summary: 'Written by a person.' })).toBe('Written by a person.');
  });
});
