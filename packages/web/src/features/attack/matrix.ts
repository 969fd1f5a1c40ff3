/** Layout of the matrix: cell positions, heat, keyboard navigation, and the equivalent table. Pure. */
import type { attackApi, MatrixTactic, MatrixTechnique } from '@parapet/contract/attack.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { ChartTable } from '../../kit/chartTable.ts';
import { exact } from '../../kit/numbers.ts';

export type Cell = Omit<MatrixTechnique, 'subtechniques'>;
export interface PlacedCell extends Cell {
  isSub: boolean;
  column: number;
  /** Position within its column, from 0. */
  row: number;
}
export interface Column {
  tactic: MatrixTactic;
  cells: PlacedCell[];
}

/** Displayed techniques: with alerts (`seen`), with alerts or rules (`known`), or all. */
export const shows = ['seen', 'known', 'all'] as const;
export type Show = (typeof shows)[number];

const fits = (cell: Cell, show: Show): boolean =>
  show === 'all' || cell.count > 0 || cell.before > 0 || (show === 'known' && cell.rules > 0);

/** Columns of the matrix. Omits tactics without cells, which would only widen it. */
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

/** Heat on a logarithmic scale, because counts differ by powers of ten: 0 without alerts, else 0.15 to 1. */
export function heatOf(count: number, max: number): number {
  if (count <= 0) return 0;
  return max <= 1 ? 1 : 0.15 + 0.85 * (Math.log(count) / Math.log(max));
}

/** Target of an arrow key: up and down within a column, across to the cell at the same height or the column's last. */
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
  seen: 'detected',
  covered: 'covered',
  blind: 'not covered: its rules lack a log source or field',
  none: 'no rules',
};

export function sentenceOf(cell: Cell, isCompared: boolean): string {
  const alerts = `${exact(cell.count)} ${cell.count === 1 ? 'alert' : 'alerts'}`;
  const before = isCompared ? `, ${exact(cell.before)} in the comparison timeframe` : '';
  const rules = `${cell.liveRules} of ${cell.rules} ${cell.rules === 1 ? 'rule' : 'rules'} can match${cell.blockedRules > 0 ? `, ${cell.blockedRules} lack a field` : ''}`;
  return `${cell.id} ${cell.name}: ${alerts}${before}; ${coverageLabel[cell.coverage]}${cell.rules > 0 ? `, ${rules}` : ''}`;
}

export const tableOf = (columns: readonly Column[], isCompared: boolean): ChartTable => ({
  head: [
    'Technique',
    'Name',
    'Tactic',
    'Alerts',
    ...(isCompared ? ['Before'] : []),
    'Rules',
    'Rules that can match',
    'Rules lacking a field',
    'Coverage',
  ],
  rows: columns.flatMap(({ tactic, cells }) =>
    cells.map((cell) => [
      cell.id,
      cell.name,
      tactic.name,
      cell.count,
      ...(isCompared ? [cell.before] : []),
      cell.rules,
      cell.liveRules,
      cell.blockedRules,
      coverageLabel[cell.coverage],
    ]),
  ),
});

/** A technique with the names of its log sources and missing fields instead of their positions. */
export interface CoveredTechnique extends Omit<Cell, 'sources' | 'missing'> {
  sources: string[];
  missing: string[];
}

/** Techniques and sub-techniques that have a rule, once each, by id; live log sources first. */
export function techniquesWithRules({
  tactics,
  sources,
  missing,
}: Pick<AnswerOf<typeof attackApi.matrix>, 'tactics' | 'sources' | 'missing'>): CoveredTechnique[] {
  const cells = tactics.flatMap(({ techniques }) => techniques.flatMap((technique) => [technique, ...technique.subtechniques]));
  return [...new Map(cells.filter(({ rules }) => rules > 0).map((cell) => [cell.id, cell])).values()]
    .map((cell) => ({
      ...cell,
      sources: cell.sources.flatMap((position) => sources[position]?.logSource ?? []),
      missing: [...new Set(cell.missing.flatMap((position) => missing[position]?.field ?? []))],
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Those whose id, name, log source, missing field or recording contains all words. */
export function techniquesWith(techniques: readonly CoveredTechnique[], text: string): CoveredTechnique[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return techniques.filter(({ id, name, sources, missing, provedBy }) => {
    const own = [id, name, ...sources, ...missing, provedBy ?? ''].join(' ').toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

/** Splits a name into at most two lines of `width` characters; longer names end in an ellipsis. */
export function linesOf(name: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of name.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  const clipped = lines.length > 2 ? [lines[0]!, `${lines[1]} …`] : lines;
  return clipped.map((each) => (each.length > width ? `${each.slice(0, width - 1).trimEnd()}…` : each));
}
