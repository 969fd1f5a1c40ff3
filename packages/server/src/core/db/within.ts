/** The explicit half of tenant scope, as a condition for a query: `where(within('alerts.organisation_id', scope))`. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope } from './scope.ts';

export function within(column: string | RawBuilder<unknown>, scope: Scope): RawBuilder<boolean> {
  if (scope === 'system') return sql<boolean>`true`;
  const reference = typeof column === 'string' ? sql.ref(column) : column;
  const [only, ...others] = scope.organisationIds;
  // One organisation as a plain equality: the planner then reads an index in the order that the list is shown in.
  if (only !== undefined && others.length === 0) return sql<boolean>`${reference} = ${only}`;
  return sql<boolean>`${reference} = any(${[...scope.organisationIds]}::integer[])`;
}

/** The same for small tables of which many organisations have most rows: by no index, because the table in its own order is quicker then. */
export function withinWhole(column: string, scope: Scope): RawBuilder<boolean> {
  if (scope === 'system' || scope.organisationIds.length < 20) return within(column, scope);
  return sql<boolean>`${sql.ref(column)} + 0 = any(${[...scope.organisationIds]}::integer[])`;
}
