/** Feeds of EPSS scores and of known exploited vulnerabilities, which the portal reads for every client. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { count, instant, line, results } from './primitives.ts';

export const feedKinds = ['epss', 'kev'] as const;
export type FeedKind = (typeof feedKinds)[number];
export const feedTitles: Readonly<Record<FeedKind, string>> = { epss: 'EPSS scores', kev: 'Known exploited vulnerabilities' };
export const feedStates = ['paused', 'waiting', 'receiving', 'retrying'] as const;

const kind = z.enum(feedKinds).describe('epss, or kev for known exploited vulnerabilities.');
const ofFeed = z.object({ kind });
const url = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => text === '' || /^https?:\/\/[^\s/]+/i.test(text), 'Enter an address that begins with https://.')
  .describe('Address of the file; empty for the publisher’s own.');

export const advisoryFeed = z.object({
  kind,
  title: line.describe('Title.'),
  publisher: line.describe('Publisher.'),
  documentation: line.describe('Address of the publisher’s description.'),
  url: line.describe('Address of the file.'),
  isOwnAddress: z.boolean().describe('True for the publisher’s own address.'),
  isSimulated: z.boolean().describe('True for the demo’s simulated feed, whose values are invented.'),
  state: z.enum(feedStates).describe('paused, waiting for the first read, receiving, or retrying after an error.'),
  error: line.nullable().describe('Newest error in words; null after a success.'),
  errorAt: instant.nullable().describe('Time of the error.'),
  readAt: instant.nullable().describe('Newest successful read.'),
  nextAt: instant.nullable().describe('Next read; null while paused.'),
  entries: count.describe('Entries stored now, also from files.'),
  newestAt: instant.nullable().describe('Day of the newest score or listing.'),
});
export type AdvisoryFeed = z.infer<typeof advisoryFeed>;

export const advisoryFeedsApi = {
  list: endpoint({
    id: 'advisoryFeeds.list',
    route: 'GET /advisoryfeeds',
    allow: 'intelligence:write',
    freshness: 'none',
    summary: 'Lists the feeds of EPSS scores and known exploited vulnerabilities with their state.',
    answer: results(advisoryFeed, 10),
  }),
  test: endpoint({
    id: 'advisoryFeeds.test',
    route: 'POST /advisoryfeeds/:kind/test',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Reads a feed without storing anything.',
    params: ofFeed,
    body: z.object({ url }),
    answer: z.object({
      entries: count.describe('Readable entries.'),
      newest: z.iso.date().max(10).nullable().describe('Day of the newest score or listing.'),
      skipped: count.describe('Entries that can’t be read.'),
    }),
  }),
  change: endpoint({
    id: 'advisoryFeeds.change',
    route: 'PUT /advisoryfeeds/:kind',
    allow: 'intelligence:write',
    freshness: 'freshOrKey',
    summary: 'Turns a feed on or pauses it, and sets its address. A feed that is turned on is read at once.',
    params: ofFeed,
    body: z.object({ isOn: z.boolean().describe('False to pause.'), url }),
    answer: nothing,
  }),
};
