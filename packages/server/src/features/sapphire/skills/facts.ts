/**
 * Input and output of a skill: facts as sentences, with sources and rows. Services are called with the caller’s actor, which
 * enforces the scope again.
 */
import { counted, exact as number } from '@parapet/contract/rules/numbers.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { SapphireChart, SapphireSource, SapphireTable } from '@parapet/contract/sapphire.ts';
import { type Cell, csvLine, csvStart } from '../../../core/csv.ts';
import type { Actor } from '../../../core/http/actor.ts';
import type { AlertsService } from '../../alerts/alerts.service.ts';
import type { CasesService } from '../../cases/cases.service.ts';
import type { RiskService } from '../../risk/risk.service.ts';

/** Read-only services of the screens. */
export interface SkillServices {
  alerts: Pick<AlertsService, 'detail'>;
  cases: Pick<CasesService, 'detail'>;
  risk: Pick<RiskService, 'details'>;
}

export interface SkillContext {
  actor: Actor;
  services: SkillServices;
  slots: SapphireSlots;
  /** Original text. */
  question: string;
  /** Organisations to query, one by one; [0] for all in scope. Never empty. */
  clients: readonly number[];
  /** "Alder Manufacturing", "all your clients". */
  whose: string;
  now: number;
  timeZone: string;
}

export interface Facts {
  text: string;
  sources: SapphireSource[];
  table?: SapphireTable;
  /** All rows, when the table holds only the first. */
  rows?: readonly (readonly Cell[])[];
  /** File name without extension. */
  fileName?: string;
  choices: string[];
  chart?: SapphireChart;
  /** The skill has no answer. */
  isUnknown?: true;
}

export type Skill = (context: SkillContext) => Promise<Facts>;

const shownRows = 50;
const maxFile = 1_900_000;

export interface Row {
  cells: Cell[];
  path?: string;
}

/** Rows as a table, and all of them for the file. */
export const rowsOf = (
  columns: string[],
  rows: readonly Row[],
  fileName: string,
): Pick<Facts, 'table' | 'rows' | 'fileName'> | Record<string, never> =>
  rows.length === 0
    ? {}
    : {
        table: {
          columns,
          rows: rows
            .slice(0, shownRows)
            .map(({ cells, path }) => ({ cells: cells.map(cut), ...(path !== undefined && path.length <= 2_000 && { path }) })),
        },
        rows: rows.map(({ cells }) => cells),
        fileName,
      };

const cut = (cell: Cell): Cell => (typeof cell === 'string' ? cell.slice(0, 2_000) : cell);

export function fileOf({ table, rows, fileName }: Facts): { name: string; csv: string } | null {
  if (!table || !rows || !fileName) return null;
  let csv = csvStart(table.columns);
  for (const row of rows) {
    const line = csvLine(row);
    if (csv.length + line.length > maxFile) break;
    csv += line;
  }
  return { name: `${fileName}.csv`, csv };
}

/** Queries each organisation. */
export const each = async <T>({ clients }: SkillContext, query: (client: number) => Promise<T>): Promise<T[]> => {
  const answers: T[] = [];
  for (const client of clients) answers.push(await query(client));
  return answers;
};

export { counted, number };
/** "a, b and c". */
export const listed = (parts: readonly string[], word = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
/** Quotes text of events and people, shortened to one line. */
export const quoted = (text: string, most = 200): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return `“${line.length > most ? `${line.slice(0, most - 1)}…` : line}”`;
};
export const plain = (text: string, most = 200): string => quoted(text, most).slice(1, -1);

export const when = (instant: string | number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
    .format(new Date(instant))
    .replace(' at ', ', ');
/** "up 12%", "down 5%", "as many as". */
export function changeOf(now: number, before: number): string {
  if (now === before) return 'no change';
  if (before === 0) return 'up from none';
  const share = Math.round((1_000 * Math.abs(now - before)) / before) / 10;
  return `${now > before ? 'up' : 'down'} ${number(share)}%`;
}

/** "in the last seven days", "since Monday". */
export const inTime = (label: string): string =>
  /^(since|today|yesterday|this|last|between|before|ever|on|in|until|from|over|so)\b/i.test(label) ? label : `in ${label}`;
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
