/** The matrix as it is drawn: which cells stand where, how warm each is, and the same as a table. Pure. */
import type { MatrixTactic, MatrixTechnique } from '@parapet/contract/attack.ts';
import type { ChartTable } from '../../kit/chartTable.ts';
import { exact } from '../../kit/numbers.ts';

export type Cell = Omit<MatrixTechnique, 'subtechniques'>;
export interface PlacedCell extends Cell {
  isSub: boolean;
  column: number;
  /** Place within its column, from 0. */
  row: number;
}
export interface Column {
  tactic: MatrixTactic;
  cells: PlacedCell[];
}

/** What is shown: what happened, what rules are for too, or everything. */
export const shows = ['seen', 'known', 'all'] as const;
export type Show = (typeof shows)[number];

const fits = (cell: Cell, show: Show): boolean =>
  show === 'all' || cell.count > 0 || cell.before > 0 || (show === 'known' && cell.rules > 0);

/** Tactics without a cell are left out: they would only make the others harder to reach. */
export const columnsOf = (tactics: readonly MatrixTactic[], show: Show, hasSubs: boolean): Column[] =>
  tactics
    .map((tactic) => ({
      tactic,
      cells: tactic.techniques
        .filter((technique) => fits(technique, show))
        .flatMap(({ subtechniques, ...technique }) => [
          { ...technique, isSub: false },
          ...(hasSubs ? subtechniques.filter((sub) => fits(sub, show)).map((sub) => ({ ...sub, isSub: true })) : []),
        ]),
    }))
    .filter(({ cells }) => cells.length > 0)
    .map(({ tactic, cells }, column) => ({ tactic, cells: cells.map((cell, row) => ({ ...cell, column, row })) }));

/** 0 without alerts, else from 0.15 to 1 by magnitude: counts differ by powers of ten. */
export function heatOf(count: number, most: number): number {
  if (count <= 0) return 0;
  return most <= 1 ? 1 : 0.15 + 0.85 * (Math.log(count) / Math.log(most));
}

/** Where an arrow key leads: up and down within a column, across to the cell at the same height, or the column’s last. */
export function stepFrom(columns: readonly Column[], at: { column: number; row: number }, key: string): PlacedCell | undefined {
  const cells = columns[at.column]?.cells ?? [];
  if (key === 'ArrowUp') return cells[at.row - 1];
  if (key === 'ArrowDown') return cells[at.row + 1];
  if (key === 'Home') return cells[0];
  if (key === 'End') return cells.at(-1);
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  const others = step === 0 ? undefined : columns[at.column + step]?.cells;
  return others?.[Math.min(at.row, others.length - 1)];
}

export const coverageLabel: Record<Cell['coverage'], string> = {
  seen: 'seen',
  covered: 'can be seen',
  blind: 'blind: no source feeds its rules',
  none: 'no rule',
};

export function sentenceOf(cell: Cell, isCompared: boolean): string {
  const alerts = `${exact(cell.count)} ${cell.count === 1 ? 'alert' : 'alerts'}`;
  const before = isCompared ? `, ${exact(cell.before)} in the timeframe compared with` : '';
  const rules = `${cell.liveRules} of ${cell.rules} ${cell.rules === 1 ? 'rule' : 'rules'} fed`;
  return `${cell.id} ${cell.name}: ${alerts}${before}; ${coverageLabel[cell.coverage]}${cell.rules > 0 ? `, ${rules}` : ''}`;
}

export const tableOf = (columns: readonly Column[], isCompared: boolean): ChartTable => ({
  head: ['Technique', 'Name', 'Tactic', 'Alerts', ...(isCompared ? ['Before'] : []), 'Rules', 'Rules fed', 'Coverage'],
  rows: columns.flatMap(({ tactic, cells }) =>
    cells.map((cell) => [
      cell.id,
      cell.name,
      tactic.name,
      cell.count,
      ...(isCompared ? [cell.before] : []),
      cell.rules,
      cell.liveRules,
      coverageLabel[cell.coverage],
    ]),
  ),
});

/** A name in at most two lines of so many characters; what does not fit ends in an ellipsis. */
export function linesOf(name: string, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of name.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= most || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  const cut = lines.length > 2 ? [lines[0]!, `${lines[1]} …`] : lines;
  return cut.map((each) => (each.length > most ? `${each.slice(0, most - 1).trimEnd()}…` : each));
}
