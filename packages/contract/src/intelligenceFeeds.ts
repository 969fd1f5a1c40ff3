/** Feeds into threat intelligence: collections of TAXII 2.1 servers and MISP instances, each read into a list of its own. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, id, instant, line, nameLine, results } from './primitives.ts';

export const intelligenceFeedKinds = ['taxii', 'misp'] as const;
export type IntelligenceFeedKind = (typeof intelligenceFeedKinds)[number];
export const intelligenceFeedStates = ['paused', 'waiting', 'receiving', 'retrying', 'refused'] as const;

const kind = z.enum(intelligenceFeedKinds).describe('taxii for a collection of a TAXII 2.1 server, or misp.');
const values = {
  url: z
    .string()
    .trim()
    .max(2_000)
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i, 'Enter an address that begins with https://, without credentials.')
    .describe('API root of the TAXII server, or address of the MISP instance.'),
  collection: z.string().trim().max(200).default('').describe('Collection ID; TAXII only.'),
  user: z.string().trim().max(200).default('').describe('User name; empty to send the secret as a bearer token. TAXII only.'),
  secret: z
    .string()
    .max(2_000)
    .regex(/^[ -~]*$/, 'Enter letters, digits and signs of ASCII only.')
    .default('')
    .describe('Password, token or key; empty to keep the stored one.'),
  tags: z.string().trim().max(1_000).default('').describe('Tags, separated by commas, of which one must match. MISP only.'),
  isPublishedOnly: z.boolean().default(true).describe('True to read published events only. MISP only.'),
};
type Given = { kind: IntelligenceFeedKind; collection: string };
const collectionOfTaxii = ({ kind: given, collection }: Given) => given !== 'taxii' || collection !== '';
const collectionNeeded = { path: ['collection'], message: 'Enter the ID of a collection.' };

export const newIntelligenceFeed = z
  .object({ kind, name: nameLine.describe('Name of the feed and of its list.'), ...values })
  .refine(collectionOfTaxii, collectionNeeded);

export const intelligenceFeed = z.object({
  id: z.number().int().describe('Feed ID.'),
  kind,
  name: line.describe('Name of the feed and of its list.'),
  listID: z.number().int().describe('ID of its list.'),
  url: line.describe('Address.'),
  collection: line.describe('Collection ID; empty for MISP.'),
  user: line.describe('User name.'),
  tags: line.describe('Tags, separated by commas.'),
  isPublishedOnly: z.boolean().describe('True if published events only are read.'),
  hasSecret: z.boolean().describe('True if a password, token or key is stored.'),
  state: z
    .enum(intelligenceFeedStates)
    .describe('paused, waiting for the first read, receiving, retrying after an error, or refused by the server.'),
  error: line.nullable().describe('Newest error in words; null after a success.'),
  errorAt: instant.nullable().describe('Time of the error.'),
  readAt: instant.nullable().describe('Newest successful read.'),
  nextAt: instant.nullable().describe('Next read; null while paused.'),
  count: count.describe('Indicators of its list.'),
  skipped: count.describe('Entries left out since the last complete read.'),
  fault: line.nullable().describe('Reason of the newest entry left out.'),
});
export type IntelligenceFeed = z.infer<typeof intelligenceFeed>;

const example = z.object({
  url: line.describe('Address.'),
  collection: line.describe('Collection ID; empty for MISP.'),
  user: line.describe('User name.'),
  secret: line.describe('Password or key.'),
});

const ofFeed = z.object({ id: id.describe('Feed ID.') });

export const intelligenceFeedsApi = {
  list: endpoint({
    id: 'intelligenceFeeds.list',
    route: 'GET /intelligencefeeds',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Lists the feeds into threat intelligence with their state.',
    answer: results(intelligenceFeed, 100).extend({
      examples: z
        .partialRecord(z.enum(intelligenceFeedKinds), example)
        .describe('Values of the demo’s simulated servers, by kind; empty outside the demo.'),
    }),
  }),
  test: endpoint({
    id: 'intelligenceFeeds.test',
    route: 'POST /intelligencefeeds/test',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Reads the first page of a feed without storing anything.',
    body: z.object({ kind, ...values }).refine(collectionOfTaxii, collectionNeeded),
    answer: z.object({
      indicators: count.describe('Indicators of the first page.'),
      skipped: count.describe('Entries of the first page that would be left out.'),
      hasMore: z.boolean().describe('True if more pages follow.'),
    }),
  }),
  create: endpoint({
    id: 'intelligenceFeeds.create',
    route: 'POST /intelligencefeeds',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Adds a feed with an empty list of its name. It is read at once, then every hour.',
    body: newIntelligenceFeed,
    answer: z.object({ id: z.number().int().describe('Feed ID.') }),
  }),
  change: endpoint({
    id: 'intelligenceFeeds.change',
    route: 'PUT /intelligencefeeds/:id',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Changes the address or credentials of a feed. It is read completely again.',
    params: ofFeed,
    body: z.object(values),
    answer: nothing,
  }),
  pause: endpoint({
    id: 'intelligenceFeeds.pause',
    route: 'POST /intelligencefeeds/:id/pause',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Pauses a feed or resumes it. Its list stays.',
    params: ofFeed,
    body: z.object({ isPaused: z.boolean().describe('False to resume.') }),
    answer: nothing,
  }),
  remove: endpoint({
    id: 'intelligenceFeeds.remove',
    route: 'DELETE /intelligencefeeds/:id',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Removes a feed and its list.',
    params: ofFeed,
    answer: nothing,
  }),
};
