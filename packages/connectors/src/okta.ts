/**
 * Okta System Log by polling requests: ascending, without an end, following the link `next` without end. The vendor orders them by the time of
 * storing, so late events come later. Source: developer.okta.com, "System Log API", polling requests.
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Account, Connector, Http, Pulled, Readable, Values, VendorEvent, VendorUser, Window } from './connector.ts';
import { RequestError, UnavailableError } from './errors.ts';
import { oktaActions } from './okta.actions.ts';
import { listOf, newestText, nextParameter, requestJson } from './requests.ts';
import { hostPattern, latest, objectOf, originOf, readCursor, textOf, timeOf } from './values.ts';

const vendor = 'Okta';
/** Maximum of the interface. */
const pageSize = 1_000;
/** Read again where the vendor no longer has the cursor. */
const overlapMs = hourMs;

export const okta: Connector = {
  id: 'okta',
  title: 'Okta',
  capabilities: ['pull', 'act'],
  actions: ['disableUser', 'enableUser', 'revokeSessions', 'resetFactors'],
  actionStep:
    'For responses give the user the role Group Administrator of all users as well, or Organization Administrator for accounts of administrators.',
  documentation: 'https://developer.okta.com/docs/api/openapi/okta-management/management/tag/SystemLog/',
  everyMs: 60_000,
  fields: [
    {
      name: 'domain',
      label: 'Okta domain',
      hint: 'For example acme.okta.com, without “-admin”',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a domain, such as acme.okta.com.',
    },
    {
      name: 'token',
      label: 'API token',
      hint: 'Shown once by Okta when the token is created',
      isSecret: true,
      pattern: /^[\w-]{20,200}$/,
      fault: 'An API token has at least 20 letters, digits, “-” and “_”.',
    },
  ],
  steps: [
    'In the Okta Admin Console, create a user for the portal and assign it the role Read-only Administrator. A token has exactly the permissions of the person who creates it.',
    'Sign in as that user, open Security › API › Tokens and select Create token. Name it after the portal.',
    'If the page offers it, restrict the token to the portal’s network zone. A token that isn’t used for 30 days expires.',
    'Copy the token into the form. Okta doesn’t show it again.',
  ],
  accountOf: ({ domain = '' }) => new URL(originOf(domain)).host,
  open: openAccount,
};

function openAccount({ domain = '', token = '' }: Values, http: Http, clock: Clock): Account {
  const get = (query: Record<string, string>) =>
    requestJson(http, vendor, `${originOf(domain)}/api/v1/logs?${new URLSearchParams(query)}`, {
      headers: { accept: 'application/json', authorization: `SSWS ${token}` },
    });

  const readFrom = async (since: string, after: string | undefined, newest: number | undefined, { to }: Window) => {
    const query = { since, limit: String(pageSize), sortOrder: 'ASCENDING', ...(after && { after }) };
    const { body, headers } = await get(query);
    const list = listOf(vendor, body);
    const next = nextParameter(headers, 'after') ?? after;
    const hasMore = list.length >= pageSize;
    if (hasMore && next === after) throw new UnavailableError(`${vendor} returned the same page again.`);
    const events = list.map(eventOf);
    const seen = latest(newest, ...events.map(({ at }) => at));
    const nextCursor = JSON.stringify({ since, after: next, newest: seen });
    return { events, nextCursor, hasMore, lag: hasMore ? Math.max(0, to - (seen ?? to)) : 0 };
  };

  return {
    async users(page) {
      const query = new URLSearchParams({ limit: '200', ...(page !== undefined && { after: page }) });
      const { body, headers } = await requestJson(http, vendor, `${originOf(domain)}/api/v1/users?${query}`, {
        headers: { accept: 'application/json', authorization: `SSWS ${token}` },
      });
      return { users: listOf(vendor, body).flatMap(userOf), next: nextParameter(headers, 'after') };
    },

    actions: oktaActions(http, clock, originOf(domain), token),

    async pull(window: Window, cursor: string | undefined): Promise<Pulled> {
      const { since, after, newest } = readCursor(cursor) ?? {};
      const from = textOf(since) ?? new Date(window.from).toISOString();
      const known = timeOf(newest);
      try {
        return await readFrom(from, textOf(after), known, window);
      } catch (error) {
        if (!(error instanceof RequestError) || textOf(after) === undefined) throw error;
        const again = new Date((known ?? window.from) - overlapMs).toISOString();
        return readFrom(again, undefined, known, window);
      }
    },

    async test(): Promise<Readable[]> {
      const { body } = await get({ limit: '1', sortOrder: 'DESCENDING' });
      return [{ what: 'System Log', canRead: true, detail: newestText(listOf(vendor, body).map(eventOf)) }];
    },
  };
}

const inactive = ['STAGED', 'SUSPENDED', 'DEPROVISIONED'];

/** Okta has no mailboxes. */
function userOf(value: unknown): VendorUser[] {
  const user = objectOf(value);
  const [id, name] = [textOf(user?.id), textOf(objectOf(user?.profile)?.login)];
  if (id === undefined || name === undefined || inactive.includes(String(user?.status))) return [];
  return [{ id, name, hasMailbox: false }];
}

function eventOf(value: unknown): VendorEvent {
  const event = objectOf(value);
  return { id: textOf(event?.uuid), raw: JSON.stringify(value), at: timeOf(event?.published) };
}
