/** The strangers' questions, and their truth by SQL at that moment. */
import { readFileSync } from 'node:fs';
import type { Database } from '@parapet/server/core/db/connect.ts';
import { readScoped } from '@parapet/server/core/db/scope.ts';
import { eventStore } from '@parapet/server/domain/events/eventStore.ts';
import { organisations } from '@parapet/world/organisations.ts';
import { sql } from 'kysely';
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

/** Table of the stored events for the SQL of questions, which the store keeps compressed. */
async function copyEvents(db: Database, pool: pg.Pool): Promise<void> {
  const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  const records = await readScoped(db, 'system', async (tx) => {
    const { rows } = await sql<{
      records: string;
    }>`select json_agg(e)::text as records from ${eventStore.table('system', all)} e`.execute(tx);
    return rows[0]?.records ?? '[]';
  });
  await pool.query('drop table if exists events');
  await pool.query(
    'create table events (organisation_id integer, at timestamptz, id uuid, device_name text, user_name text, text text, document jsonb)',
  );
  await pool.query(
    `insert into events select * from json_to_recordset($1::json)
      as e (organisation_id integer, at timestamptz, id uuid, device_name text, user_name text, text text, document jsonb)`,
    [records],
  );
}

/** undefined without SQL. */
export async function truthOf(
  db: Database,
  pool: pg.Pool,
  { sql: truth, persona }: StrangersQuestion,
  { now, zone }: { now: number; zone: string },
): Promise<Truth | undefined> {
  if (!truth) return undefined;
  if (/\bevents e\b/.test(truth)) await copyEvents(db, pool);
  const values: unknown[] = [];
  const types = { now: 'timestamptz', zone: 'text', organisations: 'integer[]' };
  const given = { now: new Date(now), zone, organisations: scopeOf(persona) };
  const text = truth.replace(/(?<!:):(now|zone|organisations)\b/g, (_, name: keyof typeof given) => {
    values.push(given[name]);
    return `$${values.length}::${types[name]}`;
  });
  const { rows } = await pool.query<unknown[]>({ text, values, rowMode: 'array' });
  const columns = truth.slice(0, truth.search(/\sfrom \w+ \w\b/));
  const isByClient = /^select (?:\w\.organisation_id|o\.id)/.test(truth);
  const table = new RegExp(`\\sfrom (\\w+) ${/^select (?:distinct )?(\w)\.(?:id|cve)\b/.exec(truth)?.[1] ?? '-'}\\b`).exec(
    truth,
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
