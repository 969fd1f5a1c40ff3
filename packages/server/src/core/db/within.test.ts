/** The explicit half of tenant scope, as SQL. */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Scope } from './scope.ts';
import { within, withinWhole } from './within.ts';

const db = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const compiled = (condition: ReturnType<typeof within>) => {
  const { sql: text, parameters } = condition.compile(db);
  return [text, ...parameters];
};
const many: Scope = { organisationIds: Array.from({ length: 20 }, (_, index) => index + 1) };

test('limits a column to the organisations of a scope', () => {
  expect(compiled(within('t.organisation_id', { organisationIds: [7] }))).toEqual(['"t"."organisation_id" = $1', 7]);
  expect(compiled(within('t.organisation_id', { organisationIds: [7, 8] }))).toEqual([
    '"t"."organisation_id" = any($1::integer[])',
    [7, 8],
  ]);
  expect(compiled(within(sql`x`, { organisationIds: [7] }))).toEqual(['x = $1', 7]);
});

test('matches nothing for a scope without organisations, and everything for the portal itself', () => {
  expect(compiled(within('id', { organisationIds: [] }))).toEqual(['"id" = any($1::integer[])', []]);
  expect(compiled(within('id', 'system'))).toEqual(['true']);
  expect(compiled(withinWhole('id', 'system'))).toEqual(['true']);
});

test('keeps small tables from an index of many organisations', () => {
  expect(compiled(withinWhole('id', many))).toEqual(['"id" + 0 = any($1::integer[])', many.organisationIds]);
  expect(compiled(withinWhole('id', { organisationIds: many.organisationIds.slice(1) }))[0]).toBe('"id" = any($1::integer[])');
});
