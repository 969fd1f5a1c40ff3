/**
 * The matrix as one drawing: a column for each tactic, a cell for each technique. A cell leads to its alerts; arrow keys move between
 * cells, Enter follows. Warmth says how many; the number, a mark for what can be seen and the sentence say the same without colour.
 */
import { styled } from '@mui/material/styles';
import { type KeyboardEvent, useRef, useState } from 'react';
import { abbreviate, exact } from '../../../kit/numbers.ts';
import { useWidth } from '../../../kit/useSize.ts';
import { useGo } from '../../../lib/address.ts';
import { type Cell, type Column, heatOf, linesOf, type PlacedCell, sentenceOf, stepFrom } from '../matrix.ts';

const minColumn = 112;
const headHeight = 48;
const cellHeight = 44;
const gap = 3;
const indent = 10;
/** Of an average character at 11 px. */
const characterWidth = 5.9;

const Scroll = styled('div')({ overflowX: 'auto', paddingBottom: 4 });
const Drawing = styled('svg')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    '--warm': palette.primary.main,
    '--cold': palette.background.paper,
    display: 'block',
    fontSize: 11,
    fontVariantNumeric: 'tabular-nums',
    '& text': { fill: palette.text.primary },
    '& .name': { fontSize: 12, fontWeight: 600 },
    '& .quiet': { fill: palette.text.secondary },
    '& .count': { fontWeight: 600 },
    '& rect.cell': { stroke: palette.divider, strokeWidth: 1, fill: palette.background.paper },
    '& .mark': { stroke: palette.text.secondary, strokeWidth: 1.5, fill: 'none' },
    '& .mark.full': { fill: palette.text.secondary },
    '& g[data-cell]:focus': { outline: 'none' },
    '& g[data-cell]:hover > rect.cell': { stroke: palette.text.secondary },
    '& g[data-cell]:focus-visible > rect.cell': { stroke: palette.primary.main, strokeWidth: 2.5 },
    '& g.door': { cursor: 'pointer' },
  };
});
const Legend = styled('ul')(({ theme }) => ({
  '--warm': (theme.vars ?? theme).palette.primary.main,
  '--cold': (theme.vars ?? theme).palette.background.paper,
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 16px',
  margin: '0 0 8px',
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  color: (theme.vars ?? theme).palette.text.secondary,
  '& li': { display: 'inline-flex', alignItems: 'center', gap: 6 },
  '& i': { width: 48, height: 10, borderRadius: 2 },
  '& svg': { overflow: 'visible' },
}));

/** Far enough from the accent that text stands on it in every theme. */
const warm = (heat: number) => `color-mix(in srgb, var(--warm) ${Math.round(heat * 38)}%, var(--cold))`;

/** Full: a source feeds its rules. Hollow: rules, but nothing feeds them. None without rules. */
function Mark({ coverage, liveRules, x, y }: Pick<Cell, 'coverage' | 'liveRules'> & { x: number; y: number }) {
  if (coverage === 'none' || (coverage === 'seen' && liveRules === 0)) return null;
  return <circle className={coverage === 'blind' ? 'mark' : 'mark full'} cx={x} cy={y} r={3.5} />;
}

interface Props {
  columns: readonly Column[];
  isCompared: boolean;
  /** Undefined where the cell leads nowhere. */
  hrefOf: (cell: Cell) => string | undefined;
}

export function Matrix({ columns, isCompared, hrefOf }: Props) {
  const go = useGo();
  const root = useRef<HTMLDivElement>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState({ column: 0, row: 0 });
  const room = useWidth(root) ?? 0;
  const columnWidth = Math.max(minColumn, Math.floor(room / Math.max(1, columns.length)));
  const rows = Math.max(1, ...columns.map(({ cells }) => cells.length));
  const most = Math.max(0, ...columns.flatMap(({ cells }) => cells.map(({ count }) => count)));
  const all = columns.flatMap(({ cells }) => cells);
  const isThere = all.some((cell) => cell.column === at.column && cell.row === at.row);
  const start = isThere ? at : all[0];

  const onKey = (event: KeyboardEvent, cell: PlacedCell) => {
    const href = hrefOf(cell);
    if (event.key === 'Enter' && href !== undefined) go(href);
    else {
      const to = stepFrom(columns, cell, event.key);
      if (!to) return;
      drawing.current?.querySelector<SVGGElement>(`[data-cell="${to.column}-${to.row}"]`)?.focus();
    }
    event.preventDefault();
  };

  return (
    <div ref={root}>
      <Legend>
        <li data-legend={warm(1)}>
          <i style={{ background: `linear-gradient(to right, ${warm(0)}, ${warm(1)})`, border: '1px solid currentColor' }} />
          More alerts
        </li>
        <li>
          <Drawing width={10} height={10} aria-hidden>
            <Mark coverage="covered" liveRules={1} x={5} y={5} />
          </Drawing>
          Rules that a source feeds now
        </li>
        <li>
          <Drawing width={10} height={10} aria-hidden>
            <Mark coverage="blind" liveRules={0} x={5} y={5} />
          </Drawing>
          Rules that nothing feeds
        </li>
        <li>No mark: no rule</li>
      </Legend>
      <Scroll>
        {room > 0 && (
          <Drawing
            ref={drawing}
            width={columnWidth * columns.length}
            height={headHeight + rows * cellHeight}
            data-chart
            role="group"
            aria-label="Techniques by tactic. Arrow keys move between the cells, Enter opens the alerts."
          >
            {columns.map(({ tactic, cells }, column) => (
              <g key={tactic.id} transform={`translate(${column * columnWidth} 0)`}>
                <g aria-hidden>
                  {linesOf(tactic.name, Math.floor((columnWidth - 16) / 7)).map((line, index) => (
                    <text key={line} className="name" x={6} y={13 + index * 14}>
                      {line}
                    </text>
                  ))}
                  <text className="quiet" x={6} y={41}>
                    {abbreviate(tactic.count)} {tactic.count === 1 ? 'alert' : 'alerts'}
                  </text>
                </g>
                {cells.map((cell) => {
                  const href = hrefOf(cell);
                  const left = cell.isSub ? indent : 0;
                  const sentence = `${tactic.name}, ${sentenceOf(cell, isCompared)}`;
                  return (
                    // biome-ignore lint/a11y/useSemanticElements: HTML links cannot stand inside a drawing.
                    <g
                      key={cell.id}
                      data-cell={`${cell.column}-${cell.row}`}
                      role="link"
                      aria-disabled={href === undefined}
                      aria-label={sentence}
                      tabIndex={cell.column === start?.column && cell.row === start.row ? 0 : -1}
                      transform={`translate(${left} ${headHeight + cell.row * cellHeight})`}
                      className={href === undefined ? undefined : 'door'}
                      onFocus={() => setAt({ column: cell.column, row: cell.row })}
                      onClick={() => href !== undefined && go(href)}
                      onKeyDown={(event) => onKey(event, cell)}
                    >
                      <title>{sentence}</title>
                      <rect
                        className="cell"
                        x={1}
                        y={1}
                        width={columnWidth - gap - left}
                        height={cellHeight - gap}
                        rx={4}
                        style={cell.count > 0 ? { fill: warm(heatOf(cell.count, most)) } : undefined}
                      />
                    </g>
                  );
                })}
                {cells.map((cell) => (
                  <Words key={cell.id} cell={cell} columnWidth={columnWidth} isCompared={isCompared} />
                ))}
              </g>
            ))}
          </Drawing>
        )}
      </Scroll>
    </div>
  );
}

/** What stands on a cell; the cell itself says it in one sentence. */
function Words({ cell, columnWidth, isCompared }: { cell: PlacedCell; columnWidth: number; isCompared: boolean }) {
  const left = cell.isSub ? indent : 0;
  const width = columnWidth - gap - left;
  return (
    <g transform={`translate(${left} ${headHeight + cell.row * cellHeight})`} pointerEvents="none" aria-hidden>
      {linesOf(cell.name, Math.floor((width - 14) / characterWidth)).map((line, index) => (
        <text key={line} x={7} y={13 + index * 12} className={cell.count > 0 ? undefined : 'quiet'}>
          {line}
        </text>
      ))}
      {cell.count > 0 && (
        <text className="count" x={width - 6} y={37} textAnchor="end">
          {abbreviate(cell.count)}
        </text>
      )}
      {isCompared && (cell.count > 0 || cell.before > 0) && (
        <text className="quiet" x={18} y={37}>
          {changeOf(cell)}
        </text>
      )}
      <Mark coverage={cell.coverage} liveRules={cell.liveRules} x={10} y={33.5} />
    </g>
  );
}

/** "+12", "−3", "=": what there is more or less than in the timeframe compared with. */
function changeOf({ count, before }: Cell): string {
  const change = count - before;
  return change === 0
    ? '='
    : `${change > 0 ? '+' : '−'}${Math.abs(change) < 1_000 ? exact(Math.abs(change)) : abbreviate(Math.abs(change))}`;
}
