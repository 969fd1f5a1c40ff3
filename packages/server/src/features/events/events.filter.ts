/** Event filters as conditions on events aliased `e`. All user input travels as parameters. */
import type { eventFilters } from '@parapet/contract/events.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { containing, containingInJson, storable } from '../../core/db/like.ts';
import { namesOfDevice } from '../../domain/deviceCounts.ts';

export type EventsFilter = z.output<z.ZodObject<typeof eventFilters>>;

export const conditionsOf = ({ text, device, user, field }: EventsFilter): RawBuilder<boolean>[] => [
  ...(device === undefined ? [] : [sql<boolean>`e.device_name = any(${namesOfDevice(storable(device))})`]),
  ...(user === undefined ? [] : [sql<boolean>`e.user_name = ${storable(user)}`]),
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
