/** Building blocks of report sections. */
import type { ReportFigure, ReportSection } from '@parapet/contract/reports.ts';
import { wallClock } from '@parapet/contract/rules/zones.ts';
import type { Facts } from './reports.facts.ts';
import { monthBefore, monthName } from './reports.months.ts';

type Unit = ReportFigure['unit'];

export const figure = (
  id: string,
  name: string,
  value: number | null,
  before: number | null,
  unit: Unit = 'count',
): ReportFigure => ({
  id,
  name,
  value: value === null ? null : rounded(value),
  before: before === null ? null : rounded(before),
  unit,
  target: null,
  isMet: null,
});
export const aimed = (of: ReportFigure, target: number | null): ReportFigure => ({
  ...of,
  target: target === null ? null : rounded(target),
  isMet: of.value === null || target === null ? null : of.value <= target,
});
/** Two decimals, as shown on the pages. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;
export const line = (text: string): string => text.slice(0, 2_000);

export const section = (id: string, title: string, parts: Partial<Omit<ReportSection, 'id' | 'title'>>): ReportSection => ({
  id,
  title,
  text: [],
  figures: [],
  columns: [],
  rows: [],
  chart: null,
  ...parts,
});

export const pastRetentionText = 'Alerts of this month, or part of it, are past their retention and not counted.';
export const notMeasured = (what: string): string => `${what} was not measured.`;
export const earlier = (facts: Facts, value: number): number | null => (facts.hasBefore ? value : null);
export const nameBefore = (facts: Facts): string => monthName(monthBefore(facts.month));

/** Date and time in the client’s zone. */
export const moment = (at: Date, timeZone: string): string =>
  new Date(wallClock(at.getTime(), timeZone)).toISOString().slice(0, 16).replace('T', ' ');
