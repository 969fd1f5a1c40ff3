/** SQL of threat intelligence. It belongs to no organisation: readable in every scope, writable in system scope only. */
import type { IndicatorKind, IntelligenceList, intelligenceFormats } from '@parapet/contract/intelligence.ts';
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Indicator, Reputation } from './intelligence.values.ts';

const rowsPerStatement = 10_000;

interface ListRow {
  id: number;
  name: string;
  format: string;
  count: number;
  imported_at: Date;
  isOfFeed?: boolean;
}
const toList = (row: ListRow): IntelligenceList => ({
  id: row.id,
  name: row.name,
  format: row.format as (typeof intelligenceFormats)[number],
  count: row.count,
  importedTime: row.imported_at.toISOString(),
  isOfFeed: row.isOfFeed ?? false,
});

export async function listLists(tx: Tx): Promise<{ results: IntelligenceList[]; total: number }> {
  const rows = await tx
    .selectFrom('intelligence_lists as l')
    .selectAll()
    .select(sql<boolean>`exists (select from intelligence_feeds f where f.list_id = l.id)`.as('isOfFeed'))
    .orderBy(sql`lower(name)`)
    .limit(1_000)
    .execute();
  return { results: rows.map(toList), total: rows.length };
}

/** Malicious and suspicious ones that no list has as such yet. */
export async function listUnknown(tx: Tx, indicators: readonly Indicator[]): Promise<Indicator[]> {
  const wanted = indicators.filter(({ reputation }) => reputation === 'Malicious' || reputation === 'Suspicious');
  const unknown: Indicator[] = [];
  for (let from = 0; from < wanted.length; from += rowsPerStatement) {
    const part = wanted.slice(from, from + rowsPerStatement);
    const { rows } = await sql<Indicator>`
      select w.* from unnest(${textColumn(part.map((each) => each.kind))}, ${textColumn(part.map((each) => each.value))},
        ${textColumn(part.map((each) => each.reputation))}) as w (kind, value, reputation)
      where not exists (select from indicators i where i.kind = w.kind and i.value = w.value and i.reputation in ('Malicious', 'Suspicious'))`.execute(
      tx,
    );
    unknown.push(...rows);
  }
  return unknown;
}

/** True for the list of a feed. */
export async function isOfFeed(tx: Tx, { name, id }: { name?: string; id?: number }): Promise<boolean> {
  const { rows } = await sql`
    select from intelligence_feeds f join intelligence_lists l on l.id = f.list_id
    where l.name = ${name ?? null} or l.id = ${id ?? null} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Replaces the list of the same name. */
export async function replaceList(
  tx: Tx,
  name: string,
  format: string,
  at: Date,
  indicators: readonly Indicator[],
): Promise<IntelligenceList> {
  const values = { format, imported_at: at, count: indicators.length };
  const row = await tx
    .insertInto('intelligence_lists')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx.deleteFrom('indicators').where('list_id', '=', row.id).execute();
  for (let from = 0; from < indicators.length; from += rowsPerStatement) {
    const part = indicators.slice(from, from + rowsPerStatement);
    await sql`
      insert into indicators (list_id, kind, value, reputation)
      select ${row.id}, * from unnest(${textColumn(part.map((each) => each.kind))}, ${textColumn(part.map((each) => each.value))},
        ${textColumn(part.map((each) => each.reputation))})`.execute(tx);
  }
  return toList(row);
}

/** Returns the removed list; undefined when there is none. */
export async function removeList(tx: Tx, id: number): Promise<IntelligenceList | undefined> {
  const row = await tx.deleteFrom('intelligence_lists').where('id', '=', id).returningAll().executeTakeFirst();
  return row && toList(row);
}

/** Marks open cases that contain a listed value for a new decision. */
export async function reconsiderCases(tx: Tx, listId: number): Promise<void> {
  await sql`
    update cases set needs_decision = true where closed_at is null and not needs_decision and exists (
      select from case_artifacts a join indicators i on i.list_id = ${listId} and i.value = a.value
        and i.kind = case a.kind when 'hash' then 'hash' when 'domain' then 'domain' else 'ip' end
      where a.case_id = cases.id and a.kind in ('destinationIp', 'sourceIp', 'domain', 'hash'))`.execute(tx);
}

export interface Known {
  kind: IndicatorKind;
  value: string;
  reputation: Reputation;
  list: string;
}

/** Entries for these values, worst first. */
export async function findIndicators(tx: Tx, wanted: readonly { kind: IndicatorKind; value: string }[]): Promise<Known[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<Known>`
    select i.kind, i.value, i.reputation, l.name as list
    from unnest(${textColumn(wanted.map((each) => each.kind))}, ${textColumn(wanted.map((each) => each.value))}) as w (kind, value)
    join indicators i on i.kind = w.kind and i.value = w.value join intelligence_lists l on l.id = i.list_id
    order by array_position(array['Malicious', 'Suspicious', 'Unknown', 'Benign'], i.reputation), l.name, i.kind, i.value`.execute(
    tx,
  );
  return rows;
}
