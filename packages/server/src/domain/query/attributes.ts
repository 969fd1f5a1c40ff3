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

export const clientWords = wordsOf(
  'client, customer, organisation, organization, org, tenant, company, client organisation, client organization, customer organisation, end client, end customer, site',
);

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
  informational: wordsOf('informational, info, info level, information, informative, fyi level'),
  low: wordsOf(
    'low, minor, p4, p4s, sev4, low severity, low-severity, low level, lowly, low prio, low priority, low criticality, sev 4',
  ),
  medium: wordsOf(
    'medium, med, mid, moderate, p3, p3s, sev3, medium severity, medium-severity, medium level, middling, mid severity, mid level, medium prio, medium priority, medium criticality, sev 3',
  ),
  high: wordsOf(
    'high, major, p2, p2s, sev2, high severity, high-severity, high level, high prio, high priority, high criticality, sev 2',
  ),
  critical: wordsOf(
    'critical, crit, p1, p1s, sev1, critical severity, critical-severity, critical level, critical prio, critical priority, criticality critical, sev 1, red',
  ),
} as const;
const severityByNumber = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, severityOf(number)]));

/** Of a column with the criticality, 1 … 5. */
export const severityAttribute: Attribute = {
  type: 'choice',
  isOrdered: true,
  choices: severityChoices,
  title: 'severity',
  words: wordsOf(
    'severity, criticality, sev, level, severity level, criticality level, urgency, priority, prio, how severe, how serious, how critical',
  ),
  superlatives: {
    most: wordsOf('most severe, most serious, most critical, gravest, severest, most grave'),
    least: wordsOf('least severe, least serious, least critical'),
  },
  column: 'severity',
  isShown: true,
  sql: (row) => mapped(column(row, 'criticality'), severityByNumber),
  matches: (row, _, values) =>
    sql<boolean>`${column(row, 'criticality')} = any(${[1, 2, 3, 4, 5].filter((number) => values.includes(severityOf(number)))}::smallint[])`,
};

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
      words: wordsOf('hour, hour of the day, time of day'),
      sql: (row, { timeZone }) => sql`extract(hour from ${at(row)} at time zone ${timeZone})::integer`,
    },
    isWeekend: {
      type: 'flag',
      title: 'on a weekend',
      words: ['weekend'],
      yes: wordsOf(
        'weekend, on weekends, at weekends, over the weekend, during weekends, on saturdays and sundays, saturdays and sundays, saturday or sunday, weekends only',
      ),
      no: wordsOf(
        'on weekdays, on working days, during the week, on workdays, weekdays only, on business days, mon-fri, monday to friday, outside weekends, not on weekends, not at weekends, within the week',
      ),
      sql: (row, { timeZone }) => sql`extract(isodow from ${at(row)} at time zone ${timeZone}) >= 6`,
    },
    isWorkingHours: {
      type: 'flag',
      title: 'in working hours',
      words: wordsOf('working hours, business hours, office hours, work hours'),
      yes: wordsOf(
        'in working hours, during working hours, in business hours, during business hours, in office hours, during office hours, within working hours, within business hours, within office hours, during the working day, during work hours, in work hours, while the office is open, business hours only, office hours only, during the workday, nine to five, 9 to 5, in core hours',
      ),
      no: wordsOf(
        'outside working hours, outside of working hours, outside business hours, outside office hours, out of hours, out-of-hours, after hours, after-hours, off hours, off-hours, outside work hours, outside of business hours, outside of office hours, outside of work hours, outside normal hours, outside normal working hours, outside of hours, outside hours, when the office is closed, out of office hours, out of business hours, out of working hours, not in working hours, not in office hours, not in business hours, not during office hours, not during business hours, not during working hours, outside core hours, outside nine to five, outside 9 to 5, at unsocial hours',
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
