/** Points and table of the calibration chart: share of correct verdicts by confidence. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { reviewsApi } from '@parapet/contract/reviews.ts';
import type { Verdict } from '@parapet/contract/rules/cases.ts';
import type { ChartTable } from '../../kit/chartTable.ts';
import { exact } from '../../kit/numbers.ts';

export type Calibration = AnswerOf<typeof reviewsApi.calibration>;

export interface Point {
  verdict: Verdict;
  from: number;
  to: number;
  cases: number;
  correct: number;
  /** Centre of the confidence range, 0 to 100. */
  predicted: number;
  /** Share that reviewers agreed with, 0 to 100. */
  observed: number;
}

export const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10);

/** Points of all bins with reviewed cases. */
export const pointsOf = ({ bins }: Pick<Calibration, 'bins'>): Point[] =>
  bins
    .filter(({ cases }) => cases > 0)
    .map((bin) => ({ ...bin, predicted: (bin.from + bin.to) / 2, observed: percent(bin.correct, bin.cases) }));

export const rangeText = ({ from, to }: Pick<Point, 'from' | 'to'>) => `${from}–${to}%`;

export const tableOf = (points: readonly Point[]): ChartTable => ({
  head: ['Verdict and confidence', 'Reviewed', 'Agreed', 'Agreed, %'],
  rows: points.map((point) => [`${point.verdict}, ${rangeText(point)}`, point.cases, point.correct, point.observed]),
});

/** Position of a point in px from the upper left corner of the plot. */
export const placeOf = ({ predicted, observed }: Point, size: { width: number; height: number }) => ({
  x: (predicted / 100) * size.width,
  y: size.height - (observed / 100) * size.height,
});

/** Radius, 4 to 12 px; the area grows with the number of cases. */
export const radiusOf = (cases: number, maxCases: number): number => 4 + 8 * Math.sqrt(cases / Math.max(1, maxCases));

export const sentenceOf = (point: Point): string =>
  `${point.verdict}, confidence ${rangeText(point)}: review agreed with ${exact(point.correct)} of ${exact(point.cases)} cases, ${point.observed}%`;
