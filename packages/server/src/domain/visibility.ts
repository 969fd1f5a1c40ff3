/**
 * Conditions and columns that limit texts and names of people to what the reader may see; every query that returns such fields uses them. The reader
 * is part of the scope. Without one (jobs, emails), internal texts and names of the provider’s staff are excluded.
 */
import { providerId } from '@parapet/contract/access.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Scope, Tx } from '../core/db/scope.ts';

const anonymous: Reader = { organisationId: 0, canSeeInternal: false };
export const readerOf = (scope: Scope): Reader => (scope === 'system' ? anonymous : (scope.reader ?? anonymous));

/** The same scope with the client’s visibility, for documents that are passed on. */
export const asClient = (scope: Scope, organisationId: number): Scope => ({
  organisationIds: scope === 'system' ? [organisationId] : scope.organisationIds,
  reader: { organisationId, canSeeInternal: false },
});

/** Condition on the rows of each table that the client may see; all others are internal. */
const forClients = {
  audit: (row: RawBuilder<unknown>) => sql<boolean>`${row}.visibility = 'client'`,
  case_history: (row: RawBuilder<unknown>) => sql<boolean>`not ${row}.is_internal`,
  // A draft until it was mailed.
  case_narratives: (row: RawBuilder<unknown>) => sql<boolean>`${row}.email_sent_at is not null`,
  case_notes: (row: RawBuilder<unknown>) => sql<boolean>`not ${row}.is_internal`,
};

/** `where(visible('case_notes', scope))`; `row` is the alias of the table. */
export const visible = (
  table: keyof typeof forClients,
  scope: Scope,
  row: RawBuilder<unknown> = sql.table(table),
): RawBuilder<boolean> => (readerOf(scope).canSeeInternal ? sql<boolean>`true` : forClients[table](row));

type Column = string | RawBuilder<unknown>;
const ref = (column: Column): RawBuilder<unknown> => (typeof column === 'string' ? sql.ref(column) : column);

/** A person's name as the reader may know it: `person` is the column of the user's id, `name` that of the stored name. */
export const shownName = (scope: Scope, person: Column, name: Column): RawBuilder<string> => {
  const { organisationId } = readerOf(scope);
  return organisationId === providerId
    ? sql<string>`${ref(name)}`
    : sql<string>`shown_name(${organisationId}::integer, ${ref(person)}, ${ref(name)})`;
};

/** The same for one person, for texts addressed to a user. */
export async function findShownName(
  tx: Tx,
  organisationId: number,
  person: { userId: number | null; name: string },
): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select shown_name(${organisationId}::integer, ${person.userId}::integer, ${person.name}) as name`.execute(tx);
  return rows[0]?.name ?? '';
}
