import { describe, expect, test } from 'vitest';
import { binsOf, type Played, scoreOf } from './score.ts';

const played = (label: Played['label'], verdict: string | undefined, probability: number | null): Played => ({
  name: `${label} ${verdict} ${probability}`,
  label,
  family: 'web',
  isLocked: false,
  opened: verdict === undefined ? 0 : 1,
  alerts: 1,
  verdict,
  confidence: null,
  probability,
});

describe('scoreOf', () => {
  const score = scoreOf([
    played('malicious', 'Malicious', 0.9),
    played('malicious', 'Suspicious', 0.6),
    played('malicious', undefined, null),
    played('benign', 'Malicious', 0.8),
    played('benign', 'Benign', 0.1),
    played('benign', 'Insufficient Information', null),
    played('benign', undefined, null),
  ]);

  test('counts a malicious case without a case as missed and a benign one as quiet', () => {
    expect(score).toMatchObject({ malicious: 3, found: 1, suspicious: 1, missed: 1, benign: 4, wrong: 1, quiet: 1 });
    expect(score.verdicts.benign).toEqual({ Malicious: 1, Benign: 1, 'Insufficient Information': 1, 'no case': 1 });
  });

  test('measures calibration over verdicts with a probability only', () => {
    expect(score.brier).toBeCloseTo((0.01 + 0.16 + 0.64 + 0.01) / 4);
    expect(score.calibrationError).toBeCloseTo((0.1 + 0.4 + 0.8 + 0.1) / 4);
    expect(scoreOf([played('benign', undefined, null)])).toMatchObject({ brier: undefined, calibrationError: undefined });
  });
});

test('binsOf counts a probability of 1 in the last bin and compares means', () => {
  const bins = binsOf([played('malicious', 'Malicious', 1), played('benign', 'Malicious', 0.92), played('benign', 'Benign', 0)]);
  expect(bins.map(({ count }) => count)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  expect(bins[9]).toMatchObject({ predicted: 0.96, observed: 0.5 });
});
