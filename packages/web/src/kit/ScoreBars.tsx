/** Scores as bars with names and numbers; unmeasured ones are labelled. A single SVG, so that it can be exported. */
import { styled } from '@mui/material/styles';
import { useRef } from 'react';
import { exact } from './numbers.ts';
import { palette } from './palette.ts';
import { useWidth } from './useSize.ts';

export interface ScoreBar {
  id: string;
  name: string;
  /** null: not measured. */
  value: number | null;
}

const Drawing = styled('svg')({
  display: 'block',
  width: '100%',
  fontSize: 13,
  fontVariantNumeric: 'tabular-nums',
  '& text': { fill: palette.text.primary },
  '& text.quiet': { fill: palette.text.secondary },
  '& .all': { fill: palette.action.selected },
  '& .now': { fill: palette.primary.main },
  '& .none': { fill: 'none', stroke: palette.text.secondary, strokeWidth: 1, strokeDasharray: '3 3' },
});

const bar = 10;
const notMeasured = 'not measured';

interface Props {
  /** Accessible name: "Score by category". */
  label: string;
  bars: readonly ScoreBar[];
  most: number;
}

export function ScoreBars({ label, bars, most }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const width = useWidth(root) ?? 0;
  const isNarrow = width < 420;
  const row = isNarrow ? 40 : 32;
  const left = isNarrow ? 0 : 160;
  const room = Math.max(0, width - left - 92);
  const texts = bars.map(({ name, value }) => `${name} ${value === null ? notMeasured : `${exact(value)} of ${exact(most)}`}`);
  return (
    <div ref={root} style={{ minHeight: bars.length * row }}>
      <Drawing data-chart height={bars.length * row} role="img" aria-label={`${label}: ${texts.join('; ')}`}>
        {bars.map(({ id, name, value }, index) => (
          <g key={id} transform={`translate(0 ${index * row + (isNarrow ? 16 : 0)})`}>
            <text y={isNarrow ? -4 : row / 2} dy={isNarrow ? undefined : '0.35em'}>
              {name}
            </text>
            {value === null ? (
              <rect
                className="none"
                x={left + 0.5}
                y={(isNarrow ? 4 : (row - bar) / 2) + 0.5}
                width={room}
                height={bar - 1}
                rx={4}
              />
            ) : (
              <>
                <rect className="all" x={left} y={isNarrow ? 4 : (row - bar) / 2} width={room} height={bar} rx={4} />
                <rect
                  className="now"
                  x={left}
                  y={isNarrow ? 4 : (row - bar) / 2}
                  width={(room * Math.min(most, Math.max(0, value))) / most}
                  height={bar}
                  rx={4}
                />
              </>
            )}
            <text
              className={value === null ? 'quiet' : undefined}
              x={width}
              y={isNarrow ? 9 : row / 2}
              dy="0.35em"
              textAnchor="end"
            >
              {value === null ? notMeasured : exact(value)}
            </text>
          </g>
        ))}
      </Drawing>
    </div>
  );
}
