/** Figures of a run: recall, wrong alarms and calibration, over cases as their analyst labelled them. Pure. */
import type { Label } from './cases.ts';

/** A labelled case after the pipeline. */
export interface Played {
  name: string;
  label: Label;
  family: string;
  isLocked: boolean;
  /** Cases that its telemetry opened; the verdict is that of the most probably malicious one. */
  opened: number;
  alerts: number;
  /** Undefined if no case was opened. */
  verdict: string | undefined;
  confidence: number | null;
  /** Of malicious; null without a case, or where the verdict has none. */
  probability: number | null;
}

export interface Score {
  malicious: number;
  benign: number;
  /** Malicious cases with the verdict Malicious. */
  found: number;
  /** Malicious cases with the verdict Suspicious. */
  suspicious: number;
  /** Malicious cases that opened no case. */
  missed: number;
  /** Benign cases with the verdict Malicious. */
  wrong: number;
  /** Benign cases with the verdict Suspicious. */
  doubted: number;
  /** Benign cases that opened no case. */
  quiet: number;
  verdicts: Record<Label, Record<string, number>>;
  /** Mean squared error of the probability; undefined without any. */
  brier: number | undefined;
  /** Expected calibration error over ten bins of equal width; undefined without any probability. */
  calibrationError: number | undefined;
  bins: Bin[];
}

export interface Bin {
  from: number;
  count: number;
  /** Mean probability. */
  predicted: number;
  /** Share of malicious cases. */
  observed: number;
}

const binCount = 10;

export function scoreOf(played: readonly Played[]): Score {
  const count = (label: Label, test: (each: Played) => boolean) =>
    played.filter((each) => each.label === label && test(each)).length;
  const bins = binsOf(played);
  const judged = played.filter(({ probability }) => probability !== null);
  return {
    malicious: count('malicious', () => true),
    benign: count('benign', () => true),
    found: count('malicious', ({ verdict }) => verdict === 'Malicious'),
    suspicious: count('malicious', ({ verdict }) => verdict === 'Suspicious'),
    missed: count('malicious', ({ opened }) => opened === 0),
    wrong: count('benign', ({ verdict }) => verdict === 'Malicious'),
    doubted: count('benign', ({ verdict }) => verdict === 'Suspicious'),
    quiet: count('benign', ({ opened }) => opened === 0),
    verdicts: { malicious: verdictsOf(played, 'malicious'), benign: verdictsOf(played, 'benign') },
    brier: judged.length === 0 ? undefined : mean(judged.map((each) => (each.probability! - truthOf(each)) ** 2)),
    calibrationError:
      judged.length === 0
        ? undefined
        : bins.reduce((sum, bin) => sum + bin.count * Math.abs(bin.predicted - bin.observed), 0) / judged.length,
    bins,
  };
}

export function binsOf(played: readonly Played[]): Bin[] {
  return Array.from({ length: binCount }, (_, index) => {
    const own = played.filter(
      ({ probability }) => probability !== null && Math.min(binCount - 1, Math.floor(probability * binCount)) === index,
    );
    return {
      from: index / binCount,
      count: own.length,
      predicted: own.length === 0 ? 0 : mean(own.map(({ probability }) => probability!)),
      observed: own.length === 0 ? 0 : mean(own.map(truthOf)),
    };
  });
}

function verdictsOf(played: readonly Played[], label: Label): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of played) {
    if (each.label !== label) continue;
    const name = each.verdict ?? 'no case';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const truthOf = ({ label }: Played): number => (label === 'malicious' ? 1 : 0);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
