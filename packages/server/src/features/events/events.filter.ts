/** Event filters as conditions on events aliased `e`. All user input travels as parameters. */
import type { eventFilters } from '@parapet/contract/events.ts';
import type { Kql } from '@parapet/contract/rules/kql/ast.ts';
import type { SearchedEvent } from '@parapet/contract/rules/kql/fields.ts';
import { literals } from '@parapet/contract/rules/kql/literals.ts';
import { matcher } from '@parapet/contract/rules/kql/match.ts';
import { parseKql } from '@parapet/contract/rules/kql/parse.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { containing, containingInJson, storable } from '../../core/db/like.ts';
import { namesOfDevice } from '../../domain/deviceCounts.ts';
import { namesOfUser } from '../../domain/identities.ts';

export type EventsFilter = z.output<z.ZodObject<typeof eventFilters>>;

const searchOf = ({ search }: EventsFilter): Kql | undefined => {
  const parsed = parseKql(search);
  return parsed.ok ? parsed.ast : undefined;
};

/** Test of stored events for what SQL conditions only narrow down; undefined without a search. */
export function matchesOf(filter: EventsFilter): ((event: SearchedEvent) => boolean) | undefined {
  const ast = searchOf(filter);
  return ast && matcher(ast);
}

/** Literals used by SQL: each costs a pass over the text of the event. */
const maxLiterals = 3;

function literalConditions(filter: EventsFilter): RawBuilder<boolean>[] {
  const ast = searchOf(filter);
  // PostgreSQL writes some numbers otherwise than JavaScript: 1e21 with all its digits.
  const usable = ast ? literals(ast).substrings.filter((each) => each.length > 2 && !/^[\d.e+-]+$/.test(each)) : [];
  return usable.slice(0, maxLiterals).map((each) => {
    const like = containing(each);
    return sql<boolean>`(e.text ilike ${like} or e.device_name ilike ${like} or e.user_name ilike ${like} or e.document::text ilike ${like})`;
  });
}

export const conditionsOf = (filter: EventsFilter): RawBuilder<boolean>[] => [
  ...exactConditions(filter),
  ...literalConditions(filter),
];

const exactConditions = ({ text, device, user, field }: EventsFilter): RawBuilder<boolean>[] => [
  ...(device === undefined ? [] : [sql<boolean>`e.device_name = any(${namesOfDevice(storable(device))})`]),
  ...(user === undefined ? [] : [sql<boolean>`e.user_name = any(${namesOfUser(storable(user))})`]),
  ...field.map(fieldCondition),
  ...(text === '' ? [] : [sql<boolean>`(e.text ilike ${containing(text)} or e.document::text ilike ${containingInJson(text)})`]),
];

/** Names with more parts are only read whole and fully split. */
const maxParts = 5;

/** Interpretations of a dotted name: shippers nest some parts and dot others. `a.b` is `a` › `b`, or `a.b`. */
function readings(parts: readonly string[]): string[][] {
  const [first = '', ...others] = parts;
  if (others.length === 0) return [[first]];
  return readings(others).flatMap(([next = '', ...rest]) => [
    [first, next, ...rest],
    [`${first}.${next}`, ...rest],
  ]);
}

/** In lax mode a step into an array is a step into each of its elements, and `[*]` treats a single value as a list of one. */
const jsonPath = (keys: readonly string[]): string => `lax $${keys.map((key) => `.${JSON.stringify(key)}`).join('')}[*]`;

function fieldCondition(given: string): RawBuilder<boolean> {
  const at = given.search(/[=:]/);
  const value = given.slice(at + 1);
  const parts = given.slice(0, at).split('.');
  const keys = parts.length <= maxParts ? readings(parts) : [parts, [parts.join('.')]];
  const fits =
    given[at] === '=' ? sql`lower(v #>> '{}') = lower(${storable(value)})` : sql`v #>> '{}' ilike ${containing(value)}`;
  return sql<boolean>`exists (
    select from unnest(${keys.map(jsonPath)}::jsonpath[]) p cross join lateral jsonb_path_query(e.document, p) v where ${fits})`;
}
