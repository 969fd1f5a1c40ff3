/** Raw events, as kept for 30 days: found by text, whatever their shape. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, instant, line, name, organisationId, page, startBeforeEnd, timeRange } from './primitives.ts';

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

export const eventsApi = {
  search: endpoint({
    id: 'events.search',
    method: 'GET',
    path: '/events/:client/:start/:end',
    allow: 'events:read',
    summary: 'Raw events of a client, newest first, that contain a text.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    query: z.object({
      pageSize: page.pageSize,
      text: z.string().trim().max(200).default('').describe('Part of the event, in any field.'),
      device: z.string().max(255).optional().describe('Only this device, its whole name.'),
      before: instant.optional().describe('Continue before this time (the last row’s).'),
    }),
    answer: z.object({ results: z.array(eventRow).max(200) }),
  }),
};
