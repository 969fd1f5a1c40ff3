/** Clients: active organisations that are no partners. */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../../core/db/within.ts';
import { clientWords, lowered, minutesSince, organisationAttributes, wordsOf } from '../attributes.ts';
import type { Attribute, EntitySchema } from '../schema.ts';
import { of } from './columns.ts';

type Row = RawBuilder<unknown>;
const { partner } = organisationAttributes((row) => sql`${row}.id`);

const text = (name: string, title: string, words: readonly string[]): Attribute => ({
  type: 'text',
  title,
  words,
  sql: of(name),
});
/** Number of rows of a table that belong to the client. */
const counted =
  (table: string, condition: RawBuilder<unknown> = sql`true`) =>
  (row: Row) =>
    sql`(select count(*)::integer from ${sql.table(table)} x where x.organisation_id = ${row}.id and ${condition})`;
const risk = (row: Row, value: RawBuilder<unknown>) =>
  sql`(select ${value} from risk_snapshots s where s.organisation_id = ${row}.id order by s.day desc limit 1)`;

export const clientSchema: EntitySchema = {
  entity: 'client',
  title: ['client', 'clients'],
  words: clientWords,
  allow: 'clientDetails:read',
  from: (row) => sql`organisations ${row}`,
  within: (row, { scope }) =>
    sql<boolean>`(${within(sql`${row}.id`, scope)} and not ${row}.is_partner and ${row}.deactivated_at is null)`,
  id: (row) => sql`${row}.id`,
  attributes: {
    name: {
      type: 'name',
      names: 'client',
      title: 'name',
      words: ['name', 'client name'],
      isShown: true,
      sql: of('name'),
      matches: (row, _, values) => sql<boolean>`lower(${row}.name) = any(${lowered(values)})`,
    },
    partner,
    industry: { ...text('industry', 'industry', wordsOf('industry, sector, branch, vertical')), isShown: true },
    subscriptionLevel: {
      type: 'choice',
      choices: {
        1: wordsOf('monitor, monitor only, monitoring only, tier 1, level 1'),
        2: ['respond', 'plain respond', 'tier 2', 'level 2'],
        3: wordsOf('respond 24×7, respond 24x7, respond 24/7, 24x7, 24/7, 24×7, around the clock, tier 3, level 3'),
      },
      isOrdered: true,
      column: 'subscriptionLevelID',
      title: 'subscription level',
      words: wordsOf('subscription level, subscription, plan, tier, service level, package, level'),
      isShown: true,
      sql: (row) => sql`${row}.subscription_level_id::text`,
    },
    riskScore: {
      type: 'number',
      unit: 'points',
      title: 'risk score',
      words: wordsOf('risk score, risk, score'),
      superlatives: {
        most: ['riskiest', 'most at risk', 'highest risk', 'worst'],
        least: ['safest', 'least risky', 'lowest risk', 'best'],
      },
      sql: (row) => risk(row, sql`s.risk_score`),
    },
    deviceCount: {
      type: 'number',
      title: 'number of devices',
      words: ['number of devices', 'device count'],
      superlatives: { most: ['largest', 'biggest'], least: ['smallest'] },
      sql: counted('devices', sql`x.merged_into is null`),
    },
    accountCount: {
      type: 'number',
      column: 'userCount',
      title: 'number of portal users',
      words: wordsOf('number of users, user count, number of accounts, account count'),
      sql: counted('users', sql`not x.is_deleted`),
    },
    contactCount: {
      type: 'number',
      title: 'emergency contacts',
      words: wordsOf('emergency contact, contact, number of contacts'),
      sql: counted('emergency_contacts'),
    },
    escalationCount: {
      type: 'number',
      title: 'escalation addresses',
      words: wordsOf('escalation address, escalation email, escalation contact'),
      sql: counted('escalation_addresses'),
    },
    hasPlaybook: {
      type: 'flag',
      title: 'with a playbook',
      words: ['playbook'],
      yes: wordsOf('with a playbook, having a playbook'),
      no: wordsOf('without a playbook, no playbook'),
      sql: (row) => sql`${row}.alert_playbook <> ''`,
    },
    city: text('city', 'city', wordsOf('city, town, location')),
    state: text('state', 'state or region', wordsOf('state, region, county, province')),
    street: text('street', 'street', ['street', 'address']),
    zipCode: text('zip_code', 'postal code', wordsOf('postal code, zip code, zip, postcode')),
    phoneNumber: text('phone_number', 'phone number', wordsOf('phone number, phone, telephone')),
    emailAddress: text('email_address', 'email address', wordsOf('email address, email, mail address')),
    website: { ...text('website_url', 'website', wordsOf('website, homepage, url')), column: 'websiteURL' },
    timeZone: text('time_zone', 'time zone', ['time zone', 'timezone']),
    createdAt: {
      type: 'time',
      title: 'since',
      words: wordsOf('creation date, start date, onboarding date'),
      verbs: wordsOf('created, onboarded, added, signed up, joined, new, came on board'),
      superlatives: { latest: ['newest', 'latest'], earliest: ['oldest', 'longest-standing'] },
      sql: of('created_at'),
    },
    age: {
      type: 'number',
      unit: 'minutes',
      title: 'age',
      words: ['age'],
      sql: (row, context) => minutesSince(sql`${row}.created_at`, context),
    },
    alertRetention: {
      type: 'number',
      column: 'alertRetentionMonths',
      title: 'alert retention in months',
      words: wordsOf('alert retention, retention of alerts'),
      sql: of('alert_retention_months'),
    },
    eventRetention: {
      type: 'number',
      column: 'eventRetentionDays',
      title: 'event retention in days',
      words: wordsOf('event retention, retention of events'),
      sql: of('event_retention_days'),
    },
  },
  keys: { client: { sql: (row) => sql`${row}.id::text` } },
  list: { page: 'dashboard', path: ({ id }) => `/apps/dashboard/${id}` },
  order: { field: 'name', isAscending: true },
};
