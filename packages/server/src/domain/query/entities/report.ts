/** Schedules of monthly reports, as the Reporting page lists them. */
import { sql } from 'kysely';
import { column, inScope, organisationAttributes, wordsOf } from '../attributes.ts';
import { isPerson, personName } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

const author = { id: 'created_by', name: 'created_by_name' };

export const reportSchema: EntitySchema = {
  entity: 'report',
  title: ['report schedule', 'report schedules'],
  words: wordsOf(
    'report schedule, report, monthly report, scheduled report, schedule, monthly schedule, reporting schedule, monthly reporting, recurring report, automatic report, scheduled monthly report, report plan',
  ),
  allow: 'reports:schedule',
  named: 'client',
  from: (row) => sql`report_schedules ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  attributes: {
    ...organisationAttributes(),
    dayOfMonth: {
      type: 'number',
      title: 'day of the month',
      words: ['day of the month', 'day of month', 'day', 'sending day', 'date'],
      superlatives: { most: ['latest in the month'], least: ['earliest in the month'] },
      isShown: true,
      sql: of('day_of_month'),
    },
    recipients: {
      type: 'text',
      title: 'recipients',
      words: ['recipient', 'to', 'to whom', 'addressee', 'receiver'],
      isShown: true,
      sql: (row) => sql`array_to_string(${row}.recipients, ', ')`,
    },
    recipientCount: {
      type: 'number',
      title: 'number of recipients',
      words: ['number of recipients', 'recipient count'],
      superlatives: { most: ['most recipients'], least: ['fewest recipients'] },
      sql: (row) => sql`cardinality(${row}.recipients)`,
    },
    lastSentAt: {
      type: 'time',
      title: 'last sent',
      words: ['last sending', 'last delivery', 'sending time'],
      verbs: ['sent', 'last sent', 'delivered', 'mailed', 'went out'],
      superlatives: { latest: ['most recently sent'], earliest: ['longest ago'] },
      isShown: true,
      sql: of('last_sent_at'),
    },
    wasSent: {
      type: 'flag',
      title: 'sent before',
      words: ['first sending'],
      yes: ['sent before', 'already sent', 'sent at least once'],
      no: ['never sent', 'not sent yet', 'not yet sent', 'unsent'],
      sql: (row) => sql`${row}.last_sent_at is not null`,
    },
    lastError: {
      type: 'text',
      title: 'last error',
      words: ['last error', 'error', 'failure reason', 'reason', 'why'],
      isShown: true,
      sql: of('last_error'),
    },
    hasFailed: {
      type: 'flag',
      title: 'failed',
      words: ['failure'],
      yes: wordsOf('failed, failed to send, failing, not delivered, could not be sent, with an error, broken'),
      no: ['without an error', 'without errors', 'not failed', 'fine', 'ok', 'working'],
      sql: (row) => sql`${row}.last_error <> ''`,
    },
    createdBy: {
      type: 'name',
      names: 'account',
      title: 'created by',
      words: ['author', 'creator', 'created by', 'who created', 'who scheduled', 'owner'],
      sql: (row, context) => personName(row, author, context),
      matches: (row, context, values) => isPerson(row, author, context, values),
    },
    isMine: {
      type: 'flag',
      title: 'created by me',
      words: ['own schedule'],
      yes: ['mine', 'my', 'created by me', 'my own', 'i scheduled'],
      no: ['not mine', 'not by me'],
      sql: isViewer('created_by'),
    },
    createdAt: {
      type: 'time',
      title: 'created',
      words: ['creation', 'creation date'],
      verbs: ['created', 'set up', 'added', 'scheduled'],
      superlatives: { latest: ['newest', 'latest'], earliest: ['oldest'] },
      sql: of('created_at'),
    },
  },
  keys: { report: { sql: (row) => sql`${row}.id::text` }, client: clientKey },
  list: { page: 'reporting', path: ({ organisationId }) => `/apps/reporting?client=${organisationId}` },
  order: { field: 'dayOfMonth', isAscending: true },
};
