/** The explicit half of tenant scope, as a condition for a query: `where(within('alerts.organisation_id', scope))`. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope } from './scope.ts';

export function within(column: string, scope: Scope): RawBuilder<boolean> {
  if (scope === 'system') return sql<boolean>`true`;
  const [only, ...others] = scope.organisationIds;
  // One organisation as a plain equality: the planner then reads an index in the order that the list is shown in.
  if (only !== undefined && others.length === 0) return sql<boolean>`${sql.ref(column)} = ${only}`;
  return sql<boolean>`${sql.ref(column)} = any(${[...scope.organisationIds]}::integer[])`;
}
