/** Attributes that many entities have: their organisation, the severity, the parts of a time. */
import { severityOf } from '@parapet/contract/primitives.ts';
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../core/db/within.ts';
import { inWorkingHours } from '../workingHours.ts';
import type { Attribute, QueryContext } from './schema.ts';

type Row = RawBuilder<unknown>;

/** Words of a lexicon from a list with commas. */
export const wordsOf = (list: string): readonly string[] => list.split(', ');

/** A column of the row. */
export const column = (row: Row, name: string): RawBuilder<unknown> => sql`${row}.${sql.ref(name)}`;

/** Scope condition of a row with an organisation. */
export const inScope = (row: Row, { scope }: QueryContext): RawBuilder<boolean> => within(column(row, 'organisation_id'), scope);

/** SQL over an alias that is fixed elsewhere, such as `d` in domain/deviceState.ts, for this row. */
export const aliased = (row: Row, alias: string, expression: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select ${expression} from (select ${row}.*) ${sql.ref(alias)})`;

/** Key of a name within its organisation; null without one. */
export const nameKey = (row: Row, name: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${row}.organisation_id || '/' || lower(${name})`;

export const minutesSince = (at: RawBuilder<unknown>, { now }: QueryContext): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${new Date(now)}::timestamptz - ${at}) / 60)::float8`;

export const minutesBetween = (from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(extract(epoch from ${to} - ${from}) / 60)::float8`;

/** Stored value to display name, as an SQL expression; null for others. */
export const mapped = (value: RawBuilder<unknown>, names: Readonly<Record<string | number, string>>): RawBuilder<string> =>
  sql<string>`(${JSON.stringify(names)}::jsonb ->> (${value})::text)`;

export const clientWords = wordsOf('client, customer, organisation, organization, org, tenant, company');

/** Name of the row's organisation, and of the partner above it: a partner is its own. */
export const organisationAttributes = (
  organisation: (row: Row) => RawBuilder<unknown> = (row) => column(row, 'organisation_id'),
) =>
  ({
    client: {
      type: 'name',
      names: 'client',
      title: 'client',
      words: clientWords,
      column: 'clientOrganizationName',
      isShown: true,
      sql: (row) => sql`(select o.name from organisations o where o.id = ${organisation(row)})`,
      matches: (row, { scope }, names) => sql<boolean>`${organisation(row)} = any(array(
        select o.id from organisations o where lower(o.name) = any(${lowered(names)}) and ${within('o.id', scope)}))`,
    },
    partner: {
      type: 'name',
      names: 'client',
      title: 'partner',
      words: ['partner', 'reseller', 'msp'],
      sql: (row, { scope }) => sql`(select p.name from organisations o
        join organisations p on p.id = case when o.is_partner then o.id else o.parent_id end and ${within('p.id', scope)}
        where o.id = ${organisation(row)})`,
      matches: (row, { scope }, names) => sql<boolean>`${organisation(row)} = any(array(
        select o.id from organisations o join organisations p on p.id = case when o.is_partner then o.id else o.parent_id end
        where lower(p.name) = any(${lowered(names)}) and ${within('o.id', scope)} and ${within('p.id', scope)}))`,
    },
  }) satisfies Record<string, Attribute>;

/** Values in lower case, as an array parameter. */
export const lowered = (values: readonly string[]): RawBuilder<string[]> =>
  sql<string[]>`${values.map((value) => value.toLowerCase())}::text[]`;

/** Severities in ascending order, with their words. */
export const severityChoices = {
  informational: ['informational', 'info', 'information'],
  low: ['low', 'lows', 'minor', 'p4', 'p4s', 'sev4'],
  medium: wordsOf('medium, med, mediums, moderate, p3, p3s, sev3'),
  high: ['high', 'highs', 'major', 'p2', 'p2s', 'sev2'],
  critical: wordsOf('critical, crit, criticals, crits, p1, p1s, sev1'),
} as const;
const severityByNumber = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, severityOf(number)]));

/** Of a column with the criticality, 1 … 5. */
export const severityAttribute = (name = 'criticality'): Attribute => ({
  type: 'choice',
  isOrdered: true,
  choices: severityChoices,
  title: 'severity',
  words: wordsOf('severity, criticality, sev, level'),
  column: 'severity',
  isShown: true,
  sql: (row) => mapped(column(row, name), severityByNumber),
  matches: (row, _, values) =>
    sql<boolean>`${column(row, name)} = any(${[1, 2, 3, 4, 5].filter((number) => values.includes(severityOf(number)))}::smallint[])`,
});

export const weekdayChoices = {
  1: ['monday', 'mon'],
  2: ['tuesday', 'tue', 'tues'],
  3: ['wednesday', 'wed'],
  4: ['thursday', 'thu', 'thurs'],
  5: ['friday', 'fri'],
  6: ['saturday', 'sat'],
  7: ['sunday', 'sun'],
};

/** Weekday, hour, weekend, working hours and age of a row's own time. The first three are in the viewer's zone. */
export const timeParts = (at: (row: Row) => RawBuilder<unknown>) =>
  ({
    weekday: {
      type: 'choice',
      isOrdered: true,
      choices: weekdayChoices,
      title: 'weekday',
      words: ['weekday', 'day of the week', 'day of week'],
      sql: (row, { timeZone }) => sql`extract(isodow from ${at(row)} at time zone ${timeZone})::integer::text`,
    },
    hour: {
      type: 'number',
      title: 'hour of the day',
      words: wordsOf('hour, hour of the day, hour of day, time of day'),
      sql: (row, { timeZone }) => sql`extract(hour from ${at(row)} at time zone ${timeZone})::integer`,
    },
    isWeekend: {
      type: 'flag',
      title: 'on a weekend',
      words: ['weekend'],
      yes: wordsOf('weekend, on a weekend, on weekends, at weekends, over the weekend'),
      no: wordsOf('on weekdays, on working days, during the week, on workdays'),
      sql: (row, { timeZone }) => sql`extract(isodow from ${at(row)} at time zone ${timeZone}) >= 6`,
    },
    isWorkingHours: {
      type: 'flag',
      title: 'in working hours',
      words: wordsOf('working hours, business hours, office hours, work hours'),
      yes: wordsOf(
        'in working hours, during working hours, in business hours, during business hours, in office hours, during office hours',
      ),
      no: wordsOf(
        'outside working hours, outside of working hours, outside business hours, outside office hours, out of hours, after hours, off hours',
      ),
      sql: (row) =>
        inWorkingHours(at(row), sql`(select o.time_zone from organisations o where o.id = ${column(row, 'organisation_id')})`),
    },
    age: {
      type: 'number',
      unit: 'minutes',
      title: 'age',
      words: wordsOf('age, old, older, newer, younger'),
      sql: (row, context) => minutesSince(at(row), context),
    },
  }) satisfies Record<string, Attribute>;
