/**
 * Counts over time, stacked by series. An SVG of its own: this one chart is 3 KiB gzip, MUI X Charts adds 183 KiB to the route that uses it
 * and its bars cannot be reached by keyboard one by one. Every bar is a button (arrow keys move, Enter filters), and the same figures
 * stand as a table in the frame around it.
 */
import { type KeyboardEvent, useRef, useState } from 'react';
import { BarsTip, Frame, Legend, Plot } from './bars.styles.tsx';
import { axisLabels, type Bar, type Bucket, type Geometry, geometryOf, type Series } from './bars.ts';
import { abbreviate, exact } from './numbers.ts';
import { useBrush } from './useBrush.ts';
import { useWidth } from './useSize.ts';

interface Props {
  /** Accessible name: "Alerts by day". */
  label: string;
  /** At most six; the first lies at the bottom. */
  series: readonly Series[];
  buckets: readonly Bucket[];
  height?: number;
  /** A bar, or one part of it, was chosen. */
  onPick?: (bucket: Bucket, series?: Series) => void;
  /** Several bars were chosen, by dragging or with Shift and the arrow keys. */
  onBrush?: (first: Bucket, last: Bucket) => void;
}

const left = 34;
const bottom = 20;

export function StackedBars({ label, series, buckets, height = 180, onPick, onBrush }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<SVGSVGElement>(null);
  const width = (useWidth(root) ?? 0) - left;
  const [at, setAt] = useState<number>();
  const [start, setStart] = useState(buckets.length - 1);
  const { bars, ticks, yOf } = geometryOf(
    buckets.map((bucket) => bucket.values),
    Math.max(0, width),
    height - bottom - 8,
    Math.max(0, ...buckets.map(({ usual = 0 }) => usual)),
  );
  const hasUsual = buckets.some(({ usual }) => usual !== undefined);
  const tabStop = Math.min(Math.max(0, start), buckets.length - 1);
  const shown = at === undefined ? undefined : buckets[at];
  const barAt = at === undefined ? undefined : bars[at];

  const indexAt = (x: number) => {
    const slot = bars[0]?.slotWidth || 1;
    const from = (plot.current?.getBoundingClientRect().left ?? 0) + left;
    return Math.min(Math.max(0, Math.floor((x - from) / slot)), buckets.length - 1);
  };
  const brush = useBrush(plot, indexAt, ({ from, to }) => {
    const [first, last] = [buckets[from], buckets[to]];
    if (first && last) onBrush?.(first, last);
  });
  const pick = (bucket: Bucket) => {
    const [first, last] = brush.selected ? [buckets[brush.selected.from], buckets[brush.selected.to]] : [];
    brush.clear();
    if (first && last && first !== last) onBrush?.(first, last);
    else onPick?.(bucket);
  };

  const onKey = (event: KeyboardEvent, index: number) => {
    const bucket = buckets[index];
    if ((event.key === 'Enter' || event.key === ' ') && bucket) pick(bucket);
    else {
      const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: buckets.length - 1 }[event.key];
      if (event.key === 'Escape') {
        setAt(undefined);
        brush.clear();
      }
      if (to === undefined || to < 0 || to >= buckets.length) return;
      if (onBrush && event.shiftKey) brush.extend(index, to);
      else brush.clear();
      plot.current?.querySelectorAll<SVGGElement>('[data-bar]')[to]?.focus();
    }
    event.preventDefault();
  };

  return (
    <Frame ref={root}>
      {/* One series is what the chart's title says. */}
      {(series.length > 1 || hasUsual) && <BarsLegend series={series} hasUsual={hasUsual} />}
      <Plot
        ref={plot}
        height={height}
        role="group"
        data-chart
        aria-label={`${label}. Arrow keys move between the bars.${onBrush ? ' With Shift they select several; Enter narrows to them.' : ''}`}
        className={onBrush && 'can-brush'}
        {...(onBrush && brush.handlers)}
        onMouseLeave={() => setAt(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${yOf(tick) + 8})`} aria-hidden>
            <line x1={left} x2={left + width} />
            <text x={left - 8} dy="0.32em" textAnchor="end">
              {abbreviate(tick)}
            </text>
          </g>
        ))}
        {bars.map((bar, index) => {
          const bucket = buckets[index];
          if (!bucket) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: HTML buttons cannot stand inside a drawing.
            <g
              key={bucket.key}
              data-bar
              role="button"
              tabIndex={index === tabStop ? 0 : -1}
              aria-label={`${bucket.title}: ${sentence(series, bucket)}`}
              transform={`translate(${left} 8)`}
              className={[onPick && 'can-act', brush.has(index) && 'is-selected'].filter(Boolean).join(' ') || undefined}
              onMouseEnter={() => setAt(index)}
              onFocus={() => {
                setAt(index);
                setStart(index);
              }}
              onBlur={() => setAt(undefined)}
              onClick={(event) => onPick?.(bucket, series[Number(partOf(event.target))])}
              onKeyDown={(event) => onKey(event, index)}
            >
              <BarParts bar={bar} bucket={bucket} series={series} yOf={yOf} height={height - bottom} />
            </g>
          );
        })}
        <Axis bars={bars} buckets={buckets} width={width} y={height - bottom + 16} />
      </Plot>
      {shown && barAt && (
        <BarsTip bucket={shown} series={series} x={left + barAt.slotX + barAt.slotWidth / 2} room={left + width} />
      )}
    </Frame>
  );
}

function BarsLegend({ series, hasUsual }: { series: readonly Series[]; hasUsual: boolean }) {
  return (
    <Legend>
      {series.map((each) => (
        <li key={each.id} data-legend={each.color}>
          {each.icon ?? <i style={{ backgroundColor: each.color }} />}
          {each.name}
        </li>
      ))}
      {hasUsual && (
        <li>
          <i className="usual" />
          Usual
        </li>
      )}
    </Legend>
  );
}

interface BarProps {
  bar: Bar;
  bucket: Bucket;
  series: readonly Series[];
  yOf: Geometry['yOf'];
  height: number;
}

function BarParts({ bar, bucket, series, yOf, height }: BarProps) {
  return (
    <>
      <rect className="slot" x={bar.slotX} width={bar.slotWidth} y={-8} height={height} />
      {bar.segments.map((segment) => (
        <rect
          key={segment.series}
          data-part={segment.series}
          x={bar.x}
          width={bar.width}
          y={segment.y}
          height={segment.height}
          fill={series[segment.series]?.color}
        />
      ))}
      {bucket.usual !== undefined && (
        <line className="usual" x1={bar.slotX} x2={bar.slotX + bar.slotWidth} y1={yOf(bucket.usual)} y2={yOf(bucket.usual)} />
      )}
    </>
  );
}

/** Labels of as many buckets as fit. */
function Axis({ bars, buckets, width, y }: { bars: readonly Bar[]; buckets: readonly Bucket[]; width: number; y: number }) {
  const labels = axisLabels(
    buckets.map(({ label }) => label),
    bars.map(({ slotX, slotWidth }) => slotX + slotWidth / 2),
    width,
  );
  return (
    <g transform={`translate(${left} ${y})`} aria-hidden>
      {labels.map(({ index, x, anchor }) => (
        <text key={buckets[index]?.key} x={x} textAnchor={anchor}>
          {buckets[index]?.label}
        </text>
      ))}
    </g>
  );
}

function sentence(series: readonly Series[], bucket: Bucket): string {
  const parts = series.map((each, index) => [each.name, bucket.values[index] ?? 0] as const).filter(([, value]) => value > 0);
  const usual = bucket.usual === undefined ? '' : `, usually ${exact(bucket.usual)}`;
  return (parts.length === 0 ? 'none' : parts.map(([name, value]) => `${exact(value)} ${name}`).join(', ')) + usual;
}

/** The series whose part was hit; nothing above the bar. */
const partOf = (target: EventTarget) => (target instanceof SVGElement ? target.dataset.part : undefined);
