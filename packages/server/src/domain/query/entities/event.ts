/** Stored events, as the event search shows them. Without a time in the question, those of the last 24 hours. */
import { type RawBuilder, sql } from 'kysely';
import type { Scope } from '../../../core/db/scope.ts';
import { eventStore } from '../../events/eventStore.ts';
import { hasUser, identityJoin, shownUser } from '../../identities.ts';
import { column, inScope, nameKey, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import { deviceAttributes } from '../deviceNames.ts';
import { conditionsOf } from '../filters.ts';
import type { EntitySchema, RowsRead } from '../schema.ts';
import { addressOf, clientKey, of } from './columns.ts';

type Row = RawBuilder<unknown>;

/** The document with quotes and backslashes as the device wrote them, so that a path is found as it is typed. */
const document = (row: Row) => sql`replace(replace(${row}.document::text, '\\"', '"'), '\\\\', '\\')`;

const allTime = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** Time of the events: that of the question, or narrower by its conditions. */
function rangeOf({ time, where }: RowsRead) {
  const times = conditionsOf(where).flatMap((filter) => ('within' in filter && filter.field === 'at' ? [filter.within] : []));
  const range = { ...allTime };
  for (const { start, end } of [...(time ? [time] : []), ...times]) {
    range.start = Math.max(range.start, Date.parse(start));
    range.end = Math.min(range.end, Date.parse(end));
  }
  return range;
}

const eventsTable = (scope: Scope, read: RowsRead): Row =>
  eventStore.table(scope, { ...rangeOf(read), isOfHeads: () => !read.has('text') && !read.has('dataset') });

export const eventSchema: EntitySchema = {
  entity: 'event',
  title: ['event', 'events'],
  words: wordsOf(
    'event, log, log line, log entry, raw event, log record, log message, log event, raw log, raw record, log row, telemetry event, syslog line, syslog message, audit event of a device',
  ),
  allow: 'events:read',
  named: 'summary',
  defaultHours: 24,
  from: (row, { scope }, read) => sql`${eventsTable(scope, read)} ${row} ${identityJoin(row)}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'at',
  attributes: {
    at: {
      type: 'time',
      title: 'time',
      words: ['time', 'timestamp', 'event time'],
      verbs: ['happened', 'sent', 'occurred', 'logged', 'recorded'],
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: of('at'),
    },
    receivedAt: {
      type: 'time',
      title: 'received',
      words: ['arrival', 'arrival time', 'receipt'],
      verbs: ['received', 'arrived', 'came in', 'ingested'],
      sql: of('received_at'),
    },
    ...organisationAttributes(),
    device: deviceAttributes().device,
    deviceType: deviceAttributes().deviceType,
    user: {
      type: 'name',
      names: 'user',
      title: 'user',
      words: ['user', 'account', 'username', 'login'],
      column: 'userName',
      isShown: true,
      sql: shownUser,
      matches: (row, { scope }, values) => hasUser(row, sql`array[${row}.user_name]`, values, scope),
    },
    hasUser: {
      type: 'flag',
      title: 'naming a user',
      words: ['named user'],
      yes: ['with a user', 'naming a user', 'that name a user', 'with users'],
      no: [
        "don't name a user",
        'dont name a user',
        'without a user',
        'no user',
        'naming no user',
        'without user',
        'that name no user',
      ],
      sql: (row) => sql`${row}.user_name is not null`,
    },
    summary: { type: 'text', title: 'summary', words: ['summary', 'line'], column: 'text', isShown: true, sql: of('text') },
    text: {
      type: 'text',
      title: 'any field',
      words: ['text', 'content', 'keyword', 'field', 'anywhere'],
      column: 'document',
      sql: (row) => sql`(${row}.text || chr(10) || ${document(row)})`,
    },
    dataset: {
      type: 'text',
      title: 'log source',
      words: ['log source', 'dataset', 'data set', 'log type'],
      sql: (row) => sql`coalesce(${row}.document #>> '{event,dataset}', ${row}.document ->> 'event.dataset')`,
    },
    shape: { type: 'text', title: 'format', words: ['format', 'shape', 'event format'], sql: of('shape') },
    clockSkew: {
      type: 'choice',
      choices: {
        none: ['plausible time', 'no clock skew'],
        future: ['future', 'in the future', 'clock ahead', 'ahead'],
        past: ['clock behind', 'in the past', 'past time'],
      },
      title: 'clock skew',
      words: ['clock skew', 'skew', 'clock', 'implausible time'],
      sql: (row) => sql`case when ${row}.clock_skew > 0 then 'future' when ${row}.clock_skew < 0 then 'past' else 'none' end`,
    },
    ...timeParts((row) => column(row, 'at')),
  },
  keys: {
    event: { sql: (row) => sql`${row}.organisation_id || '/' || ${row}.id` },
    device: { sql: (row) => nameKey(row, column(row, 'device_name')) },
    user: { sql: (row) => nameKey(row, shownUser(row)) },
    client: clientKey,
  },
  list: { page: 'events', path: ({ organisationId }) => addressOf('/apps/events', { client: organisationId }) },
  order: { field: 'at', isAscending: false },
};
