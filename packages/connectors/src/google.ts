/**
 * Google Workspace by the Reports API: activities of some applications, newest first. A service account with domain-wide delegation acts as an
 * administrator. Source: developers.google.com, "Reports API: activities.list" and "Using OAuth 2.0 for server to server applications".
 */
import { createSign } from 'node:crypto';
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Account, Connector, Http, Readable, Values, VendorEvent, VendorUser } from './connector.ts';
import { RefusedError } from './errors.ts';
import { googleActions } from './google.actions.ts';
import { listOf, newestText, requestJson } from './requests.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { hostPattern, objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'Google Workspace';
const scope = 'https://www.googleapis.com/auth/admin.reports.audit.readonly';
const applications = ['login', 'admin', 'token', 'user_accounts', 'drive'] as const;
/** Maximum of the interface. */
const pageSize = 1_000;
const maxPages = 2;
/** Most activities appear within minutes, some after hours. */
const overlapMs = 4 * hourMs;
const overlapEveryMs = 20 * 60_000;

const directoryScope = 'https://www.googleapis.com/auth/admin.directory.user';

export const google: Connector = {
  id: 'google',
  title: 'Google Workspace',
  capabilities: ['pull', 'act'],
  actions: ['disableUser', 'enableUser'],
  actionStep: `For responses add the scope ${directoryScope} to the delegation, and the privilege Users › Update to the administrator’s role.`,
  documentation: 'https://developers.google.com/workspace/admin/reports/reference/rest/v1/activities/list',
  everyMs: 60_000,
  fields: [
    {
      name: 'admin',
      label: 'Administrator',
      hint: 'Email address of the administrator as whom the service account reads',
      isSecret: false,
      pattern: /^[^\s@]{1,64}@[a-z0-9.-]{3,250}$/i,
      fault: 'Enter an email address.',
    },
    {
      name: 'key',
      label: 'Key of the service account',
      hint: 'The whole JSON file',
      isSecret: true,
      isLong: true,
      pattern: /^\s*\{[\s\S]*"private_key"[\s\S]*\}\s*$/,
      fault: 'Paste the whole JSON file of the key.',
    },
    {
      name: 'api',
      label: 'API address',
      hint: 'Leave it as it is',
      initial: 'admin.googleapis.com',
      isSecret: false,
      pattern: hostPattern,
      fault: 'Enter a host name, such as admin.googleapis.com.',
    },
  ],
  steps: [
    'In the Google Cloud console create a project for the portal, enable the Admin SDK API in it, and create a service account without any role.',
    'Open the service account, create a key of the type JSON, and note its client ID under Advanced settings.',
    `In the Google Admin console open Security › Access and data control › API controls › Domain-wide delegation, and add the client ID with the scope ${scope}.`,
    'Create an administrator for the portal with a custom role that has only the privilege Reports. The service account reads as this administrator.',
    'Copy the administrator’s address and the JSON file into the form.',
  ],
  accountOf: ({ admin = '' }) => admin.slice(admin.lastIndexOf('@') + 1).toLowerCase(),
  open: openAccount,
};

interface Key {
  email: string;
  privateKey: string;
  tokenUri: string;
}

/** Throws where the file is not a key of a service account. */
function readKey(text: string): Key {
  try {
    const key = objectOf(JSON.parse(text));
    const [email, privateKey, tokenUri] = [textOf(key?.client_email), textOf(key?.private_key), textOf(key?.token_uri)];
    if (email && privateKey && tokenUri && URL.canParse(tokenUri)) return { email, privateKey, tokenUri };
  } catch {
    // Not JSON: the same fault.
  }
  throw new RefusedError('The key is not the JSON file of a service account.');
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Signed assertion by which the service account acts as `admin` for an hour (RFC 7523). */
function assertionOf({ email, privateKey, tokenUri }: Key, admin: string, scope: string, at: number): string {
  const now = Math.floor(at / 1_000);
  const claims = { iss: email, sub: admin, scope, aud: tokenUri, iat: now, exp: now + 3_600 };
  const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  try {
    return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`;
  } catch {
    throw new RefusedError('The private key of the service account can’t be read.');
  }
}

function openAccount({ admin = '', key = '', api = '' }: Values, http: Http, clock: Clock): Account {
  const reader = createWindowedReader({ maxPages, overlapMs, overlapEveryMs });
  const account = () => readKey(key);
  const tokensFor = (wanted: string) => {
    let tokens: Tokens | undefined;
    return () => {
      tokens ??= createTokens(http, clock, vendor, account().tokenUri, async () => ({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: assertionOf(account(), admin, wanted, clock.now()),
      }));
      return tokens;
    };
  };
  const readTokens = tokensFor(scope);
  const get = async (application: string, query: Record<string, string>) => {
    const path = `/admin/reports/v1/activity/users/all/applications/${application}`;
    const url = `${originOf(api)}${path}?${new URLSearchParams(query)}`;
    const { body } = await readTokens().run((token) =>
      requestJson(http, vendor, url, { headers: { authorization: `Bearer ${token}` } }),
    );
    const answer = objectOf(body);
    return { events: listOf(vendor, answer?.items ?? []).map(eventOf), next: textOf(answer?.nextPageToken) };
  };

  const streamOf = (application: string): Stream => ({
    name: application,
    read: (from, pageToken) =>
      get(application, {
        startTime: new Date(from).toISOString(),
        maxResults: String(pageSize),
        ...(pageToken !== undefined && { pageToken }),
      }),
  });
  const streams = applications.map(streamOf);

  const directory = tokensFor(`${directoryScope}.readonly`);
  return {
    async users(page) {
      const query = { customer: 'my_customer', maxResults: '500', ...(page !== undefined && { pageToken: page }) };
      const { body } = await directory().run((token) =>
        requestJson(http, vendor, `${originOf(api)}/admin/directory/v1/users?${new URLSearchParams(query)}`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      );
      const answer = objectOf(body);
      return { users: listOf(vendor, answer?.users ?? []).flatMap(userOf), next: textOf(answer?.nextPageToken) };
    },

    actions: googleActions(http, tokensFor(directoryScope), originOf(api)),
    pull: (window, cursor) => reader.pull(streams, window, cursor),
    async test() {
      const results: Readable[] = [];
      for (const application of applications) {
        const { events } = await get(application, { maxResults: '1' });
        results.push({ what: `Activities of ${application}`, canRead: true, detail: newestText(events) });
      }
      return results;
    },
  };
}

function userOf(value: unknown): VendorUser[] {
  const user = objectOf(value);
  const [id, name] = [textOf(user?.id), textOf(user?.primaryEmail)];
  if (id === undefined || name === undefined || user?.suspended === true || user?.archived === true) return [];
  return [{ id, name, hasMailbox: user?.isMailboxSetup === true }];
}

function eventOf(value: unknown): VendorEvent {
  const id = objectOf(objectOf(value)?.id);
  const [time, qualifier] = [textOf(id?.time), textOf(id?.uniqueQualifier)];
  return {
    id: time && qualifier ? `${textOf(id?.applicationName) ?? ''} ${time} ${qualifier}` : undefined,
    raw: JSON.stringify(value),
    at: timeOf(time),
  };
}
