/** Parts that the entities share: columns, the viewer, addresses of pages. */
import { type RawBuilder, sql } from 'kysely';
import { column } from '../attributes.ts';
import type { AttributeSql, QueryContext } from '../schema.ts';

/** A column of the row as it is. */
export const of =
  (name: string): AttributeSql =>
  (row) =>
    column(row, name);

export const clientKey = { sql: (row: RawBuilder<unknown>) => sql`${row}.organisation_id::text` };

/** The row has the viewer's id in a column. */
export const isViewer =
  (name: string) =>
  (row: RawBuilder<unknown>, { userId }: QueryContext) =>
    sql<boolean>`${column(row, name)} is not distinct from ${userId}::integer`;

/** Address of a page, without empty parameters, as the pages build it. */
export function addressOf(page: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? page : `${page}?${search.replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}
