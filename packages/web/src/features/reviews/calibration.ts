/** The calibration report as a picture and a table: how often cases of each confidence were what decisioning said. */
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
  /** The middle of its confidences, 0 to 100. */
  predicted: number;
  /** Share that the review agreed with, 0 to 100. */
  observed: number;
}

export const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10);

/** What nobody reviewed says nothing. */
export const pointsOf = ({ bins }: Pick<Calibration, 'bins'>): Point[] =>
  bins
    .filter(({ cases }) => cases > 0)
    .map((bin) => ({ ...bin, predicted: (bin.from + bin.to) / 2, observed: percent(bin.correct, bin.cases) }));

export const rangeText = ({ from, to }: Pick<Point, 'from' | 'to'>) => `${from}–${to} %`;

export const tableOf = (points: readonly Point[]): ChartTable => ({
  head: ['Verdict and confidence', 'Reviewed', 'Agreed', 'Agreed, %'],
  rows: points.map((point) => [`${point.verdict}, ${rangeText(point)}`, point.cases, point.correct, point.observed]),
});

/** Where a point lies in a square of this size, from its upper left corner. */
export const placeOf = ({ predicted, observed }: Point, size: { width: number; height: number }) => ({
  x: (predicted / 100) * size.width,
  y: size.height - (observed / 100) * size.height,
});

/** Area by cases: between 4 and 12 px of radius. */
export const radiusOf = (cases: number, most: number): number => 4 + 8 * Math.sqrt(cases / Math.max(1, most));

export const sentenceOf = (point: Point): string =>
  `${point.verdict}, confidence ${rangeText(point)}: review agreed with ${exact(point.correct)} of ${exact(point.cases)} cases, ${point.observed} %`;
