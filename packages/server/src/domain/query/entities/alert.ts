/** Alerts, as their list shows and filters them. */
import { sql } from 'kysely';
import { dispositionConditions } from '../../alertDispositions.ts';
import { hasUser, identityJoin, shownUser } from '../../identities.ts';
import {
  aliased,
  column,
  inScope,
  nameKey,
  organisationAttributes,
  severityAttribute,
  timeParts,
  wordsOf,
} from '../attributes.ts';
import { deviceAttributes, flagged } from '../deviceNames.ts';
import { ruleAttributes, ruleKeys } from '../ruleFacts.ts';
import type { EntitySchema } from '../schema.ts';

const { shown, folded, suppressed, autoClosed, inCase } = dispositionConditions;

/** Number of the case that has the alert. */
const caseOf = (row: Parameters<typeof column>[0]) => sql`(select ca.case_id from case_alerts ca
  where ca.alert_id = ${row}.id and ca.alert_at = ${row}.at and ca.organisation_id = ${row}.organisation_id)`;

export const alertSchema: EntitySchema = {
  entity: 'alert',
  title: ['alert', 'alerts'],
  words: wordsOf(
    'alert, detection, alarm, hit, firing, security alert, alerting, warning, red flag, detection hit, rule hit, security alarm, ping, trigger, noise, attack, attack attempt, attempted attack, warning sign, warning message, alert message, security warning, security notification, pop-up, bleep, detection event, security event',
  ),
  allow: 'alerts:read',
  named: 'rule',
  from: (row) => sql`alerts ${row} ${identityJoin(row)}`,
  within: inScope,
  id: (row) => sql`${row}.id`,
  time: 'createdTime',
  attributes: {
    severity: severityAttribute,
    ...ruleAttributes((row) => sql`${row}.rule_id`),
    ...deviceAttributes(),
    user: {
      type: 'name',
      names: 'user',
      title: 'user',
      words: wordsOf('user, username, user name, login, identity, account name'),
      column: 'userName',
      isShown: true,
      sql: shownUser,
      matches: (row, { scope }, values) => hasUser(row, sql`array[${row}.user_name]`, values, scope),
    },
    ...organisationAttributes(),
    status: {
      type: 'choice',
      choices: {
        new: wordsOf(
          'new, unseen, unread, not seen, not looked at, unreviewed, untouched, nobody looked at, no one looked at, not looked at yet, nobody has looked at, fresh, not yet seen, nobody has seen, no one has seen, nobody has opened, unopened, not opened, unacknowledged, not acknowledged, not yet looked at, never looked at, without being looked at, not viewed, unviewed, unchecked, not checked, not reviewed, nobody checked, untriaged, not triaged, awaiting triage, waiting for triage, unhandled, unattended',
        ),
        seen: wordsOf(
          'seen, read, looked at, viewed, acknowledged, already seen, opened, checked, reviewed, triaged, already viewed, already looked at, somebody looked at, someone looked at, handled, acked',
        ),
      },
      title: 'status',
      words: ['status', 'seen status'],
      isShown: true,
      sql: (row) => sql`case when ${row}.is_new then 'new' else 'seen' end`,
    },
    createdTime: {
      type: 'time',
      title: 'time',
      words: ['time', 'date', 'created time'],
      verbs: wordsOf(
        'raised, fired, created, triggered, happened, occurred, seen first, detected, generated, came in, come in, arrived, popped up, received, landed, recorded, appeared, showed up, went off, tripped, logged, registered, issued, emitted, reported',
      ),
      superlatives: {
        latest: wordsOf('latest, newest, last, most recent'),
        earliest: ['oldest', 'earliest', 'first'],
      },
      isShown: true,
      sql: (row) => sql`${row}.at`,
    },
    lastSeenTime: {
      type: 'time',
      title: 'last repeat',
      words: ['last repeat', 'last occurrence', 'last seen time'],
      verbs: ['last seen', 'repeated last'],
      sql: (row) => sql`${row}.last_at`,
    },
    raisedTime: {
      type: 'time',
      title: 'time of raising',
      words: ['time of raising', 'raised time'],
      sql: (row) => sql`${row}.raised_at`,
    },
    fireCount: {
      type: 'number',
      column: 'count',
      title: 'number of matches',
      words: wordsOf('fire count, count, repeat, number of matches, number of repeats, occurrence, times fired'),
      superlatives: {
        most: wordsOf('most repeated, noisiest, loudest, most frequent'),
        least: ['least repeated', 'quietest', 'rarest'],
      },
      sql: (row) => sql`${row}.fire_count`,
    },
    disposition: {
      type: 'choice',
      choices: {
        shown: wordsOf('shown, open on the list, standalone, loose'),
        folded: wordsOf('folded, grouped, repeated, with repeats'),
        suppressed: wordsOf(
          'suppressed, hidden, muted, silenced, suppressed by a rule, hidden by suppressions, swallowed, whitelisted, caught by suppressions, snoozed',
        ),
        autoClosed: wordsOf(
          'auto closed, automatically closed, auto-closed, autoclosed, closed automatically, closed by the system',
        ),
        inCase: wordsOf(
          'escalated into a case, correlated, in an open or manual case, escalated to a case, turned into a case, became a case, made into a case, promoted to a case, promoted into a case, ended in a case, ended up in a case, went into a case, grew into a case, led to a case, resulted in a case, rolled into a case, made it into a case',
        ),
      },
      title: 'disposition',
      words: wordsOf('disposition, fate, outcome, what became'),
      sql: (row) =>
        aliased(
          row,
          'a',
          sql`case when ${inCase} then 'inCase' when ${autoClosed} then 'autoClosed' when ${suppressed} then 'suppressed' else 'shown' end`,
        ),
      matches: (row, _, values) => {
        const wanted = { shown, folded, suppressed, autoClosed, inCase };
        const chosen = Object.entries(wanted).filter(([name]) => values.includes(name));
        return sql<boolean>`${aliased(
          row,
          'a',
          sql`(${sql.join(
            chosen.map(([, condition]) => sql`(${condition})`),
            sql` or `,
          )})`,
        )}`;
      },
    },
    hasCase: {
      type: 'flag',
      title: 'in a case',
      words: ['case membership'],
      yes: wordsOf(
        'with a case, having a case, belonging to a case, attached to a case, in a case, in any case, part of a case, linked to a case, in an open case, that belong to a case, that became a case, inside a case, tied to a case, with a case attached, covered by a case, within a case',
      ),
      no: wordsOf(
        'without a case, not in a case, not in any case, in no case, uncased, with no case, not part of a case, without any case, that have no case, with no case attached, not attached to a case, not linked to a case, unlinked, not belonging to a case, that never became a case, never became a case, not turned into a case, outside any case, outside of a case, never made it into a case, never ended up in a case, orphaned, orphan, stray',
      ),
      sql: (row) => sql`${caseOf(row)} is not null`,
    },
    case: { type: 'number', title: 'case number', words: ['case number', 'case id', 'case no'], sql: caseOf },
    hasUser: {
      type: 'flag',
      title: 'with a user',
      words: ['user presence'],
      yes: wordsOf('with a user, naming a user, with a user name, that name a user'),
      no: wordsOf('without a user, no user, with no user, userless, not naming a user'),
      sql: (row) => sql`${row}.user_name is not null`,
    },
    deviceIsolated: {
      type: 'flag',
      title: 'on an isolated device',
      words: ['device isolation'],
      yes: wordsOf(
        'on an isolated device, on isolated devices, on quarantined devices, from isolated devices, of isolated devices',
      ),
      no: ['not on an isolated device', 'on devices that are not isolated'],
      sql: (row) => flagged(row, 'deviceIsolated', 'device_name'),
    },
    deviceBlocked: {
      type: 'flag',
      title: 'on a blocked device',
      words: ['device block'],
      yes: ['on a blocked device', 'device blocked', 'on blocked devices'],
      sql: (row) => flagged(row, 'deviceBlocked', 'device_name'),
    },
    userDisabled: {
      type: 'flag',
      title: 'of a blocked user',
      words: ['user block'],
      yes: wordsOf('of a blocked user, of disabled users, of blocked users'),
      sql: (row) => flagged(row, 'userDisabled', 'user_name'),
    },
    summary: {
      type: 'text',
      column: 'alertSummary',
      title: 'summary',
      words: ['summary', 'description', 'detail'],
      sql: (row) => sql`${row}.summary`,
    },
    text: {
      type: 'text',
      title: 'text',
      words: ['text', 'keyword'],
      sql: (row) =>
        sql`concat_ws(chr(10), ${row}.summary, ${row}.device_name, ${row}.user_name, (select r.title from rules r where r.id = ${row}.rule_id))`,
    },
    number: {
      type: 'number',
      column: 'id',
      title: 'alert number',
      words: ['alert number', 'alert id', 'id'],
      sql: (row) => sql`${row}.id`,
    },
    ...timeParts((row) => column(row, 'at')),
  },
  keys: {
    alert: { sql: (row) => sql`${row}.id::text` },
    case: { sql: (row) => sql`${caseOf(row)}::text` },
    device: { sql: (row) => nameKey(row, sql`${row}.device_name`) },
    user: { sql: (row) => nameKey(row, shownUser(row)) },
    ...ruleKeys((row) => sql`${row}.rule_id`),
    client: { sql: (row) => sql`${row}.organisation_id::text` },
  },
  list: { page: 'alerts', path: ({ id }) => `/apps/alert/${id}` },
  order: { field: 'createdTime', isAscending: false },
};
