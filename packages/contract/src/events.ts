/** Raw events, kept for 30 days and searchable as text, and unprocessed events. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, instant, line, listOf, name, organisationId, page, startBeforeEnd, timeRange } from './primitives.ts';
import { queryParam } from './query.ts';
import { kqlLimits } from './rules/kql/ast.ts';
import { parseKql } from './rules/kql/parse.ts';

export const eventRow = z.object({
  id: z.string().max(64).describe('Event ID.'),
  clientOrganizationID: organisationId.describe('Organisation ID.'),
  clientOrganizationName: name.describe('Organisation name.'),
  at: instant.describe('Event time.'),
  receivedAt: instant.describe('Time of arrival.'),
  clockSkew: z.enum(['none', 'future', 'past']).describe('Implausible source timestamp: none, future or past.'),
  shape: z.string().max(20).describe('Recognised format.'),
  deviceName: line.nullable().describe('Device named in the event.'),
  userName: line.nullable().describe('User named in the event.'),
  text: line.describe('Summary in one line.'),
  document: z.record(z.string().max(1000), z.unknown()).describe('The complete event.'),
});
export type EventRow = z.infer<typeof eventRow>;

const clientAndRange = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));
/** Errors name the place of the rejected character, counted from 1. */
const kql = z
  .string()
  .trim()
  .max(kqlLimits.length, `A search has at most ${kqlLimits.length} characters.`)
  .refine((text) => parseKql(text).ok, {
    error: ({ input }) => {
      const parsed = parseKql(String(input));
      return parsed.ok ? undefined : `${parsed.error.message} (character ${parsed.error.at + 1})`;
    },
  });

export const eventFilters = {
  search: kql
    .default('')
    .describe('Search in Kibana’s query language (docs/event-search.md), for example user.name: alice and not event.code: 4624.'),
  text: z.string().trim().max(200).default('').describe('Substring of any field.'),
  device: z.string().max(255).optional().describe('Filter by exact device name.'),
  user: z.string().max(255).optional().describe('Filter by exact user name.'),
  field: z
    .preprocess(
      // A comma separates conditions only where another condition follows: values contain commas too.
      (value) =>
        value === undefined || value === '' ? [] : typeof value === 'string' ? value.split(/,(?=[\w.@-]{1,100}[=:])/u) : value,
      z
        .array(
          z
            .string()
            .max(400)
            .regex(/^[\w.@-]{1,100}[=:].{1,290}$/su, 'Enter field=value for an exact value, or field:part for a substring.'),
        )
        .max(20, 'At most 20 fields at once.'),
    )
    .default([])
    .describe(
      'Conditions on ECS fields, field=value or field:substring, for example source.ip=203.0.113.5; comma-separated and combined with AND.',
    ),
};

/** Selects the time axis; not a filter. */
const by = {
  by: z
    .enum(['happened', 'arrived'])
    .default('happened')
    .describe('Time axis of start and end: event time, or time of arrival as in the reconciliation.'),
};
const searchedTo = instant
  .nullable()
  .describe(
    'Time that a search has come to that reached its time limit of 2 seconds; continue with it as before. null: complete.',
  );
const keptDays = count.describe('Retention in days of raw and unprocessed events; reconciliation figures are kept longer.');

export const deadLetter = z.object({
  id: z.string().max(20).describe('Event ID.'),
  clientOrganizationID: organisationId.describe('Organisation of the intake.'),
  clientOrganizationName: name.describe('Organisation name.'),
  receivedAt: instant.describe('Time of arrival.'),
  step: z.string().max(100).describe('Pipeline step that rejected it.'),
  reason: z.string().max(100).describe('Reason.'),
  raw: z.string().max(4000).describe('Received text: its first 2,000 characters.'),
  length: count.describe('Length of the stored text in characters.'),
});
export type DeadLetter = z.infer<typeof deadLetter>;

export const eventsApi = {
  search: endpoint({
    id: 'events.search',
    route: 'GET /events/:client/:start/:end',
    allow: 'events:read',
    freshness: 'none',
    sensitive: 'events',
    summary:
      'Searches raw events of a client by text, device, user and fields, newest or oldest first, over at most 31 days. The search is audited.',
    params: clientAndRange,
    query: z.object({
      pageSize: page.pageSize,
      ...by,
      ...eventFilters,
      query: queryParam('event'),
      order: z.enum(['newest', 'oldest']).default('newest').describe('Order of the rows by event time.'),
      before: instant.optional().describe('Continue behind this time (of the last row, or searchedTo) in the order of the rows.'),
      // Event IDs are UUIDs without the version of RFC 9562.
      beforeID: z.guid().optional().describe('ID of the last row, to continue within one instant of more than 200 events.'),
    }),
    answer: z.object({ results: z.array(eventRow).max(200), searchedTo }),
  }),
  timeline: endpoint({
    id: 'events.timeline',
    route: 'GET /events/:client/:start/:end/timeline',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Returns the number of events that match a search, over time.',
    params: clientAndRange,
    query: z.object({
      ...by,
      ...eventFilters,
      query: queryParam('event'),
      before: instant.optional().describe('Count on before this time: searchedTo of the answer before.'),
      counted: z.coerce
        .number()
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .default(0)
        .describe('Events counted by the answers before.'),
    }),
    answer: z.object({
      keptDays,
      bucketMinutes: count.describe('Width of a bar in minutes.'),
      bars: z
        .array(z.object({ at: instant.describe('Start of the bar.'), count: count.describe('Number of events.') }))
        .max(1000)
        .describe('Non-empty bars, oldest first.'),
      total: count.describe('Total number of events.'),
      isAtLeast: z.boolean().describe('true when counting reached its time limit: the total is that from searchedTo on.'),
      searchedTo,
      unmatched: z
        .array(
          z.object({
            at: count.describe('Start in the search, in UTF-16 units.'),
            length: count.describe('Length in UTF-16 units.'),
          }),
        )
        .max(10)
        .describe('Conditions of a search without hits that match no event on their own; of its first 10.'),
    }),
  }),
  fields: endpoint({
    id: 'events.fields',
    route: 'GET /events/:client/:start/:end/fields',
    allow: 'events:read',
    freshness: 'none',
    sensitive: 'events',
    summary:
      'Lists the fields of the newest 500 events that match a search, with their most frequent values. The request is audited.',
    params: clientAndRange,
    query: z.object({ ...by, ...eventFilters, query: queryParam('event') }),
    answer: z.object({
      events: count.describe('Events read: the newest, at most 500.'),
      fields: z
        .array(
          z.object({
            name: z.string().max(300).describe('Field name, dotted.'),
            count: count.describe('Events that have it.'),
            values: z
              .array(
                z.object({
                  value: z.string().max(200).describe('Value.'),
                  count: count.describe('Events with it.'),
                }),
              )
              .max(10)
              .describe('The most frequent values of at most 200 characters.'),
          }),
        )
        .max(500)
        .describe('Fields, the most frequent first.'),
    }),
  }),
  live: endpoint({
    id: 'events.live',
    route: 'GET /events/live/:client',
    allow: 'events:read',
    freshness: 'none',
    sensitive: 'events',
    summary:
      'Streams events that arrive and match a search as server-sent events, at most 200 at a moment. The request is audited.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    query: z.object(eventFilters),
    answer: eventRow,
    answers: 'events',
  }),
  history: endpoint({
    id: 'events.history',
    route: 'GET /events/history',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Lists the caller’s own last 50 different searches, newest first.',
    answer: z.object({
      results: z
        .array(
          z.object({
            query: z.string().max(8_000).describe('Conditions, as the query string of the event search.'),
            searchedAt: instant.describe('Time of the last such search.'),
          }),
        )
        .max(50),
    }),
  }),
  clearHistory: endpoint({
    id: 'events.clearHistory',
    route: 'DELETE /events/history',
    allow: 'events:read',
    freshness: 'none',
    summary: 'Deletes the caller’s own search history. The audit log keeps its entries.',
    answer: nothing,
  }),
  keptAside: endpoint({
    id: 'events.keptAside',
    route: 'GET /events/:client/:start/:end/kept-aside',
    allow: 'events:read',
    freshness: 'none',
    sensitive: 'events',
    summary: 'Lists unprocessed events with the reason, newest first. The request is audited.',
    params: clientAndRange,
    query: z.object({
      pageSize: page.pageSize,
      reason: listOf(z.string().min(1).max(100)).describe('Filter by reason, comma-separated.'),
      query: queryParam('rejected'),
      before: instant.optional().describe('Continue before this time (of the last row).'),
      beforeID: z
        .string()
        .max(18)
        .regex(/^\d+$/, 'This must be a whole number.')
        .optional()
        .describe('ID of the last row, to continue within one instant.'),
    }),
    answer: z.object({
      keptDays,
      results: z.array(deadLetter).max(200),
      total: count.describe('Total number, beyond this page.'),
      isAtLeast: z.boolean().describe('true when counting stopped at 10,000, counting from the newest.'),
      reasons: z
        .array(z.object({ reason: deadLetter.shape.reason, count: count.describe('Number of counted events with this reason.') }))
        .max(50)
        .describe('Reasons regardless of the filter, most frequent first.'),
    }),
  }),
};
