/** Kind and client of the data that a call reads, from the contract. */
import { endpoints } from '@parapet/contract/api.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { AccessKind } from '@parapet/contract/rules/client-access-log.ts';
import type { AccessInput } from '../../core/http/serve.ts';

/** Reads that are no GET. */
const posted = ['cases.list', 'reviews.list', 'caseMails.preview', 'sapphire.chat'];

/** Kind of data by the group of a call; null: of no client. */
const kinds: Record<string, AccessKind | null> = {
  account: null,
  advisoryFeeds: null,
  agents: 'devices',
  alerts: 'alerts',
  assistants: null,
  attack: 'figures',
  audit: 'audit',
  auth: null,
  balance: 'figures',
  billing: 'figures',
  brand: null,
  bulk: null,
  caseMails: 'emails',
  cases: 'cases',
  collectors: 'settings',
  connectionInvites: 'settings',
  connections: 'settings',
  dashboard: 'figures',
  deliveries: 'settings',
  devices: 'devices',
  domains: 'settings',
  eventExports: 'events',
  exceptions: 'rules',
  events: 'events',
  identities: 'users',
  imports: 'settings',
  ingestKeys: 'settings',
  intelligence: null,
  intelligenceFeeds: null,
  isolation: 'audit',
  looks: 'audit',
  mailSubscriptions: 'settings',
  offboarding: 'settings',
  onCall: 'settings',
  operations: null,
  organisations: 'settings',
  outbox: 'emails',
  pastSearches: 'events',
  proposals: 'cases',
  recalls: 'cases',
  reports: 'reports',
  responseDesk: 'responses',
  retention: 'settings',
  reviews: 'cases',
  risk: 'figures',
  rulePacks: null,
  analystTime: null,
  caseGrouping: 'rules',
  rules: 'rules',
  sapphire: 'sapphire',
  search: 'search',
  secondFactor: null,
  setup: 'settings',
  suppressions: 'rules',
  syslog: null,
  tags: 'devices',
  users: 'users',
  vendorApplications: null,
  views: null,
  vulnerabilities: 'vulnerabilities',
  webhookSources: 'settings',
};

/** Reads of these groups that return nothing of a client. */
export const withoutData: Record<string, string> = {
  'agents.listReleases': 'Packages of the installation.',
  'cases.analysts': 'Names of analysts.',
  'cases.decisionResultTypes': 'Constants.',
  'caseMails.signature': 'The caller’s own signature.',
  'connectionInvites.consentCallback': 'A redirect.',
  'connections.kinds': 'Constants.',
  'deliveries.kinds': 'Constants.',
  'eventExports.list': 'The caller’s own requests; a download is an access.',
  'events.history': 'The caller’s own searches.',
  'isolation.findings': 'Test of the installation.',
  'looks.getReason': 'The caller’s own reason.',
  'mailSubscriptions.mine': 'The caller’s own subscriptions.',
  'organisations.getAllClients': 'The caller’s own list of clients.',
  'organisations.listDeactivated': 'The caller’s own list of clients.',
  'organisations.partner': 'Brand of the pages.',
  'reports.getJob': 'Progress of the caller’s own job.',
  'responseDesk.getPolicy': 'A setting of the installation.',
  'reviews.analysts': 'Names of analysts.',
  'sapphire.may': 'The caller’s own permission.',
  'users.clientRoles': 'Constants.',
  'vulnerabilities.listAdvisorySources': 'Sources of the installation.',
};

/** Kind of data that a call reads of a client; undefined for writes, and for reads without such data. */
export function kindOf({ id, method, allow }: Endpoint): AccessKind | undefined {
  if ((method !== 'GET' && !posted.includes(id)) || allow === 'anyone' || allow === 'session:use' || id in withoutData)
    return undefined;
  const kind = kinds[id.split('.')[0] ?? ''];
  if (kind === undefined) throw new Error(`${id}: the access log has no kind for it (client-access-log.calls.ts).`);
  return kind ?? undefined;
}

export const accessObjects = [
  'alert',
  'case',
  'response',
  'mail',
  'eventExport',
  'reportJob',
  'rulePreview',
  'groupingPreview',
] as const;
export type AccessObject = (typeof accessObjects)[number];

/** A client, an object that belongs to one or more, the clients of the rows that were found, or all clients of the caller. */
export type Subject = { client: number } | { object: AccessObject; id: number } | { clients: readonly number[] } | 'all';

/** Objects whose address names them `id`. */
const byId: Record<string, AccessObject> = {
  'cases.detail': 'case',
  'eventExports.file': 'eventExport',
  'outbox.get': 'mail',
  'responseDesk.file': 'response',
  'responseDesk.get': 'response',
  'rules.getPreview': 'rulePreview',
  'caseGrouping.getPreview': 'groupingPreview',
};
/** Objects by the name of their parameter. */
const byName: readonly (readonly [string, AccessObject])[] = [
  ['alertId', 'alert'],
  ['caseId', 'case'],
  ['caseID', 'case'],
  ['job', 'reportJob'],
];
const clientNames = [
  'client',
  'clientId',
  'clientOrgId',
  'clientOrganizationID',
  'selectedClientOrgID',
  'selectedClientOrganizationId',
  'selectedClientOrganizationID',
];
/** Calls over all clients that count for the clients of their rows: the toolbar repeats one every 20 seconds. */
const byRows = new Set(['alerts.ofEvent', 'cases.answers']);
const clientsOf = (answer: unknown): number[] => {
  const { results = [] } = (answer ?? {}) as { results?: { clientOrganizationID: number }[] };
  return [...new Set(results.map((row) => row.clientOrganizationID))].sort((a, b) => a - b);
};

const isOfOrganisation = (id: string) => /^(organisations|domains)\./.test(id) || id === 'devices.agentVersions';

const numberOf = (part: unknown, name: string): number | undefined => {
  const value = (part as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'number' && value > 0 ? value : undefined;
};

/** Subject of a call with its parsed input. */
export function subjectOf({ id }: Pick<Endpoint, 'id'>, { params, query, body, answer }: AccessInput): Subject {
  const parts = [params, query, body, (body as { filter?: unknown } | undefined)?.filter];
  const named = numberOf(params, 'id');
  const object = byId[id];
  if (object && named !== undefined) return { object, id: named };
  for (const [name, kind] of byName)
    for (const part of parts) {
      const value = numberOf(part, name);
      if (value !== undefined) return { object: kind, id: value };
    }
  if (named !== undefined && isOfOrganisation(id)) return { client: named };
  // A single object found in all clients names its own in the answer.
  for (const part of [...parts, answer])
    for (const name of clientNames) {
      const value = numberOf(part, name);
      if (value !== undefined) return { client: value };
    }
  return byRows.has(id) ? { clients: clientsOf(answer) } : 'all';
}

/** Kinds of all calls, which also finds a call without one at the start. */
export const accessKindByCall: ReadonlyMap<string, AccessKind> = new Map(
  endpoints.flatMap((endpoint) => {
    const kind = kindOf(endpoint);
    return kind ? [[endpoint.id, kind] as const] : [];
  }),
);
