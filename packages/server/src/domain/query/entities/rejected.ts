/** Unprocessed events (dead letters) with the step that rejected them. */
import { sql } from 'kysely';
import { column, inScope, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import type { EntitySchema } from '../schema.ts';
import { addressOf, clientKey, of } from './columns.ts';

export const rejectedSchema: EntitySchema = {
  entity: 'rejected',
  title: ['unprocessed event', 'unprocessed events'],
  words: wordsOf(
    'ingest error, ingestion error, parse error, parsing error, processing error, ingest failure, parse failure, parsing failure, unprocessed event, rejected event, dead letter, unreadable event, event kept aside, unparseable event, broken event, bad event, rejection, reject, unprocessed input, unprocessed message, dead-letter, failed event, unparsed event, unprocessable event, malformed event, discarded input',
  ),
  allow: 'events:read',
  named: 'reason',
  from: (row) => sql`dead_letters ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'receivedAt',
  attributes: {
    receivedAt: {
      type: 'time',
      title: 'received',
      words: ['arrival', 'arrival time', 'time', 'receipt'],
      verbs: ['received', 'arrived', 'rejected', 'came in', 'kept aside'],
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: of('received_at'),
    },
    ...organisationAttributes(),
    step: {
      type: 'choice',
      choices: {
        read: ['read', 'reading', 'intake', 'at the door'],
        parse: ['parse', 'parsing', 'at parsing', 'parser'],
        identify: ['identify', 'identifying', 'identification'],
        normaliseStep: ['normalise', 'normalising', 'normalisation', 'normalize', 'normalization'],
        reserve: ['reserve', 'reserved dataset'],
        dedupe: ['dedupe', 'deduplication'],
        enrich: ['enrich', 'enrichment', 'enriching'],
        detect: ['detect', 'detecting'],
        keep: ['keep', 'storing', 'storage', 'keeping'],
      },
      title: 'step',
      words: ['step', 'pipeline step', 'stage', 'where'],
      isShown: true,
      sql: (row) => sql`left(${row}.step, 100)`,
    },
    reason: {
      type: 'text',
      title: 'reason',
      words: ['reason', 'cause', 'why', 'error'],
      isShown: true,
      sql: (row) => sql`left(${row}.reason, 100)`,
    },
    text: {
      type: 'text',
      title: 'received text',
      words: ['text', 'content', 'raw text', 'keyword'],
      column: 'raw',
      sql: of('raw'),
    },
    length: {
      type: 'number',
      title: 'length in characters',
      words: ['length', 'size', 'character'],
      superlatives: { most: ['longest', 'largest', 'biggest'], least: ['shortest', 'smallest'] },
      sql: (row) => sql`length(${row}.raw)`,
    },
    ...timeParts((row) => column(row, 'received_at')),
  },
  keys: { rejected: { sql: (row) => sql`${row}.id::text` }, client: clientKey },
  list: { page: 'events', path: ({ organisationId }) => addressOf('/apps/events', { client: organisationId, tab: 'aside' }) },
  order: { field: 'receivedAt', isAscending: false },
};
