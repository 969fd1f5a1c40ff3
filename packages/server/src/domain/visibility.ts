/**
 * What a reader sees of what was written, as conditions and columns of a query. Everything that shows internal texts or names of people reads
 * through here. The reader travels with the scope; without one (the portal's own work, mails) nothing internal and no provider's name is read.
 */
import { providerId } from '@parapet/contract/access.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Scope, Tx } from '../core/db/scope.ts';

const nobody: Reader = { organisationId: 0, seesInternal: false };
export const readerOf = (scope: Scope): Reader => (scope === 'system' ? nobody : (scope.reader ?? nobody));

/** The same scope, read as the client would: for what is made to be handed on. */
export const asClient = (scope: Scope, organisationId: number): Scope => ({
  organisationIds: scope === 'system' ? [organisationId] : scope.organisationIds,
  reader: { organisationId, seesInternal: false },
});

/** What of each table is for the client; the rest of it is internal. */
const forClients = {
  audit: sql<boolean>`audit.visibility = 'client'`,
  case_history: sql<boolean>`not case_history.is_internal`,
  // A draft until it was mailed.
  case_narratives: sql<boolean>`case_narratives.email_sent_at is not null`,
  case_notes: sql<boolean>`not case_notes.is_internal`,
};

/** `where(visible('case_notes', scope))` */
export const visible = (table: keyof typeof forClients, scope: Scope): RawBuilder<boolean> =>
  readerOf(scope).seesInternal ? sql<boolean>`true` : forClients[table];

type Column = string | RawBuilder<unknown>;
const ref = (column: Column): RawBuilder<unknown> => (typeof column === 'string' ? sql.ref(column) : column);

/** A person's name as the reader may know it: `person` is the column of the user's id, `name` that of the stored name. */
export const shownName = (scope: Scope, person: Column, name: Column): RawBuilder<string> => {
  const { organisationId } = readerOf(scope);
  return organisationId === providerId
    ? sql<string>`${ref(name)}`
    : sql<string>`shown_name(${organisationId}::integer, ${ref(person)}, ${ref(name)})`;
};

/** The same of one person, for texts that are written to somebody. */
export async function findShownName(
  tx: Tx,
  organisationId: number,
  person: { userId: number | null; name: string },
): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select shown_name(${organisationId}::integer, ${person.userId}::integer, ${person.name}) as name`.execute(tx);
  return rows[0]?.name ?? '';
}
