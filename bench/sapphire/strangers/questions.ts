/** The strangers' questions, and their truth by SQL at that moment. */
import { readFileSync } from 'node:fs';
import { organisations } from '@parapet/world/organisations.ts';
import type pg from 'pg';
import { scopeOf } from '../people.ts';

export const sets = ['open', 'locked', 'fresh'] as const;
export type SetName = (typeof sets)[number];
export const kinds = ['answerable', 'command', 'forbidden', 'unanswerable', 'ambiguous'] as const;
export type Kind = (typeof kinds)[number];

export interface StrangersQuestion {
  id: string;
  after?: string;
  persona: string;
  question: string;
  kind: Kind;
  means: string;
  truth: object;
  /** Null as well where there is none. */
  sql?: string | null;
}

export const readSet = (name: SetName): StrangersQuestion[] =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')) as StrangersQuestion[];

/** Questions that follow each other share a conversation. */
export function conversationsOf(questions: readonly StrangersQuestion[]): StrangersQuestion[][] {
  const conversations: StrangersQuestion[][] = [];
  for (const question of questions) {
    const started = conversations.find((turns) => turns.some(({ id }) => id === question.after));
    if (started) started.push(question);
    else conversations.push([question]);
  }
  return conversations;
}

/** Ids of rows, numbers of one row, or a table of keys with values (as shown: names of organisations, weekdays, severities). */
export type Truth =
  | { kind: 'rows'; table: string; ids: string[] }
  | { kind: 'numbers'; numbers: number[] }
  | { kind: 'groups'; groups: string[][] }
  | { kind: 'other'; rows: unknown[][] };

/** undefined without SQL. */
export async function truthOf(
  pool: pg.Pool,
  { sql, persona }: StrangersQuestion,
  { now, zone }: { now: number; zone: string },
): Promise<Truth | undefined> {
  if (!sql) return undefined;
  const values: unknown[] = [];
  const types = { now: 'timestamptz', zone: 'text', organisations: 'integer[]' };
  const given = { now: new Date(now), zone, organisations: scopeOf(persona) };
  const text = sql.replace(/(?<!:):(now|zone|organisations)\b/g, (_, name: keyof typeof given) => {
    values.push(given[name]);
    return `$${values.length}::${types[name]}`;
  });
  const { rows } = await pool.query<unknown[]>({ text, values, rowMode: 'array' });
  const columns = sql.slice(0, sql.search(/\sfrom \w+ \w\b/));
  const isByClient = /^select (?:\w\.organisation_id|o\.id)/.test(sql);
  const table = new RegExp(`\\sfrom (\\w+) ${/^select (?:distinct )?(\w)\.(?:id|cve)\b/.exec(sql)?.[1] ?? '-'}\\b`).exec(
    sql,
  )?.[1];
  if (table !== undefined && !isByClient && !columns.includes('count('))
    return { kind: 'rows', table, ids: rows.map(([id]) => String(id)) };
  const isNumber = (cell: unknown) => cell !== null && cell !== '' && Number.isFinite(Number(cell)) && !(cell instanceof Date);
  if (rows.length === 1 && !isByClient && rows[0]!.every(isNumber)) return { kind: 'numbers', numbers: rows[0]!.map(Number) };
  if (!columns.includes('count(')) return { kind: 'other', rows };
  const key = (cell: unknown): string =>
    isByClient
      ? (organisations.find(({ id }) => id === cell)?.name ?? String(cell))
      : columns.includes('isodow')
        ? (weekdays[Number(cell) - 1] ?? String(cell))
        : columns.includes('criticality')
          ? (severities[Number(cell) - 1] ?? String(cell))
          : String(cell ?? '');
  return { kind: 'groups', groups: rows.map(([first, ...others]) => [key(first), ...others.map(String)]) };
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const severities = ['informational', 'low', 'medium', 'high', 'critical'];
