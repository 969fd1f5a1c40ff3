/** Charts of reports as vector drawings (SVG, which pdfmake draws into the page): stacked bars and lines over an axis that starts at 0. */

import { abbreviate } from '@parapet/contract/rules/numbers.ts';

export interface PdfChart {
  kind: 'bars' | 'line';
  labels: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
  /** The same in words. */
  alternative: string;
}

const height = 150;
const plot = { left: 34, top: 6, bottom: 34 };
const ink = '#5a6472';
const grid = '#e3e7ec';
/** An outline, as light areas would not stand out from the paper. */
const outlined = `stroke="${ink}" stroke-width="0.2"`;
/** Distinguishable by lightness too, in this order. */
const severityColours: Record<string, string> = {
  Critical: '#7d1838',
  High: '#cf5a34',
  Medium: '#e9b44c',
  Low: '#7fa8c9',
  Informational: '#c9d1db',
};
const otherColours = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#9d755d'];

const escaped = (text: string): string => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const at = (value: number): string => value.toFixed(2);

/** The least of 1, 2, 5 × 10ⁿ steps that reach `most` in at most four. */
function stepOf(most: number): number {
  const rough = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? 10 * power);
}

export function chartSvg(chart: PdfChart, width: number, accent: string): string {
  const { labels, kind } = chart;
  const series = chart.series.map(({ name, values }) => ({
    name,
    values: labels.map((_, index) => {
      const value = values[index] ?? 0;
      return Number.isFinite(value) ? Math.max(0, value) : 0;
    }),
  }));
  const colourOf = (index: number): string =>
    severityColours[series[index]!.name] ?? (index === 0 ? accent : otherColours[index % otherColours.length]!);
  const totals = labels.map((_, index) => series.reduce((sum, { values }) => sum + values[index]!, 0));
  const most = Math.max(1, ...(kind === 'bars' ? totals : series.flatMap(({ values }) => values)));
  const step = stepOf(most);
  const top = Math.ceil(most / step) * step;
  const [w, h] = [width - plot.left, height - plot.top - plot.bottom];
  const x = (index: number) => plot.left + (w * (index + 0.5)) / labels.length;
  const y = (value: number) => plot.top + h * (1 - value / top);
  const text = (content: string, left: number, baseline: number, anchor: 'start' | 'middle' | 'end') =>
    `<text x="${at(left)}" y="${at(baseline)}" text-anchor="${anchor}" font-family="Roboto" font-size="7" fill="${ink}">${escaped(content)}</text>`;
  const parts: string[] = [];
  for (let value = 0; value <= top; value += step) {
    parts.push(
      `<line x1="${plot.left}" x2="${width}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="${grid}" stroke-width="0.5"/>`,
      text(abbreviate(value), plot.left - 4, y(value) + 2.5, 'end'),
    );
  }
  // 7 points high, so at most 4 wide for each character.
  const widest = Math.max(10, ...labels.map((label) => label.length * 4)) + 8;
  const every = Math.max(1, Math.ceil((labels.length * widest) / w));
  labels.forEach((label, index) => {
    if (index % every === 0) parts.push(text(label, x(index), height - plot.bottom + 10, 'middle'));
  });
  if (kind === 'bars') {
    const bar = Math.min(24, (w / labels.length) * 0.7);
    labels.forEach((_, index) => {
      let below = 0;
      // The most severe at the bottom, where bars are compared best.
      series.forEach(({ values }, place) => {
        const value = values[index]!;
        if (value > 0)
          parts.push(
            `<rect x="${at(x(index) - bar / 2)}" y="${at(y(below + value))}" width="${at(bar)}" height="${at((h * value) / top)}" fill="${colourOf(place)}" ${outlined}/>`,
          );
        below += value;
      });
    });
  } else {
    series.forEach(({ values }, place) => {
      const points = values.map((value, index) => `${at(x(index))},${at(y(value))}`);
      parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colourOf(place)}" stroke-width="1.6"/>`);
      for (const point of points) {
        const [cx, cy] = point.split(',');
        parts.push(`<circle cx="${cx}" cy="${cy}" r="1.6" fill="${colourOf(place)}"/>`);
      }
    });
  }
  let left = plot.left;
  series.forEach(({ name }, place) => {
    parts.push(
      `<rect x="${at(left)}" y="${height - 12}" width="7" height="7" fill="${colourOf(place)}" ${outlined}/>`,
      text(name, left + 11, height - 5.8, 'start'),
    );
    left += 24 + name.length * 4;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${parts.join('')}</svg>`;
}
