/** Suppressions of alerts, as their page lists them. */
import { sql } from 'kysely';
import { shownOf } from '../../identities.ts';
import { column, inScope, minutesBetween, nameKey, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import { deviceAttributes } from '../deviceNames.ts';
import { isPerson, personName } from '../people.ts';
import { ruleAttributes, ruleKeys } from '../ruleFacts.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

const owner = { id: 'owner_user_id', name: 'owner_name' };

export const suppressionSchema: EntitySchema = {
  entity: 'suppression',
  title: ['suppression', 'suppressions'],
  words: wordsOf(
    'suppression, exception, mute, muting, suppression rule, silencing, alert suppression, muted alert rule, silenced rule, allowlist entry, whitelist entry, mute rule, silence, muting rule, suppressing rule',
  ),
  allow: 'suppressions:write',
  named: 'reason',
  from: (row) => sql`(select s.*, r.title as rule_title from exceptions s left join rules r on r.id = s.rule_id
    where s.kind = 'suppression') ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'createdTime',
  attributes: {
    ...organisationAttributes(),
    rule: ruleAttributes((row) => column(row, 'rule_id')).rule,
    device: deviceAttributes().device,
    user: {
      type: 'name',
      names: 'user',
      title: 'user',
      words: ['user', 'account', 'username', 'login'],
      column: 'userName',
      isShown: true,
      sql: of('user_name'),
    },
    reason: {
      type: 'text',
      title: 'reason',
      words: ['reason', 'justification', 'why', 'comment', 'excuse', 'explanation'],
      isShown: true,
      sql: of('reason'),
    },
    owner: {
      type: 'name',
      names: 'account',
      title: 'owner',
      words: ['owner', 'author', 'created by', 'creator', 'who created', 'who suppressed', 'whose'],
      isShown: true,
      sql: (row, context) => personName(row, owner, context),
      matches: (row, context, values) => isPerson(row, owner, context, values),
    },
    isMine: {
      type: 'flag',
      title: 'owned by me',
      words: ['own suppression'],
      yes: ['mine', 'my', 'my own', 'created by me', 'made by me', 'by me', 'i created', 'i made'],
      no: ['not mine', "other people's", 'not by me', 'not my'],
      sql: isViewer('owner_user_id'),
    },
    isActive: {
      type: 'flag',
      title: 'active',
      words: ['activity'],
      yes: ['active', 'current', 'running', 'still active', 'in force', 'in effect', 'valid', 'live'],
      no: ['inactive', 'ended', 'expired', 'over', 'past', 'no longer active', 'former'],
      isShown: true,
      sql: (row, { now }) => sql`${row}.ends_at > ${new Date(now)}`,
    },
    createdTime: {
      type: 'time',
      title: 'created',
      words: ['creation', 'creation time', 'creation date'],
      verbs: ['created', 'added', 'made', 'set up', 'started', 'suppressed'],
      superlatives: { latest: ['newest', 'latest', 'most recent'], earliest: ['oldest', 'earliest'] },
      sql: of('created_at'),
    },
    endTime: {
      type: 'time',
      title: 'ends',
      words: ['end', 'end time', 'expiry', 'expiry date', 'end date'],
      verbs: wordsOf(
        'ending, ends, expiring, expire, expired, ended, running out, run out, lapsing, lapse, about to lapse, about to expire',
      ),
      isShown: true,
      sql: of('ends_at'),
    },
    duration: {
      type: 'number',
      unit: 'minutes',
      title: 'duration',
      words: ['duration', 'length', 'lifetime'],
      superlatives: { most: ['longest'], least: ['shortest'] },
      sql: (row) => minutesBetween(column(row, 'created_at'), column(row, 'ends_at')),
    },
    hidden: {
      type: 'number',
      title: 'suppressed alerts',
      words: ['suppressed alert', 'hidden alert', 'hidden', 'hiding', 'suppressed', 'hide', 'hit'],
      superlatives: { most: ['busiest', 'most effective', 'hiding the most'], least: ['hiding the least', 'most useless'] },
      isShown: true,
      sql: of('hidden_count'),
    },
    text: {
      type: 'text',
      title: 'reason, rule, device or user',
      words: ['text', 'keyword'],
      sql: (row) => sql`concat_ws(chr(10), ${row}.reason, ${row}.rule_title, ${row}.device_name, ${row}.user_name)`,
    },
    ...timeParts((row) => column(row, 'created_at')),
  },
  keys: {
    suppression: { sql: (row) => sql`${row}.id::text` },
    ...ruleKeys((row) => column(row, 'rule_id')),
    device: { sql: (row) => nameKey(row, column(row, 'device_name')) },
    user: { sql: (row) => nameKey(row, shownOf(row, column(row, 'user_name'))) },
    client: clientKey,
  },
  list: { page: 'suppressions', path: ({ organisationId }) => `/apps/exceptions?client=${organisationId}` },
  order: { field: 'endTime', isAscending: false },
};
