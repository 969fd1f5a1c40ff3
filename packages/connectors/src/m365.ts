/**
 * Microsoft 365 by the Management Activity API. A subscription for each content type lists blobs by the time at which they became available; blobs hold
 * records in any order. The listing overlaps, blobs that were read are left out. Source: learn.microsoft.com, "Office 365 Management Activity API
 * reference".
 */
import { hash } from 'node:crypto';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import type { Account, Connector, Http, Pulled, Readable, Values, VendorEvent, Window } from './connector.ts';
import { RefusedError, RequestError, UnavailableError } from './errors.ts';
import { microsoftConsent, microsoftFields, microsoftSteps, microsoftTokens } from './microsoft.ts';
import { listOf, requestJson } from './requests.ts';
import { objectOf, originOf, readCursor, textOf, timeOf } from './values.ts';

const vendor = 'Microsoft 365';
const contentTypes = ['Audit.AzureActiveDirectory', 'Audit.Exchange', 'Audit.SharePoint', 'Audit.General', 'DLP.All'] as const;

/** Limits of a listing: 24 hours, and seven days back. */
const maxSpanMs = dayMs;
const maxBackMs = 7 * dayMs - hourMs;
/** Listed again: a blob may appear in the listing later than its time. */
const overlapMs = 30 * 60_000;
/** Subscriptions are started again, in case they were stopped. */
const subscribeEveryMs = dayMs;
/** Blobs of one pull, and of one request at a time. */
const maxBlobs = 60;
const blobsAtOnce = 6;
const maxSeen = 2_000;

export const m365: Connector = {
  id: 'm365',
  title: 'Microsoft 365',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
  documentation:
    'https://learn.microsoft.com/en-us/office/office-365-management-api/office-365-management-activity-api-reference',
  everyMs: 60_000,
  fields: microsoftFields('manage.office.com', 'manage.office365.us'),
  consent: microsoftConsent('manage.office.com', 'manage.office365.us', [
    {
      api: 'Office 365 Management APIs',
      name: 'ActivityFeed.Read',
      opens: 'Activities in Exchange, SharePoint, OneDrive, Teams and the directory',
    },
    {
      api: 'Office 365 Management APIs',
      name: 'ActivityFeed.ReadDlp',
      opens: 'Matches of data loss prevention policies, with the sensitive data found',
    },
  ]),
  steps: [
    'In the Microsoft Purview portal make sure that auditing is on (Audit › Start recording). The first records may take 12 hours.',
    ...microsoftSteps('Office 365 Management APIs: ActivityFeed.Read and, for data loss prevention, ActivityFeed.ReadDlp'),
  ],
  accountOf: ({ tenant = '' }) => tenant.toLowerCase(),
  open: openAccount,
};

interface Listing {
  /** Blobs available before are stored. */
  from: number;
  /** End of the listing in progress, with the token of its next page. */
  to: number | undefined;
  page: string | undefined;
  /** Ids of listed blobs that are not read yet. */
  pending: string[];
  /** Short hashes of the blobs read in the overlap. */
  seen: string[];
}

const shortHash = (id: string): string => hash('sha256', id, 'base64url').slice(0, 10);
/** As the interface takes it: UTC, without a zone. */
const apiTime = (at: number): string => new Date(at).toISOString().slice(0, 19);
const blobId = /^[\w$.-]{1,400}$/;

type Feed = ReturnType<typeof createFeed>;

/** Calls of the interface for one tenant. */
function createFeed(values: Values, http: Http, clock: Clock) {
  const { tenant = '', api = '' } = values;
  const feed = `${originOf(api)}/api/v1.0/${tenant}/activity/feed`;
  const tokens = microsoftTokens(http, clock, values);
  const request = (path: string, method = 'GET') =>
    tokens.run((token) =>
      requestJson(http, vendor, `${feed}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(method === 'POST' && { 'content-length': '0' }) },
      }),
    );

  /** Starts the subscriptions. Returns the refusals by content type; throws when all are refused. */
  const subscribe = async (): Promise<Map<string, string>> => {
    const refusals = new Map<string, string>();
    for (const type of contentTypes) {
      try {
        await request(`/subscriptions/start?contentType=${type}&PublisherIdentifier=${tenant}`, 'POST');
      } catch (error) {
        if (error instanceof RefusedError) refusals.set(type, error.message);
        // An active subscription is a bad request too.
        else if (!(error instanceof RequestError) || !error.message.includes('already enabled')) throw error;
      }
    }
    if (refusals.size === contentTypes.length) throw new RefusedError([...refusals.values()][0]!);
    return refusals;
  };

  const list = async (type: string, listing: Listing, { to: now }: Window): Promise<Listing> => {
    const from = Math.max(listing.from, now - maxBackMs);
    const to = listing.to ?? Math.min(now, from + maxSpanMs);
    const query = { contentType: type, startTime: apiTime(from), endTime: apiTime(to), PublisherIdentifier: tenant };
    const read = (page: string | undefined) =>
      request(`/subscriptions/content?${new URLSearchParams({ ...query, ...(page !== undefined && { nextPage: page }) })}`);
    const { body, headers } = await read(listing.page).catch((error) => {
      if (error instanceof RequestError && listing.page !== undefined) return read(undefined);
      throw error;
    });
    const next = pageIn(headers.get('nextpageuri'));
    if (next !== undefined && next === listing.page) throw new UnavailableError(`${vendor} returned the same page again.`);
    const known = new Set(listing.seen);
    const ids = listOf(vendor, body).map((blob) => textOf(objectOf(blob)?.contentId));
    const pending = ids.filter((id): id is string => id !== undefined && blobId.test(id) && !known.has(shortHash(id)));
    if (next !== undefined) return { ...listing, from, to, page: next, pending };
    return { ...listing, from: Math.max(from, to - overlapMs), to: undefined, page: undefined, pending };
  };

  const readBlob = async (id: string): Promise<VendorEvent[]> => {
    try {
      return listOf(vendor, (await request(`/audit/${id}`)).body).map(eventOf);
    } catch (error) {
      // Expired: it is gone.
      if (error instanceof RequestError) return [];
      throw error;
    }
  };

  return { subscribe, list, readBlob };
}

/** Reads listed blobs into `events`, up to a number of them. */
async function readPending(feed: Feed, listing: Listing, events: VendorEvent[], limit: number): Promise<Listing> {
  const ids = listing.pending.slice(0, limit);
  for (let at = 0; at < ids.length; at += blobsAtOnce)
    for (const found of await Promise.all(ids.slice(at, at + blobsAtOnce).map(feed.readBlob)))
      for (const event of found) events.push(event);
  const seen = [...listing.seen, ...ids.map(shortHash)].slice(-maxSeen);
  return { ...listing, pending: listing.pending.slice(ids.length), seen };
}

function openAccount(values: Values, http: Http, clock: Clock): Account {
  const feed = createFeed(values, http, clock);
  return {
    async pull(window, cursor): Promise<Pulled> {
      const stored = readCursor(cursor);
      let subscribedAt = timeOf(stored?.subscribedAt) ?? 0;
      let refused = Array.isArray(stored?.refused) ? stored.refused : [];
      if (window.to - subscribedAt > subscribeEveryMs) {
        refused = [...(await feed.subscribe()).keys()];
        subscribedAt = window.to;
      }
      const listings: Record<string, Listing> = {};
      const events: VendorEvent[] = [];
      let left = maxBlobs;
      let hasMore = false;
      for (const type of contentTypes.filter((each) => !refused.includes(each))) {
        let listing = listingOf(objectOf(stored?.listings)?.[type], window);
        if (listing.pending.length === 0) listing = await feed.list(type, listing, window);
        const before = listing.pending.length;
        listing = await readPending(feed, listing, events, left);
        left -= before - listing.pending.length;
        hasMore ||= listing.pending.length > 0 || listing.page !== undefined || window.to - listing.from > 2 * overlapMs;
        listings[type] = listing;
      }
      const oldest = Math.min(...Object.values(listings).map(({ from }) => from));
      const nextCursor = JSON.stringify({ subscribedAt, refused, listings });
      return { events, nextCursor, hasMore, lag: hasMore ? Math.max(0, window.to - oldest) : 0 };
    },

    async test(): Promise<Readable[]> {
      const refusals = await feed.subscribe();
      return contentTypes.map((what) => {
        const refusal = refusals.get(what);
        return { what, canRead: refusal === undefined, detail: refusal ?? 'The subscription is active.' };
      });
    },
  };
}

function listingOf(stored: unknown, window: Window): Listing {
  const listing = objectOf(stored);
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  return {
    from: timeOf(listing?.from) ?? window.from,
    to: timeOf(listing?.to),
    page: textOf(listing?.page),
    pending: texts(listing?.pending).filter((id) => blobId.test(id)),
    seen: texts(listing?.seen),
  };
}

/** Token of the next page; only the token is taken, because an address may lead anywhere. */
const pageIn = (uri: string | null): string | undefined =>
  uri !== null && URL.canParse(uri) ? (new URL(uri).searchParams.get('nextPage') ?? undefined) : undefined;

function eventOf(value: unknown): VendorEvent {
  const record = objectOf(value);
  const time = textOf(record?.CreationTime);
  // UTC, written without a zone.
  const at = timeOf(time !== undefined && /\d$/.test(time) ? `${time}Z` : time);
  return { id: textOf(record?.Id), raw: JSON.stringify(value), at };
}
