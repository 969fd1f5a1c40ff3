/**
 * Place of client and timeframe in each page’s address (spec §2.1, §2.2). An address that leaves them out is valid and is
 * completed with the current choice; people of one client carry no client, pages without a timeframe selector no timeframe.
 */
import { isMonth, isTimeframe, type Month, type Timeframe } from '@parapet/contract/rules/timeframe.ts';
import { clientIdIn, parseSearch } from './address.ts';
import { withQuery } from './paths.ts';

export interface PageRule {
  /** `path`: the optional last segment; `device`: the first segment of two, required; `query`: `client=`. */
  client: 'path' | 'device' | 'query';
  /** `month`: one of the last 12 calendar months (spec §2.2). Without a selector: undefined. */
  timeframe?: 'range' | 'month';
  /** A segment that is no client is a device’s name. */
  takesDevice?: true;
  /** The client is that of the person on the page, and not the reader’s choice for other pages. */
  isPassing?: true;
  /** The list that a change of client leads to, on pages about one object. */
  listAt?: string;
}

const range = { timeframe: 'range' } as const;
const inPath = { client: 'path' } as const;
const inQuery = { client: 'query' } as const;

/** By the first segment after /apps/, in lower case, and `/:id` where the rest is an object’s. */
const rules: Record<string, PageRule> = {
  dashboard: { ...inPath, ...range },
  alerts: { ...inPath, ...range, takesDevice: true },
  'alert/:id': { ...inQuery, ...range, listAt: '/apps/alerts' },
  cases: { ...inPath, ...range, takesDevice: true },
  'case/:id': { ...inQuery, listAt: '/apps/cases' },
  'attack-indicators': { ...inPath, ...range },
  devices: inPath,
  'device/:id': { client: 'device', listAt: '/apps/devices' },
  'risk-score': inQuery,
  vulnerability: inQuery,
  reporting: { ...inQuery, timeframe: 'month' },
  response: { ...inQuery, ...range },
  'response/:id': { ...inQuery, listAt: '/apps/response' },
  agents: inQuery,
  settings: inQuery,
  users: inQuery,
  profile: { ...inQuery, isPassing: true },
  'profile/:id': { ...inQuery, isPassing: true },
  clientdetails: inQuery,
  'clientdetails/:id': inQuery,
  audit: { ...inQuery, ...range },
  accesslog: { ...inQuery, ...range },
  outbox: inQuery,
  casereviews: { ...inQuery, ...range },
  mailsubscriptions: inQuery,
  deliveries: inQuery,
  billing: inQuery,
  identities: inQuery,
  rules: inQuery,
  'rule/:id': { ...inQuery, listAt: '/apps/rules' },
  exceptions: inQuery,
  casegrouping: inQuery,
  events: { ...inQuery, ...range },
  intelligence: inQuery,
  sapphire: inQuery,
  clientconfig: inPath,
  auditbitconfig: inPath,
  filebeatconfig: inPath,
  packetbeatconfig: inPath,
  winlogbeatconfig: inPath,
  rsyslogconfig: inPath,
};

export interface PageAddress {
  rule: PageRule;
  /** The path without its client. */
  base: string;
  /** The client’s or device’s segment, decoded. */
  segment: string | undefined;
}

/** The rule of a path; undefined for pages outside /apps. */
export function pageAt(pathname: string): PageAddress | undefined {
  const [apps, page = '', ...more] = pathname.split('/').filter((part) => part !== '');
  if (apps?.toLowerCase() !== 'apps') return undefined;
  const name = page.toLowerCase();
  const rule = rules[name];
  if (rule?.client === 'path') {
    return more.length > 1 ? undefined : { rule, base: `/${apps}/${page}`, segment: decoded(more[0]) };
  }
  const own = more.length === 0 ? rule : rules[`${name}/:id`];
  return own && { rule: own, base: pathname, segment: own.client === 'device' ? decoded(more[0]) : undefined };
}

function decoded(segment: string | undefined): string | undefined {
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export interface AddressChoice {
  /** 0: all. undefined: the user has no client selector. */
  client: number | undefined;
  ownId: number;
  /** The clients that the user can select, once they are loaded; until then each number counts as one. */
  clientIds?: readonly number[] | undefined;
  timeframe: Timeframe;
  /** The month that a report opens with. */
  month: () => Month;
}

/** The address with client and timeframe in their places; the same text when nothing is missing. Parts that stand are never changed. */
export function completeAddress(address: string, choice: AddressChoice): string {
  const [, pathname = '', query = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address) ?? [];
  const page = pageAt(pathname);
  if (!page) return address;
  const search = parseSearch(query);
  const path = completePath(pathname, page, search, choice);
  const timeframe = timeframeFor(page.rule, search.timeframe, choice);
  const client = choice.client === undefined ? undefined : clientFor(page, search.client, choice.client, choice.clientIds);
  if (path === pathname && timeframe === search.timeframe && client === search.client) return address;
  const { client: _client, timeframe: _timeframe, ...rest } = search;
  return withQuery(path, { client, timeframe, ...rest }) + hash;
}

function completePath(
  pathname: string,
  { rule, base, segment }: PageAddress,
  search: { client?: string },
  choice: AddressChoice,
) {
  if (rule.client !== 'path') return pathname;
  if (choice.client !== undefined) return segment ? pathname : `${base}/${clientIdIn(search.client) ?? choice.client}`;
  if (segment === undefined) return pathname;
  const named = clientIdIn(segment);
  // 0 and the own number are clients, anything else is a device’s name.
  return rule.takesDevice && named !== 0 && named !== choice.ownId ? pathname : base;
}

function clientFor(
  { rule, segment }: PageAddress,
  requested: string | undefined,
  chosen: number,
  ids: readonly number[] | undefined,
): string | undefined {
  if (rule.client === 'query') return requested || String(chosen);
  if (!rule.takesDevice || segment === undefined) return undefined;
  const number = clientIdIn(segment);
  const isClient = number !== undefined && (number === 0 || !ids || ids.includes(number));
  // A device’s name stands in the client’s place.
  return isClient ? undefined : requested || String(chosen);
}

function timeframeFor({ timeframe }: PageRule, requested: string | undefined, choice: AddressChoice): string | undefined {
  if (!timeframe) return undefined;
  if (timeframe === 'month') return isMonth(requested) ? requested : choice.month();
  return isTimeframe(requested) ? requested : choice.timeframe;
}
