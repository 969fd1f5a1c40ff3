/** Accounts named in rows: shown by the rule of names (domain/visibility.ts), found by whole name, email address or the name shown. */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../userState.ts';
import { shownName } from '../visibility.ts';
import { column, lowered } from './attributes.ts';
import type { Attribute, QueryContext } from './schema.ts';

type Row = RawBuilder<unknown>;
interface Columns {
  id: string;
  name: string;
}

/** Null without a person. */
export const personName = (row: Row, { id, name }: Columns, { scope }: QueryContext): RawBuilder<unknown> =>
  sql`case when ${column(row, id)} is not null then ${shownName(scope, column(row, id), column(row, name))} end`;

export const isPerson = (row: Row, columns: Columns, context: QueryContext, values: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`(${column(row, columns.id)} = any(array(select u.id from users u where ${within('u.organisation_id', context.scope)}
      and (lower(${displayNameOf(sql`u`)}) = any(${lowered(values)}) or lower(u.email) = any(${lowered(values)}))))
    or lower(${personName(row, columns, context)}) = any(${lowered(values)}))`;

/** Display name of a user’s own row, also found by email address. */
export const ofUser = {
  sql: (row: Row) => displayNameOf(row),
  matches: (row, _, values) =>
    sql<boolean>`(lower(${displayNameOf(row)}) = any(${lowered(values)}) or lower(${row}.email) = any(${lowered(values)}))`,
} satisfies Pick<Attribute, 'sql' | 'matches'>;
