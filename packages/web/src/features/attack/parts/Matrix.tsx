/**
 * ATT&CK matrix as SVG: a column for each tactic, a cell for each technique, linked to its alerts. Arrow keys move between cells, Enter
 * opens. Heat encodes the number of alerts; the number, the coverage mark and the accessible name repeat it without colour.
 */
import { styled } from '@mui/material/styles';
import { type KeyboardEvent, useRef, useState } from 'react';
import { abbreviate, exact } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { useWidth } from '../../../kit/useSize.ts';
import { useGo } from '../../../lib/address.ts';
import { type Cell, type Column, heatOf, linesOf, type PlacedCell, sentenceOf, stepFrom } from '../matrix.ts';

const minColumn = 112;
const headHeight = 48;
const cellHeight = 44;
const gap = 3;
const indent = 10;
/** Average width of a character in px at 11 px font size. */
const characterWidth = 5.9;

const Scroll = styled('div')({ overflowX: 'auto', paddingBottom: 4 });
const Drawing = styled('svg')({
  '--hot': palette.primary.main,
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
  '& g.linked': { cursor: 'pointer' },
});
const Legend = styled('ul')({
  '--hot': palette.primary.main,
  '--cold': palette.background.paper,
  display: 'flex',
  flexWrap: 'wrap',
  gap: '4px 16px',
  margin: '0 0 8px',
  padding: 0,
  listStyle: 'none',
  fontSize: 12,
  color: palette.text.secondary,
  '& li': { display: 'inline-flex', alignItems: 'center', gap: 6 },
  '& i': { width: 48, height: 10, borderRadius: 2 },
  '& svg': { overflow: 'visible' },
});

/** Cell colour. Mixes in at most 38% of the accent, so that text stays readable in every theme. */
const fillOf = (heat: number) => `color-mix(in srgb, var(--hot) ${Math.round(heat * 38)}%, var(--cold))`;

/** Coverage mark. Filled: rules with a live log source. Hollow: rules without one. Absent: no rules. */
function CoverageMark({ coverage, liveRules, x, y }: Pick<Cell, 'coverage' | 'liveRules'> & { x: number; y: number }) {
  if (coverage === 'none' || (coverage === 'seen' && liveRules === 0)) return null;
  return <circle className={coverage === 'blind' ? 'mark' : 'mark full'} cx={x} cy={y} r={3.5} />;
}

interface Props {
  columns: readonly Column[];
  isCompared: boolean;
  /** Undefined for cells without alerts. */
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
  const maxCount = Math.max(0, ...columns.flatMap(({ cells }) => cells.map(({ count }) => count)));
  const all = columns.flatMap(({ cells }) => cells);
  const isThere = all.some((cell) => cell.column === at.column && cell.row === at.row);
  const start = isThere ? at : all[0];

  const open = (cell: PlacedCell) => {
    const href = hrefOf(cell);
    if (href !== undefined) go(href);
    return href !== undefined;
  };
  const onKey = (event: KeyboardEvent, cell: PlacedCell) => {
    if (event.key !== 'Enter' || !open(cell)) {
      const to = stepFrom(columns, cell, event.key);
      if (!to) return;
      drawing.current?.querySelector<SVGGElement>(`[data-cell="${to.column}-${to.row}"]`)?.focus();
    }
    event.preventDefault();
  };

  return (
    <div ref={root}>
      <MatrixLegend />
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
                <TacticHead tactic={tactic} columnWidth={columnWidth} />
                {cells.map((cell) => (
                  <LinkedCell
                    key={cell.id}
                    cell={cell}
                    name={`${tactic.name}, ${sentenceOf(cell, isCompared)}`}
                    isLinked={hrefOf(cell) !== undefined}
                    isTabStop={cell.column === start?.column && cell.row === start.row}
                    columnWidth={columnWidth}
                    heat={heatOf(cell.count, maxCount)}
                    onFocus={() => setAt({ column: cell.column, row: cell.row })}
                    onOpen={() => open(cell)}
                    onKey={(event) => onKey(event, cell)}
                  />
                ))}
                {cells.map((cell) => (
                  <CellTexts key={cell.id} cell={cell} columnWidth={columnWidth} isCompared={isCompared} />
                ))}
              </g>
            ))}
          </Drawing>
        )}
      </Scroll>
    </div>
  );
}

const MatrixLegend = () => (
  <Legend>
    <li data-legend={fillOf(1)}>
      <i style={{ background: `linear-gradient(to right, ${fillOf(0)}, ${fillOf(1)})`, border: '1px solid currentColor' }} />
      More alerts
    </li>
    <li>
      <Drawing width={10} height={10} aria-hidden>
        <CoverageMark coverage="covered" liveRules={1} x={5} y={5} />
      </Drawing>
      Rules that can match
    </li>
    <li>
      <Drawing width={10} height={10} aria-hidden>
        <CoverageMark coverage="blind" liveRules={0} x={5} y={5} />
      </Drawing>
      Rules that lack a log source or field
    </li>
    <li>No mark: no rules</li>
  </Legend>
);

function TacticHead({ tactic, columnWidth }: { tactic: Column['tactic']; columnWidth: number }) {
  return (
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
  );
}

interface CellProps {
  cell: PlacedCell;
  /** Accessible name and tooltip. */
  name: string;
  isLinked: boolean;
  /** The one cell that Tab reaches; arrow keys reach the others. */
  isTabStop: boolean;
  columnWidth: number;
  heat: number;
  onFocus: () => void;
  onOpen: () => void;
  onKey: (event: KeyboardEvent) => void;
}

function LinkedCell({ cell, name, isLinked, isTabStop, columnWidth, heat, onFocus, onOpen, onKey }: CellProps) {
  const left = cell.isSub ? indent : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: HTML links cannot stand inside a drawing.
    <g
      data-cell={`${cell.column}-${cell.row}`}
      role="link"
      aria-disabled={!isLinked}
      aria-label={name}
      tabIndex={isTabStop ? 0 : -1}
      transform={`translate(${left} ${headHeight + cell.row * cellHeight})`}
      className={isLinked ? 'linked' : undefined}
      onFocus={onFocus}
      onClick={onOpen}
      onKeyDown={onKey}
    >
      <title>{name}</title>
      <rect
        className="cell"
        x={1}
        y={1}
        width={columnWidth - gap - left}
        height={cellHeight - gap}
        rx={4}
        style={cell.count > 0 ? { fill: fillOf(heat) } : undefined}
      />
    </g>
  );
}

/** Visible texts of a cell, hidden from assistive technology: the cell's accessible name contains them. */
function CellTexts({ cell, columnWidth, isCompared }: { cell: PlacedCell; columnWidth: number; isCompared: boolean }) {
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
      <CoverageMark coverage={cell.coverage} liveRules={cell.liveRules} x={10} y={33.5} />
    </g>
  );
}

/** Difference to the comparison timeframe: "+12", "−3", "=". */
function changeOf({ count, before }: Cell): string {
  const change = count - before;
  return change === 0
    ? '='
    : `${change > 0 ? '+' : '−'}${Math.abs(change) < 1_000 ? exact(Math.abs(change)) : abbreviate(Math.abs(change))}`;
}
