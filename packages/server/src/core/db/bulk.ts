/**
 * Many rows in one statement. COPY is refused under row-level security, so columns travel as one text each, cut apart by PostgreSQL: about
 * half the cost of an array literal, whose every quote has to be escaped.
 */
import { type RawBuilder, sql } from 'kysely';

/** Neither can stand in JSON text, where control characters are always escaped. */
const separator = '\u001e';
const nullMark = '\u001f';
const reserved = /[\u0000\u001e\u001f]/g;

/** A column of text, of `null` where a value is missing. The reserved control characters become U+FFFD. */
export function textColumn(values: readonly (string | null | undefined)[]): RawBuilder<string[]> {
  const cleaned = values.map((value) => (value == null ? nullMark : value.replace(reserved, '\uFFFD')));
  // One empty text and no text at all would both be ''.
  if (cleaned.length === 1) return sql<string[]>`array[nullif(${cleaned[0]}::text, ${nullMark})]`;
  return sql<string[]>`string_to_array(${cleaned.join(separator)}, ${separator}, ${nullMark})`;
}

/** A column of JSON documents, given as their text. */
export function jsonColumn(values: readonly string[]): RawBuilder<unknown[]> {
  if (values.length === 1) return sql<unknown[]>`array[${values[0]}::jsonb]`;
  return sql<unknown[]>`string_to_array(${values.join(separator)}, ${separator})::jsonb[]`;
}

/** A column of times, in milliseconds since 1970. */
export const timeColumn = (values: readonly number[]): RawBuilder<Date[]> =>
  sql<Date[]>`${`{${values.map((value) => new Date(value).toISOString()).join(',')}}`}::timestamptz[]`;

export const integerColumn = (values: readonly number[]): RawBuilder<number[]> =>
  sql<number[]>`${`{${values.join(',')}}`}::integer[]`;

/** A column of values that need no quoting in an array literal: uuids, dates. */
export const plainColumn = (values: readonly string[], type: 'uuid' | 'date'): RawBuilder<string[]> =>
  sql<string[]>`${`{${values.join(',')}}`}::${sql.raw(type)}[]`;
