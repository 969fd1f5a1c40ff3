/** The geometry of stacked bars, apart from the drawing so that it can be tested. All lengths in px. */
import type { ReactNode } from 'react';
import type { ChartTable } from './chartTable.ts';

export interface Segment {
  series: number;
  value: number;
  y: number;
  height: number;
}
export interface Bar {
  x: number;
  width: number;
  /** The whole slot, bar and gap: what the pointer hits. */
  slotX: number;
  slotWidth: number;
  total: number;
  /** From the bottom up; series without a value are left out. */
  segments: Segment[];
}
export interface Geometry {
  bars: Bar[];
  /** Values for lines across, from 0 to at least the tallest bar. */
  ticks: number[];
  top: number;
  yOf: (value: number) => number;
}

/** Minimum height in px: one critical alert among ten thousand low ones stays visible. */
export const minHeight = 2;

/** The smallest of 1, 2, 5 × 10ⁿ steps that needs at most `most` lines; whole numbers only, since things are counted. */
export function ticksOf(highest: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = Math.max(1, highest / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < highest) ticks.push(ticks.length * step);
  return ticks;
}

/** `values[bucket][series]`, drawn into `width` × `height`. `least`: what the scale must have room for besides. */
export function geometryOf(values: readonly (readonly number[])[], width: number, height: number, least = 0): Geometry {
  const totals = values.map((bucket) => bucket.reduce((sum, value) => sum + Math.max(0, value), 0));
  const ticks = ticksOf(Math.max(0, least, ...totals));
  const top = ticks.at(-1) ?? 1;
  const slotWidth = values.length > 0 ? width / values.length : 0;
  const gap = slotWidth > 6 ? Math.min(12, slotWidth * 0.25) : slotWidth > 2 ? 1 : 0;
  const barWidth = Math.min(40, Math.max(1, slotWidth - gap));
  const yOf = (value: number) => height - (value / top) * height;

  const bars = values.map((bucket, index): Bar => {
    const slotX = index * slotWidth;
    const present = bucket.map((value, series) => ({ series, value })).filter(({ value }) => value > 0);
    const heights = fit(
      present.map(({ value }) => (value / top) * height),
      height,
    );
    let y = height;
    const segments = present.map(({ series, value }, at) => {
      y -= heights[at] ?? 0;
      return { series, value, y, height: heights[at] ?? 0 };
    });
    return { x: slotX + (slotWidth - barWidth) / 2, width: barWidth, slotX, slotWidth, total: totals[index] ?? 0, segments };
  });
  return { bars, ticks, top, yOf };
}

/** Lifts small heights to the least one and takes the difference from the tallest, so that the bar keeps its total. */
function fit(heights: number[], room: number): number[] {
  const lifted = heights.map((height) => Math.max(minHeight, height));
  let extra =
    lifted.reduce((sum, height) => sum + height, 0) -
    Math.min(
      room,
      heights.reduce((sum, height) => sum + height, 0),
    );
  for (const at of lifted.map((_, index) => index).sort((a, b) => (lifted[b] ?? 0) - (lifted[a] ?? 0))) {
    if (extra <= 0) break;
    const give = Math.min(extra, (lifted[at] ?? 0) - minHeight);
    lifted[at] = (lifted[at] ?? 0) - give;
    extra -= give;
  }
  return lifted;
}

export interface AxisLabel {
  index: number;
  /** px. */
  x: number;
  anchor: 'middle' | 'end';
}

/** px of a character at the size of axes, the space between two labels, and the least distance of two. */
const [characterWidth, labelGap, minLabelDistance] = [6.5, 12, 64];

/** Labels that fit beside each other, always the last, which ends at `right` where it would be cut. Evenly spaced for even places. */
export function axisLabels(labels: readonly string[], places: readonly number[], right: number): AxisLabel[] {
  const width = Math.max(0, ...labels.map((label) => label.length)) * characterWidth;
  const distance = Math.max(minLabelDistance, width + labelGap);
  const chosen: AxisLabel[] = [];
  let free = Number.POSITIVE_INFINITY;
  for (let index = labels.length - 1; index >= 0; index--) {
    const place = places[index] ?? 0;
    const isCut = place + width / 2 > right;
    const centre = isCut ? right - width / 2 : place;
    if (centre > free) continue;
    chosen.push({ index, x: isCut ? right : place, anchor: isCut ? 'end' : 'middle' });
    free = centre - distance;
  }
  return chosen;
}

/** The same figures as a table. */
export function tableOf(
  series: readonly { name: string }[],
  buckets: readonly { title: string; values: readonly number[]; usual?: number | undefined }[],
): ChartTable {
  const hasUsual = buckets.some(({ usual }) => usual !== undefined);
  return {
    head: ['Time', ...series.map(({ name }) => name), ...(hasUsual ? ['Usual'] : [])],
    rows: buckets.map(({ title, values, usual }) => [
      title,
      ...series.map((_, index) => values[index] ?? 0),
      ...(hasUsual ? [usual ?? '–'] : []),
    ]),
  };
}

export interface Series {
  id: string;
  name: string;
  /** A CSS colour; with an icon or pattern it never stands alone. */
  color: string;
  icon?: ReactNode;
}

export interface Bucket {
  key: string;
  /** Below the bar: "12 Jul". */
  label: string;
  /** In the tooltip: "Sunday, 12 July 2026". */
  title: string;
  /** In the order of the series. */
  values: readonly number[];
  /** Expected value: a line across the bar. */
  usual?: number | undefined;
}
