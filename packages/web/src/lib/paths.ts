/**
 * Builders of every address of the portal, snapshotted in `paths.test.ts`. Links may leave out client and timeframe: `AppLink` and `useGo`
 * add them (`pageRules.ts`).
 */
import type { ConfigKind } from '@parapet/contract/collectors.ts';

export type Query = Record<string, string | number | readonly (string | number)[] | undefined>;

/** Joins lists by commas and leaves out empty values; keeps the given order. */
export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : value === undefined ? '' : String(value);
    if (text !== '') search.set(name, text);
  }
  // Commas and colons are legal in a query and more readable unescaped.
  return search.size > 0 ? `${path}?${search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}` : path;
}

const segment = (value: string | number | undefined) => (value === undefined ? '' : `/${encodeURIComponent(value)}`);

/** Auditbeat’s route has the specification’s spelling. */
export const configRoutes: Record<ConfigKind, string> = {
  client: 'clientconfig',
  auditbeat: 'auditbitconfig',
  filebeat: 'filebeatconfig',
  packetbeat: 'packetbeatconfig',
  winlogbeat: 'winlogbeatconfig',
  rsyslog: 'rsyslogconfig',
};

export const paths = {
  home: () => '/',
  login: () => '/login',
  logout: () => '/logout',
  register: () => '/register',
  passwordReset: (token: string) => `/passwordReset${segment(token)}`,
  dashboard: (client?: number, query?: Query) => withQuery(`/apps/dashboard${segment(client)}`, query),
  /** The alerts of a client, or of a device by its name. */
  alerts: (clientOrDevice?: number | string, query?: Query) => withQuery(`/apps/alerts${segment(clientOrDevice)}`, query),
  alert: (id: number, query?: Query) => withQuery(`/apps/alert/${id}`, query),
  /** The cases of a client, or of a device by its name. */
  cases: (clientOrDevice?: number | string, query?: Query) => withQuery(`/apps/cases${segment(clientOrDevice)}`, query),
  case: (id: number, query?: Query) => withQuery(`/apps/case/${id}`, query),
  attackIndicators: (client?: number, query?: Query) => withQuery(`/apps/attack-indicators${segment(client)}`, query),
  riskScore: (query?: Query) => withQuery('/apps/risk-score', query),
  vulnerability: (query?: Query) => withQuery('/apps/vulnerability', query),
  reporting: (query?: Query) => withQuery('/apps/reporting', query),
  devices: (client?: number, query?: Query) => withQuery(`/apps/devices${segment(client)}`, query),
  /** A device by its name, of a client. */
  device: (client: number, name?: string, query?: Query) => withQuery(`/apps/device/${client}${segment(name)}`, query),
  responses: (query?: Query) => withQuery('/apps/response', query),
  response: (id: number) => `/apps/response/${id}`,
  settings: (query?: Query) => withQuery('/apps/settings', query),
  users: (query?: Query) => withQuery('/apps/users', query),
  /** Without an id: a new user. */
  profile: (id?: number, query?: Query) => withQuery(`/apps/profile${segment(id)}`, query),
  clientDetails: (tab: string, query?: Query) => withQuery(`/apps/clientdetails/${tab}`, query),
  newClient: (query?: Query) => withQuery('/apps/clientdetails/create/general', query),
  audit: (query?: Query) => withQuery('/apps/audit', query),
  accessLog: (query?: Query) => withQuery('/apps/accesslog', query),
  operations: (query?: Query) => withQuery('/apps/operations', query),
  outbox: (query?: Query) => withQuery('/apps/outbox', query),
  caseReviews: (query?: Query) => withQuery('/apps/casereviews', query),
  deliveries: (query?: Query) => withQuery('/apps/deliveries', query),
  billing: (query?: Query) => withQuery('/apps/billing', query),
  mailSubscriptions: (query?: Query) => withQuery('/apps/mailsubscriptions', query),
  identities: (query?: Query) => withQuery('/apps/identities', query),
  rules: (query?: Query) => withQuery('/apps/rules', query),
  caseGrouping: (query?: Query) => withQuery('/apps/casegrouping', query),
  rulePacks: (query?: Query) => withQuery('/apps/rulepacks', query),
  ruleImport: (id: number, query?: Query) => withQuery(`/apps/ruleimport${segment(id)}`, query),
  rule: (ruleID: string, query?: Query) => withQuery(`/apps/rule${segment(ruleID)}`, query),
  /** Exceptions of rules and suppressions of alerts together. */
  exceptions: (query?: Query) => withQuery('/apps/exceptions', query),
  events: (query?: Query) => withQuery('/apps/events', query),
  intelligence: () => '/apps/intelligence',
  /** The administration of Sapphire. */
  sapphire: (query?: Query) => withQuery('/apps/sapphire', query),
  agents: (query?: Query) => withQuery('/apps/agents', query),
  collectorConfig: (kind: ConfigKind, client?: number, query?: Query) =>
    withQuery(`/apps/${configRoutes[kind]}${segment(client)}`, query),
  /** Reached from emails, which append the query. */
  caseAnswer: () => '/emailCaseAction',
  unsubscribe: (token: string) => `/unsubscribe${segment(token)}`,
  faq: () => '/pages/faq',
  notFound: () => '/pages/errors/error-404',
};
