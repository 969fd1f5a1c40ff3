/**
 * One figure over time as a line, with a level to compare it with. An SVG of its own, as the bars are. By keyboard it is a slider: arrow keys go
 * from point to point; the same figures stand as a table in the frame around it.
 */
import { styled } from '@mui/material/styles';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { Frame, Legend, Plot, Tip } from './bars.styles.tsx';
import { axisLabels, ticksOf } from './bars.ts';
import { abbreviate, exact } from './numbers.ts';
import { palette } from './palette.ts';
import { useWidth } from './useSize.ts';

export interface Point {
  /** Milliseconds since 1970. */
  at: number;
  /** Below the line: "12 Jul". */
  label: string;
  /** In the tooltip: "12 July 2026". */
  title: string;
  value: number;
  /** More for the tooltip. */
  details?: readonly (readonly [name: string, value: number])[];
}

interface Props {
  /** Accessible name: "Risk score by day". */
  label: string;
  points: readonly Point[];
  /** The scale ends at least here. */
  most: number;
  level?: { name: string; value: number } | undefined;
  height?: number;
}

const Line = styled(Plot)({
  touchAction: 'pan-y',
  '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 2, borderRadius: 4 },
  '& path': { fill: 'none', stroke: palette.primary.main, strokeWidth: 2, strokeLinejoin: 'round' },
  '& circle': { fill: palette.primary.main, stroke: palette.background.paper, strokeWidth: 2 },
  '& line.level': { stroke: palette.text.secondary, strokeWidth: 1.5, strokeDasharray: '4 4' },
});
const left = 38;
const bottom = 20;
const above = 8;

export function LineChart({ label, points, most, level, height = 200 }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const width = Math.max(0, (useWidth(root) ?? 0) - left - 8);
  const [shown, setShown] = useState<number>();
  const ticks = ticksOf(Math.max(most, level?.value ?? 0, ...points.map(({ value }) => value)));
  const room = height - bottom - above;
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const xOf = (at: number) => left + (last > first ? ((at - first) / (last - first)) * width : width);
  const yOf = (value: number) => above + room * (1 - value / (ticks.at(-1) ?? 1));
  const labels = axisLabels(
    points.map((point) => point.label),
    points.map((point) => xOf(point.at)),
    left + width,
  );
  const at = shown === undefined ? undefined : points[Math.min(shown, points.length - 1)];
  const current = at ?? points.at(-1);

  const nearest = (event: PointerEvent<SVGSVGElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    let best = 0;
    for (const [index, point] of points.entries())
      if (Math.abs(xOf(point.at) - x) < Math.abs(xOf(points[best]!.at) - x)) best = index;
    setShown(best);
  };
  const onKey = (event: KeyboardEvent) => {
    const from = shown ?? points.length - 1;
    const to = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - 30,
      PageUp: from + 30,
      Home: 0,
      End: points.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setShown(Math.min(points.length - 1, Math.max(0, to)));
  };

  return (
    <Frame ref={root}>
      {level && (
        <Legend>
          <li data-legend="currentColor">
            <i className="usual" />
            {level.name}: {exact(level.value)}
          </li>
        </Legend>
      )}
      <Line
        height={height}
        data-chart
        role="slider"
        tabIndex={0}
        aria-label={`${label}. Arrow keys move between the points.`}
        aria-valuemin={0}
        aria-valuemax={ticks.at(-1) ?? 1}
        aria-valuenow={current?.value ?? 0}
        aria-valuetext={current ? `${current.title}: ${exact(current.value)}` : 'Nothing yet'}
        onPointerMove={nearest}
        onPointerLeave={() => setShown(undefined)}
        onFocus={() => setShown((now) => now ?? points.length - 1)}
        onBlur={() => setShown(undefined)}
        onKeyDown={onKey}
      >
        {ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${yOf(tick)})`}>
            <line x1={left} x2={left + width} />
            <text x={left - 8} dy="0.32em" textAnchor="end">
              {abbreviate(tick)}
            </text>
          </g>
        ))}
        {level && <line className="level" x1={left} x2={left + width} y1={yOf(level.value)} y2={yOf(level.value)} />}
        <path d={points.map(({ at, value }, index) => `${index === 0 ? 'M' : 'L'} ${xOf(at)} ${yOf(value)}`).join(' ')} />
        {current && <circle r={4.5} cx={xOf(current.at)} cy={yOf(current.value)} />}
        <g transform={`translate(0 ${height - 4})`}>
          {labels.map(({ index, x, anchor }) => (
            <text key={index} x={x} textAnchor={anchor}>
              {points[index]?.label}
            </text>
          ))}
        </g>
      </Line>
      {at && (
        <Tip aria-hidden style={{ left: Math.max(0, Math.min(left + width - 190, xOf(at.at) - 95)) }}>
          <b>{at.title}</b>
          <span>
            {label}
            <em>{exact(at.value)}</em>
          </span>
          {at.details?.map(([name, value]) => (
            <span key={name}>
              {name}
              <em>{exact(value)}</em>
            </span>
          ))}
        </Tip>
      )}
    </Frame>
  );
}
