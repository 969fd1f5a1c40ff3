/** Audit log of a GitHub organisation. Source: docs.github.com, "REST API endpoints for organizations", "Get the audit log". */
import type { Account, Connector, Http, Values, VendorEvent } from './connector.ts';
import { listOf, newestText, nextParameter, requestJson } from './requests.ts';
import { hostPattern, objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'GitHub';
/** Maximum of the interface. */
const pageSize = 100;

export const github: Connector = {
  id: 'github',
  title: 'GitHub',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
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
      hint: 'With data residency api.SUBDOMAIN.ghe.com',
      initial: 'api.github.com',
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
  open: openAccount,
};

function openAccount({ organisation = '', token = '', api = '' }: Values, http: Http): Account {
  const reader = createWindowedReader();
  const get = (query: Record<string, string>) =>
    requestJson(http, vendor, `${originOf(api)}/orgs/${organisation}/audit-log?${new URLSearchParams(query)}`, {
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'user-agent': 'portal',
        'x-github-api-version': '2022-11-28',
      },
    });

  const stream: Stream = {
    name: 'audit',
    async read(from, after) {
      const { body, headers } = await get({
        phrase: `created:>=${new Date(from).toISOString()}`,
        include: 'all',
        order: 'asc',
        per_page: String(pageSize),
        ...(after !== undefined && { after }),
      });
      return { events: listOf(vendor, body).map(eventOf), next: nextParameter(headers, 'after') };
    },
  };

  return {
    pull: (window, cursor) => reader.pull([stream], window, cursor),
    async test() {
      const { body } = await get({ per_page: '1', include: 'all' });
      return [{ what: 'Audit log', canRead: true, detail: newestText(listOf(vendor, body).map(eventOf)) }];
    },
  };
}

function eventOf(value: unknown): VendorEvent {
  const event = objectOf(value);
  return { id: textOf(event?._document_id), raw: JSON.stringify(value), at: timeOf(event?.['@timestamp'] ?? event?.created_at) };
}
