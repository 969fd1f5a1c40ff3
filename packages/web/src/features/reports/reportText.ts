/** Formatting of reports: figures and their changes, chart data, table titles and file names. */
import type { Severity } from '@parapet/contract/primitives.ts';
import type { ReportFigure, ReportSection } from '@parapet/contract/reports.ts';
import { periodLabel, type ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import type { Bucket } from '../../kit/bars.ts';
import type { ChartTable } from '../../kit/chartTable.ts';
import { fileNameOf } from '../../kit/chartTable.ts';
import type { Point } from '../../kit/LineChart.tsx';
import { abbreviate, exact, trendOf } from '../../kit/numbers.ts';

export type Chart = NonNullable<ReportSection['chart']>;
type Unit = ReportFigure['unit'];

export const notMeasured = 'not measured';

/** 90 → 1 h 30 min, 3000 → 2 d 2 h. */
export function minutesText(minutes: number): string {
  const whole = Math.round(minutes);
  if (whole < 60) return `${whole} min`;
  const [days, hours, rest] = [Math.floor(whole / 1440), Math.floor(whole / 60) % 24, whole % 60];
  if (days > 0) return hours > 0 ? `${exact(days)} d ${hours} h` : `${exact(days)} d`;
  return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
}

const oneDecimal = (value: number) => exact(Math.round(value * 10) / 10);

/** Value with its unit: abbreviated and in full. */
export function valueText(value: number | null, unit: Unit): { text: string; whole: string } {
  if (value === null) return { text: notMeasured, whole: notMeasured };
  const same = (text: string) => ({ text, whole: text });
  switch (unit) {
    case 'count':
      return { text: abbreviate(value), whole: exact(value) };
    case 'minutes':
      return { text: minutesText(value), whole: `${oneDecimal(value)} minutes` };
    case 'percent':
      return same(`${oneDecimal(value)}%`);
    case 'days':
      return same(`${oneDecimal(value)} ${value === 1 ? 'day' : 'days'}`);
    case 'score':
      return same(oneDecimal(value));
  }
}

export interface Change {
  direction: 'up' | 'down' | 'level';
  text: string;
  /** "34 the previous month" */
  whole: string;
}

/** Change against the previous month; undefined when either value is missing. */
export function changeOf({ value, before, unit }: Pick<ReportFigure, 'value' | 'before' | 'unit'>): Change | undefined {
  if (value === null || before === null) return undefined;
  const then = valueText(before, unit);
  const whole = `${unit === 'count' ? then.whole : then.text} the previous month`;
  if (unit === 'count') {
    const trend = trendOf(value, before);
    return trend && { ...trend, whole };
  }
  const by = value - before;
  const direction = by > 0 ? 'up' : by < 0 ? 'down' : 'level';
  return { direction, text: by === 0 ? 'the same' : valueText(Math.abs(by), unit).text, whole };
}

/** Date (2026-10-05) of a label that is a day of the month; undefined for other labels. */
export const dayIn =
  ({ year, month }: Pick<ReportingMonth, 'year' | 'month'>) =>
  (label: string): string | undefined =>
    /^([1-9]|[12]\d|3[01])$/.test(label) ? `${year}-${String(month).padStart(2, '0')}-${label.padStart(2, '0')}` : undefined;
/** Full date of a day label, for tooltips. */
export const titleIn =
  (month: Pick<ReportingMonth, 'year' | 'month'>) =>
  (label: string): string =>
    periodLabel(dayIn(month)(label) ?? label);

export const bucketsOf = ({ labels, series }: Chart, titleOf = (label: string) => label): Bucket[] =>
  labels.map((label, index) => ({
    key: label,
    label,
    title: titleOf(label),
    values: series.map(({ values }) => values[index] ?? 0),
  }));

/** Points of the first series, with the other series in their tooltips. */
export const pointsOf = ({ labels, series: [first, ...others] }: Chart, titleOf = (label: string) => label): Point[] =>
  labels.flatMap((label, index) => {
    const value = first?.values[index];
    if (value === undefined) return [];
    return [
      {
        at: index,
        label,
        title: titleOf(label),
        value,
        details: others.map(({ name, values }) => [name, values[index] ?? 0] as const),
      },
    ];
  });

export const chartTableOf = ({ labels, series }: Chart): ChartTable => ({
  head: ['', ...series.map(({ name }) => name)],
  rows: labels.map((label, index) => [label, ...series.map(({ values }) => values[index] ?? '–')]),
});

/** Severity of that name; undefined for other series. */
export const severityNamed = (name: string): Severity | undefined =>
  severities.find((severity) => severity === name.trim().toLowerCase());

/** True for columns with numbers only, which are right-aligned. */
export const isNumberColumn = (rows: ReportSection['rows'], index: number): boolean =>
  rows.some((row) => typeof row[index] === 'number') &&
  rows.every((row) => row[index] === null || row[index] === undefined || typeof row[index] === 'number');

/** Chart title from the start of its text alternative. */
export const chartTitle = (title: string, { alternative }: Pick<Chart, 'alternative'>): string => {
  const first = (/^[^.:]{3,80}/.exec(alternative)?.[0] ?? '').trim();
  return first || `${title} chart`;
};

/** "Cases by criticality", or "Cases in detail" when the first column is the section’s subject. */
export function tableTitle(title: string, [column = '']: readonly string[]): string {
  const by = column.toLowerCase();
  return by === '' || title.toLowerCase().includes(by.slice(0, -1)) ? `${title} in detail` : `${title} by ${by}`;
}

/** "report-alder-logistics-2026-10.pdf" */
export const reportFileName = (clientName: string, year: number, month: number, ending: string): string =>
  fileNameOf(`report ${clientName.slice(0, 40)} ${year} ${String(month).padStart(2, '0')}`, ending);
