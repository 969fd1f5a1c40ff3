/** Calls of the isolation probe, made from the contract: each that reads, about an organisation and its objects. */
import { endpoints } from '@parapet/contract/api.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { testDevicePrefix } from '@parapet/contract/setup.ts';
import type { Marks } from './isolation.marks.ts';

/** Reads that are no GET. */
const posted = ['cases.list', 'reviews.list', 'caseMails.preview', 'sapphire.chat'];
/** Left out: calls that read nothing of an organisation, and drawn files whose rows the CSV has. */
export const leftOut: Record<string, string> = {
  'assistants.consent': 'A request of the caller’s own browser.',
  'auth.customerSuccess': 'Returns the link of the caller’s own session.',
  'operations.get': 'Measures the installation; for the provider’s Host.',
  'operations.mode': 'The state of the installation; for the provider’s Host.',
  'isolation.findings': 'For the provider’s Host.',
  'syslog.get': 'For the provider’s Host.',
  'vendorApplications.list': 'For the provider’s Host.',
  'cases.exportArchive': 'Packs the rows of cases.exportJson and cases.exportPdf.',
  'reports.pdf': 'Draws the rows of reports.csv.',
  'reports.xlsx': 'The rows of reports.csv.',
};

/** Calls that measure disk and database, which grow by every row: their changes show nothing. */
export const measuring: ReadonlySet<string> = new Set(['retention.get', 'retention.list']);

/** Calls that are tried; streams have a trial of their own (`isStream`). */
export const probed: readonly Endpoint[] = endpoints.filter(
  ({ id, method, allow, answers }) =>
    allow !== 'anyone' && answers !== 'redirect' && !(id in leftOut) && (method === 'GET' || posted.includes(id)),
);
export const isStream = ({ answers }: Endpoint): boolean => answers === 'events';

export interface About {
  /** Organisation in the address; 0 is the whole scope of the caller. */
  organisationId: number;
  /** Objects in the address. */
  marks: Marks;
  now: Date;
  start: Date;
  end: Date;
}

export interface Request {
  method: Endpoint['method'];
  url: string;
  payload?: object;
}

type Value = (about: About) => unknown;

/** Names of parameters that select an organisation. */
const organisations = ['client', 'clientId', 'clientOrgId', 'selectedClientOrgID', 'selectedClientOrganizationId'];
const instantOf = (date: Date) => date.toISOString();

/** Values of parameters by name. */
const values: Record<string, Value> = {
  ...Object.fromEntries(organisations.map((name) => [name, ({ organisationId }: About) => organisationId])),
  start: ({ start }) => instantOf(start),
  end: ({ end }) => instantOf(end),
  at: ({ marks }) => instantOf(marks.alertAt),
  year: ({ now }) => now.getUTCFullYear(),
  month: ({ now }) => now.getUTCMonth() + 1,
  caseId: ({ marks }) => marks.caseId,
  alertId: ({ marks }) => marks.alertId,
  userId: ({ marks }) => marks.userId,
  event: ({ marks }) => marks.eventId,
  job: ({ marks }) => marks.reportJobId,
  target: ({ marks }) => marks.targetId,
  delivery: ({ marks }) => marks.deliveryId,
  source: ({ marks }) => marks.webhookId,
  // Named beside an organisation: also read before there are marks.
  pastSearch: ({ marks }) => marks.pastSearchId ?? 1,
  name: ({ marks }) => marks.name,
  device: ({ marks }) => marks.name,
  ruleID: ({ marks }) => marks.ruleKey,
  pack: () => 'own',
  kind: () => 'filebeat',
  list: () => 'alerts',
  format: () => 'json',
};

/** Object of an address that names it `id`; an organisation where none is given. */
const idOf: Record<string, (marks: Marks) => number | string> = {
  'outbox.get': ({ mailId }) => mailId,
  'cases.detail': ({ caseId }) => caseId,
  'responseDesk.get': ({ responseId }) => responseId,
  'responseDesk.file': ({ responseId }) => responseId,
  'rules.getPreview': ({ caseId }) => caseId,
  'caseGrouping.getPreview': ({ caseId }) => caseId,
  'rulePacks.getImport': ({ importId }) => importId,
  'rulePacks.getItem': ({ importId }) => importId,
  'bulk.get': ({ reportJobId }) => reportJobId,
  'eventExports.file': ({ reportJobId }) => reportJobId,
  'account.mintedByApiKey': ({ keyId }) => keyId,
};
const organisationIds = ['organisations.', 'domains.', 'devices.agentVersions'];

/** Texts that look for a name; each fits the call's own limits. */
const searched = ['search', 'text'];
const ofQuery: Record<string, string[]> = {
  'caseMails.listOfCase': ['caseId'],
  'tags.list': ['selectedClientOrgID'],
  'alerts.ruleNames': ['selectedClientOrganizationId', 'start', 'end'],
  'retention.certificate': ['format'],
  'billing.list': ['month'],
  'billing.csv': ['month'],
  'billing.items': ['month'],
  'billing.compare': ['month'],
};

const bodies: Record<string, (about: About) => object> = {
  'cases.list': ({ organisationId, start, end }) => ({
    selectedClientOrganizationID: organisationId,
    start: instantOf(start),
    end: instantOf(end),
  }),
  'reviews.list': ({ organisationId }) => ({ filter: { clientOrganizationID: organisationId } }),
  'caseMails.preview': ({ marks }) => ({ caseID: marks.caseId, kind: 'update' }),
  'sapphire.chat': ({ marks }) => ({
    clientRequest: `Show the cases of the device ${marks.name}`,
    conversationUUID: crypto.randomUUID(),
  }),
};

const pathParameters = ({ path }: Endpoint) => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name!);
const isOrganisationId = ({ id }: Endpoint) => organisationIds.some((prefix) => id.startsWith(prefix));

/** Subject of the request: an organisation by its id, an object by its own, or nothing. */
export function namesOf(endpoint: Endpoint): 'organisation' | 'object' | 'self' {
  const names = [...pathParameters(endpoint), ...(ofQuery[endpoint.id] ?? [])];
  const body = ['cases.list', 'reviews.list'];
  if (names.some((name) => organisations.includes(name)) || body.includes(endpoint.id)) return 'organisation';
  if (names.includes('id') && isOrganisationId(endpoint)) return 'organisation';
  const objects = ['id', 'caseId', 'alertId', 'userId', 'event', 'job', 'target', 'delivery', 'source'];
  return names.some((name) => objects.includes(name)) || endpoint.id === 'caseMails.preview' ? 'object' : 'self';
}

/** True when the address names an object, besides an organisation or alone. */
export const namesObject = (endpoint: Endpoint): boolean =>
  namesOf(endpoint) === 'object' ||
  [...pathParameters(endpoint), ...(ofQuery[endpoint.id] ?? [])].some(
    (name) =>
      ['caseId', 'userId', 'event', 'target', 'source', 'name', 'device', 'ruleID'].includes(name) ||
      (name === 'id' && endpoint.id in idOf),
  );

/** A call that accepts other names than those of marks. */
const currentMonth: Value = ({ now }) => instantOf(now).slice(0, 7);
const ownValues: Record<string, Record<string, Value>> = {
  'setup.attack': { device: () => `${testDevicePrefix}abcd` },
  ...Object.fromEntries(
    ['billing.list', 'billing.csv', 'billing.items', 'billing.compare'].map((id) => [id, { month: currentMonth }]),
  ),
};

/** Throws for a parameter without a value: a new call needs one. */
export function requestOf(endpoint: Endpoint, about: About, { isSearching = false } = {}): Request {
  const textOf = (name: string): string => {
    const value =
      name === 'id'
        ? (idOf[endpoint.id]?.(about.marks) ?? (isOrganisationId(endpoint) ? about.organisationId : undefined))
        : (ownValues[endpoint.id]?.[name] ?? values[name])?.(about);
    if (value === undefined) throw new Error(`${endpoint.id}: the isolation probe has no value for ${name}.`);
    return String(value);
  };
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => encodeURIComponent(textOf(name)));
  const query = new URLSearchParams((ofQuery[endpoint.id] ?? []).map((name) => [name, textOf(name)]));
  const shape = (endpoint.query as { shape?: Record<string, unknown> }).shape ?? {};
  if (isSearching || endpoint.id === 'search.find')
    for (const name of searched) if (name in shape) query.set(name, about.marks.name);
  const payload = endpoint.method === 'GET' ? {} : { payload: bodies[endpoint.id]!(about) };
  const search = query.size > 0 ? `?${query}` : '';
  return { method: endpoint.method, url: endpoint.prefix + path + search, ...payload };
}
