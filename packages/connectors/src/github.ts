/**
 * Audit log of a GitHub organisation. Events are read in ascending order from a time, following the link `next`; every ten minutes the last hour is
 * read again, because events may appear late. Source: docs.github.com, "REST API endpoints for organizations", "Get the audit log".
 */
import type { Connector, Http, Pulled, Readable, Values, VendorEvent, Window } from './connector.ts';
import { RequestError, UnavailableError } from './errors.ts';
import { nextParameter, requestJson } from './requests.ts';
import { hostPattern, latest, objectOf, originOf, readCursor, textOf, timeOf } from './values.ts';

const vendor = 'GitHub';
/** Maximum of the interface. */
const pageSize = 100;
/** Pages of one pull. */
const maxPages = 10;
/** Read again for late events, so often. */
const overlapMs = 3_600_000;
const overlapEveryMs = 10 * 60_000;

export const github: Connector = {
  id: 'github',
  title: 'GitHub',
  capabilities: ['pull'],
  documentation: 'https://docs.github.com/en/enterprise-cloud@latest/rest/orgs/orgs#get-the-audit-log-for-an-organization',
  // The interface allows 1,750 requests an hour.
  everyMs: 60_000,
  fields: [
    {
      name: 'organisation',
      label: 'Organisation',
      hint: 'The name in the address of the organisation, such as acme-corp',
      isSecret: false,
      pattern: /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?$/i,
      fault: 'Enter the organisation’s name as it stands in its address.',
    },
    {
      name: 'token',
      label: 'Access token',
      hint: 'A classic token with read:audit_log, or a fine-grained one with organisation administration (read)',
      isSecret: true,
      pattern: /^(?:gh[a-z]_|github_pat_)?\w{20,255}$/,
      fault: 'An access token begins with ghp_ or github_pat_.',
    },
    {
      name: 'api',
      label: 'API address',
      hint: 'api.github.com; with data residency api.SUBDOMAIN.ghe.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as api.github.com.',
    },
  ],
  steps: [
    'The audit log can be read by interfaces in GitHub Enterprise Cloud only. Sign in to GitHub as an owner of the organisation.',
    'Under Settings › Developer settings › Personal access tokens create a token: classic with the scope read:audit_log, or fine-grained for the organisation with the permission Administration (read-only).',
    'Where the organisation requires single sign-on, authorise a classic token for it. Where it restricts addresses, allow the portal’s.',
    'Under the organisation’s Settings › Audit log › Settings switch on the disclosure of IP addresses, so that events tell from where they came.',
    'Copy the token into the form. GitHub doesn’t show it again, and it stops working on its expiry date.',
  ],
  accountOf: ({ organisation = '' }) => organisation.toLowerCase(),
  open: (values, http) => openAccount(values, http),
};

interface Place {
  /** Milliseconds; everything before is stored. */
  from: number;
  /** Of the next page; undefined at the start of a reading from `from`. */
  after: string | undefined;
  newest: number | undefined;
  /** Start of the newest reading that began earlier. */
  checkedAt: number | undefined;
}

function openAccount({ organisation = '', token = '', api = '' }: Values, http: Http) {
  const get = (query: Record<string, string>) =>
    requestJson(http, vendor, `${originOf(api)}/orgs/${organisation}/audit-log?${new URLSearchParams(query)}`, {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'portal',
        'x-github-api-version': '2022-11-28',
      },
    });

  const readPage = async ({ from, after }: Place) => {
    const { body, headers } = await get({
      phrase: `created:>=${new Date(from).toISOString()}`,
      include: 'all',
      order: 'asc',
      per_page: String(pageSize),
      ...(after !== undefined && { after }),
    });
    if (!Array.isArray(body)) throw new UnavailableError(`${vendor} returned something that is not a list of events.`);
    const next = nextParameter(headers, 'after');
    if (next !== undefined && next === after) throw new UnavailableError(`${vendor} returned the same page again.`);
    return { events: body.map(eventOf), next };
  };

  /** Reads up to ten pages. */
  const readOn = async (start: Place, { to }: Window): Promise<Pulled> => {
    const events: VendorEvent[] = [];
    let place = start;
    let hasMore = true;
    for (let pages = 0; pages < maxPages && hasMore; pages++) {
      const page = await readPage(place);
      for (const event of page.events) events.push(event);
      place = { ...place, after: page.next, newest: latest(place.newest, ...page.events.map(({ at }) => at)) };
      hasMore = page.next !== undefined;
    }
    const { newest = start.from, checkedAt = 0 } = place;
    if (!hasMore) {
      const isChecking = to - checkedAt > overlapEveryMs;
      const from = Math.min(newest, to) - (isChecking ? overlapMs : 0);
      place = { ...place, after: undefined, from, checkedAt: isChecking ? to : checkedAt };
    }
    return { events, nextCursor: JSON.stringify(place), hasMore, lag: hasMore ? Math.max(0, to - newest) : 0 };
  };

  return {
    async pull(window: Window, cursor: string | undefined): Promise<Pulled> {
      const stored = readCursor(cursor);
      const from = timeOf(stored?.from) ?? window.from;
      const place = { from, after: textOf(stored?.after), newest: timeOf(stored?.newest), checkedAt: timeOf(stored?.checkedAt) };
      try {
        return await readOn(place, window);
      } catch (error) {
        if (!(error instanceof RequestError) || place.after === undefined) throw error;
        return readOn({ ...place, after: undefined }, window);
      }
    },

    async test(): Promise<Readable[]> {
      const { body } = await get({ per_page: '1', include: 'all' });
      const [event] = Array.isArray(body) ? body.map(eventOf) : [];
      const detail = event?.at ? `Newest event ${new Date(event.at).toISOString()}` : 'No events yet';
      return [{ what: 'Audit log', canRead: true, detail }];
    },
  };
}

function eventOf(value: unknown): VendorEvent {
  const event = objectOf(value);
  return { id: textOf(event?._document_id), raw: JSON.stringify(value), at: timeOf(event?.['@timestamp'] ?? event?.created_at) };
}
