/** Users that occur in alerts, one for all names that identity rules join. Portal accounts are an entity of their own. */
import { type RawBuilder, sql } from 'kysely';
import { hasUser, identityJoin, shownUser } from '../../identities.ts';
import { inScope, nameKey, organisationAttributes, wordsOf } from '../attributes.ts';
import type { EntitySchema } from '../schema.ts';

/** An aggregate of the alerts of a user. */
const ofAlerts = (row: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
  sql`(select ${value} from alerts a where a.organisation_id = ${row}.organisation_id and a.user_name = any(${row}.names))`;

const anyName = (row: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from unnest(${row}.names) as name where ${condition})`;

export const userSchema: EntitySchema = {
  entity: 'user',
  title: ['user', 'users'],
  words: wordsOf(
    'user, username, user account, employee, identity, person in alerts, end user, alerted user, individual, network user, domain user, domain account, user name',
  ),
  // Rollups hold every user with an alert, once per month.
  allow: 'alerts:read',
  from: (row, context) => sql`(select r.organisation_id, ${shownUser(sql`r`)} as user_name,
    array_agg(distinct r.user_name) as names, sum(r.count)::integer as alerts from rollup_month_user r ${identityJoin(sql`r`)}
    where ${inScope(sql`r`, context)} group by 1, 2) ${row}`,
  within: inScope,
  id: (row) => sql`(${row}.organisation_id || '/' || ${row}.user_name)`,
  attributes: {
    name: {
      type: 'name',
      names: 'user',
      title: 'name',
      words: ['name', 'user name'],
      isShown: true,
      sql: (row) => sql`${row}.user_name`,
      matches: (row, { scope }, values) => hasUser(row, sql`${row}.names`, values, scope),
    },
    ...organisationAttributes(),
    alertCount: {
      type: 'number',
      title: 'alerts so far',
      words: wordsOf('alert count, number of alerts, total alerts, alerts so far'),
      isShown: true,
      sql: (row) => sql`${row}.alerts`,
    },
    lastAlertAt: {
      type: 'time',
      title: 'last alert',
      words: ['last alert', 'newest alert'],
      verbs: ['last alerted', 'last seen'],
      superlatives: { latest: ['most recent', 'newest', 'latest'], earliest: ['least recent'] },
      isShown: true,
      sql: (row) => ofAlerts(row, sql`max(a.at)`),
    },
    firstAlertAt: {
      type: 'time',
      title: 'first alert',
      words: ['first alert', 'oldest alert'],
      verbs: ['first alerted', 'first seen', 'appeared'],
      sql: (row) => ofAlerts(row, sql`min(a.at)`),
    },
    device: {
      type: 'names',
      names: 'device',
      title: 'device',
      words: wordsOf('device, host, machine, box, computer'),
      sql: (row) =>
        ofAlerts(row, sql`coalesce(array_agg(distinct a.device_name) filter (where a.device_name is not null), '{}')`),
    },
    isBlocked: {
      type: 'flag',
      title: 'blocked',
      words: ['block'],
      yes: wordsOf('blocked, disabled, locked, locked out, deactivated'),
      no: wordsOf('not blocked, not disabled, not locked, enabled'),
      sql: (row) =>
        anyName(
          row,
          sql`exists (select from response_flags f
        where f.organisation_id = ${row}.organisation_id and f.kind = 'userDisabled' and f.value_key = lower(name))`,
        ),
    },
    isProtected: {
      type: 'flag',
      title: 'protected from responses',
      words: ['protection'],
      yes: wordsOf('protected, off limits, vip'),
      no: ['unprotected', 'not protected'],
      sql: (
        row,
      ) => sql`exists (select from protected_assets x where x.organisation_id = ${row}.organisation_id and x.kind = 'user'
        and lower(x.value) = any(array(select lower(name) from unnest(${row}.names) as name)))`,
    },
  },
  keys: {
    user: { sql: (row) => nameKey(row, sql`${row}.user_name`) },
    device: {
      sql: (row) => sql`array(select distinct a.organisation_id || '/' || lower(a.device_name) from alerts a
        where a.organisation_id = ${row}.organisation_id and a.user_name = any(${row}.names) and a.device_name is not null)`,
      isMany: true,
    },
    client: { sql: (row) => sql`${row}.organisation_id::text` },
  },
  list: { page: 'alerts', path: ({ organisationId, name }) => `/apps/alerts/${organisationId}?user=${encodeURIComponent(name)}` },
  order: { field: 'name', isAscending: true },
};
