/**
 * Microsoft Defender XDR by Microsoft Graph security: alerts of all Defender products and incidents. Source: learn.microsoft.com, "List alerts_v2",
 * "List incidents", "alert resource type".
 */
import type { Clock } from '@parapet/contract/rules/clock.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Account, Connector, Http, Readable, Values, VendorEvent } from './connector.ts';
import { graphIncidentSupport, graphIncidents } from './graph.incidents.ts';
import { microsoftConsent, microsoftFields, microsoftSteps, microsoftTokens } from './microsoft.ts';
import { listOf, newestText, readableOf, requestJson } from './requests.ts';
import { objectOf, originOf, textOf, timeOf } from './values.ts';
import { createWindowedReader, type Stream } from './windowed.ts';

const vendor = 'Microsoft Graph';
const time = 'createdDateTime';
/** Alerts may take an hour to appear. */
const overlapMs = 2 * hourMs;
const overlapEveryMs = 10 * 60_000;

const lists = [
  { name: 'alerts', what: 'Alerts', path: 'security/alerts_v2', pageSize: 500 },
  { name: 'incidents', what: 'Incidents', path: 'security/incidents', pageSize: 50 },
] as const;

export const defenderxdr: Connector = {
  id: 'defenderxdr',
  title: 'Microsoft Defender XDR',
  capabilities: ['pull'],
  actions: [],
  actionStep: '',
  incidents: graphIncidentSupport,
  documentation: 'https://learn.microsoft.com/en-us/graph/api/resources/security-api-overview',
  everyMs: 60_000,
  fields: microsoftFields('graph.microsoft.com', 'graph.microsoft.us'),
  consent: microsoftConsent('graph.microsoft.com', 'graph.microsoft.us', [
    { api: 'Microsoft Graph', name: 'SecurityAlert.Read.All', opens: 'Alerts of all Defender products' },
    { api: 'Microsoft Graph', name: 'SecurityIncident.Read.All', opens: 'Incidents' },
  ]),
  steps: [
    ...microsoftSteps('Microsoft Graph: SecurityAlert.Read.All and SecurityIncident.Read.All'),
    'Alerts of Defender for Endpoint come here too: with this connection, that of Defender for Endpoint is only needed for responses and the list of devices.',
  ],
  accountOf: ({ tenant = '' }) => tenant.toLowerCase(),
  open: openAccount,
};

function openAccount(values: Values, http: Http, clock: Clock): Account {
  const tokens = microsoftTokens(http, clock, values);
  const reader = createWindowedReader({ overlapMs, overlapEveryMs });
  const get = async (path: string, query: Record<string, string>) => {
    const url = `${originOf(values.api ?? '')}/v1.0/${path}?${new URLSearchParams(query)}`;
    const { body } = await tokens.run((token) =>
      requestJson(http, vendor, url, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }),
    );
    const answer = objectOf(body);
    return { list: listOf(vendor, answer?.value), next: placeIn(answer?.['@odata.nextLink']) };
  };
  const streams: readonly Stream[] = lists.map(({ name, path, pageSize }) => ({
    name,
    async read(from, token) {
      const query = { $filter: `${time} ge ${new Date(from).toISOString()}`, $top: String(pageSize), ...placeOf(token) };
      const { list, next } = await get(path, query);
      return { events: list.map(eventOf), next };
    },
  }));

  return {
    incidents: graphIncidents(http, tokens, originOf(values.api ?? '')),

    pull: (window, cursor) => reader.pull(streams, window, cursor),

    async test() {
      const results: Readable[] = [];
      for (const { what, path } of lists)
        results.push(await readableOf(what, async () => newestText((await get(path, { $top: '1' })).list.map(eventOf))));
      return results;
    },
  };
}

const places = ['$skiptoken', '$skip'] as const;

/** Place of the next page as `name=value`; only it is taken, because a link may lead anywhere. */
function placeIn(link: unknown): string | undefined {
  if (typeof link !== 'string' || !URL.canParse(link)) return undefined;
  const query = new URL(link).searchParams;
  const name = places.find((each) => query.has(each));
  return name && `${name}=${query.get(name)}`;
}

function placeOf(token: string | undefined): Record<string, string> {
  const name = places.find((each) => token?.startsWith(`${each}=`));
  return token === undefined || name === undefined ? {} : { [name]: token.slice(name.length + 1) };
}

/** An alert that names a device belongs to it. */
function eventOf(value: unknown): VendorEvent {
  const record = objectOf(value);
  const evidence = Array.isArray(record?.evidence) ? record.evidence : [];
  const isOfDevice = evidence.some((entry) => textOf(objectOf(entry)?.deviceDnsName) !== undefined);
  return {
    ...(isOfDevice && { isOfDevice }),
    id: textOf(record?.id),
    raw: JSON.stringify(value),
    at: timeOf(record?.[time]),
  };
}
