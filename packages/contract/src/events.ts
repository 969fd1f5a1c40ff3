/** Raw events, as kept for 30 days: found by text, whatever their shape; and what came in and was kept aside. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, instant, line, listOf, name, organisationId, page, startBeforeEnd, timeRange } from './primitives.ts';

export const eventRow = z.object({
  id: z.string().max(64).describe('Names the event.'),
  clientOrganizationID: organisationId.describe('The organisation it belongs to.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  at: instant.describe('When it happened.'),
  receivedAt: instant.describe('When it arrived.'),
  clockSkew: z.enum(['none', 'future', 'past']).describe('Whether the event’s own clock could not be believed.'),
  shape: z.string().max(20).describe('What it was recognised as.'),
  deviceName: line.nullable().describe('The device it speaks of.'),
  userName: line.nullable().describe('The user it speaks of.'),
  text: line.describe('What it says, in one line.'),
  document: z.record(z.string().max(1000), z.unknown()).describe('The whole event.'),
});
export type EventRow = z.infer<typeof eventRow>;

const clientAndRange = startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange }));
export const eventFilters = {
  text: z.string().trim().max(200).default('').describe('Part of the event, in any field.'),
  device: z.string().max(255).optional().describe('Only this device, its whole name.'),
  user: z.string().max(255).optional().describe('Only this user, the whole name.'),
  field: z
    .preprocess(
      // A comma parts two conditions only where another one begins behind it: values have commas too.
      (value) =>
        value === undefined || value === '' ? [] : typeof value === 'string' ? value.split(/,(?=[\w.@-]{1,100}[=:])/u) : value,
      z
        .array(
          z
            .string()
            .max(400)
            .regex(/^[\w.@-]{1,100}[=:].{1,290}$/su, 'Write field=value for a whole value, or field:part for a part of one.'),
        )
        .max(20, 'At most 20 fields at once.'),
    )
    .default([])
    .describe('field=value or field:part, of ECS fields, such as source.ip=203.0.113.5; comma-separated; all must hold.'),
};

/** Not of the filters: the same events, on another axis of time. */
const by = {
  by: z
    .enum(['happened', 'arrived'])
    .default('happened')
    .describe('What start and end are of: when events happened, or when they arrived, as the balance sheet counts them.'),
};
const keptDays = count.describe(
  'Raw events, and what was kept aside, are kept for so many days; then only the figures of the balance sheet stay.',
);

export const deadLetter = z.object({
  id: z.string().max(20).describe('Names it.'),
  clientOrganizationID: organisationId.describe('The organisation that it came in for.'),
  clientOrganizationName: name.describe('That organisation’s name.'),
  receivedAt: instant.describe('When it arrived.'),
  step: z.string().max(100).describe('The step of the intake that kept it aside.'),
  reason: z.string().max(100).describe('Why.'),
  raw: z.string().max(4000).describe('What was sent: its first 2,000 characters.'),
  length: count.describe('Characters of it that are kept.'),
});
export type DeadLetter = z.infer<typeof deadLetter>;

export const eventsApi = {
  search: endpoint({
    id: 'events.search',
    method: 'GET',
    path: '/events/:client/:start/:end',
    allow: 'events:read',
    freshness: 'none',
    summary:
      'Raw events of a client, newest first, by text, device, user and fields; at most 31 days. Leaves a row in the audit log.',
    params: clientAndRange,
    query: z.object({
      pageSize: page.pageSize,
      ...by,
      ...eventFilters,
      before: instant.optional().describe('Continue before this time (the last row’s).'),
      // Not each event's id has a version as RFC 9562 asks of a UUID.
      beforeID: z
        .guid()
        .optional()
        .describe('The last row’s id too: the rest of its very instant comes first, where more than 200 happened at once.'),
    }),
    answer: z.object({ results: z.array(eventRow).max(200) }),
  }),
  timeline: endpoint({
    id: 'events.timeline',
    method: 'GET',
    path: '/events/:client/:start/:end/timeline',
    allow: 'events:read',
    freshness: 'none',
    summary: 'How many events a search finds, over time.',
    params: clientAndRange,
    query: z.object({ ...by, ...eventFilters }),
    answer: z.object({
      keptDays,
      bucketMinutes: count.describe('Minutes of a bar.'),
      bars: z
        .array(z.object({ at: instant.describe('Its start.'), count: count.describe('Events in it.') }))
        .max(1000)
        .describe('Bars that have events, oldest first.'),
      total: count.describe('Events in all.'),
      isAtLeast: z.boolean().describe('true when counting stopped at 10,000, from the newest on.'),
    }),
  }),
  keptAside: endpoint({
    id: 'events.keptAside',
    method: 'GET',
    path: '/events/:client/:start/:end/kept-aside',
    allow: 'events:read',
    freshness: 'none',
    summary: 'What arrived and could not be read as an event, newest first, with the reason. Leaves a row in the audit log.',
    params: clientAndRange,
    query: z.object({
      pageSize: page.pageSize,
      reason: listOf(z.string().min(1).max(100)).describe('Only what was kept aside for one of these reasons, comma-separated.'),
      before: instant.optional().describe('Continue before this time (the last row’s).'),
      beforeID: z
        .string()
        .max(18)
        .regex(/^\d+$/, 'This must be a whole number.')
        .optional()
        .describe('The last row’s id too: the rest of its very instant comes first.'),
    }),
    answer: z.object({
      keptDays,
      results: z.array(deadLetter).max(200),
      total: count.describe('How many there are in all, not only on this page.'),
      isAtLeast: z.boolean().describe('true when counting stopped at 10,000, from the newest on.'),
      reasons: z
        .array(
          z.object({ reason: deadLetter.shape.reason, count: count.describe('Kept aside for it, of those that were counted.') }),
        )
        .max(50)
        .describe('Why, whatever reason was asked for; the most frequent first.'),
    }),
  }),
};
