/**
 * Simulated Okta: GET /api/v1/logs, as published by Okta for developers ("System Log API", "Rate limits", "Error codes", read in November 2026): polling
 * requests in the order of storing with a link `next` that never ends, `limit` up to 1,000, `SSWS` tokens, errors with an `errorCode`.
 */
import { oktaUsers } from './okta.users.ts';
import {
  newVendorState,
  serveVendor,
  switchesOf,
  untidied,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
} from './vendor.ts';

const token = '00demoDemoDemoDemoDemoDemoDemoDemoDemoDemo';

interface Stored {
  storedAt: number;
  event: OktaEvent;
}

export interface OktaEvent {
  uuid: string;
  published: string;
  eventType: string;
  [field: string]: unknown;
}

const error = (status: number, errorCode: string, errorSummary: string): VendorAnswer => ({
  status,
  body: { errorCode, errorSummary, errorLink: errorCode, errorId: 'oaeDemo', errorCauses: [] },
});

/** A sign-in as Okta writes it, with some fields replaced. */
export function oktaEvent(number: number, at: number, more: Partial<OktaEvent> = {}): OktaEvent {
  const person = people[number % people.length] as string;
  const name = person
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');
  return {
    uuid: `${(number % 0xffffffff).toString(16).padStart(8, '0')}-7c1e-11f1-9d3b-${at.toString(16).padStart(12, '0').slice(-12)}`,
    published: new Date(at).toISOString(),
    eventType: 'user.session.start',
    version: '0',
    severity: 'INFO',
    legacyEventType: 'core.user_auth.login_success',
    displayMessage: 'User login to Okta',
    actor: {
      id: `00u${person.length}demo${number % people.length}`,
      type: 'User',
      alternateId: `${person}@alder.example`,
      displayName: name,
      detailEntry: null,
    },
    client: {
      userAgent: {
        rawUserAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/141.0.0.0',
        os: 'Windows 10',
        browser: 'CHROME',
      },
      zone: 'null',
      device: 'Computer',
      id: null,
      ipAddress: `198.51.100.${10 + (number % 40)}`,
      geographicalContext: {
        city: 'Graz',
        state: 'Styria',
        country: 'Austria',
        postalCode: '8010',
        geolocation: { lat: 47.07, lon: 15.44 },
      },
    },
    outcome: { result: 'SUCCESS', reason: null },
    target: null,
    transaction: { type: 'WEB', id: `tx${number}`, detail: {} },
    debugContext: { debugData: { requestUri: '/idp/idx/identify', url: '/idp/idx/identify?' } },
    authenticationContext: { authenticationStep: 0, externalSessionId: `sess${number}` },
    securityContext: { asNumber: 64_496, asOrg: 'demo network', isp: 'demo network', domain: '.', isProxy: false },
    request: { ipChain: [] },
    ...more,
  };
}

const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];

/** Starts a simulated Okta. */
export async function startOkta(port?: number): Promise<Vendor & { add(storedAt: number, ...events: OktaEvent[]): void }> {
  const state = newVendorState();
  const stored: Stored[] = [];

  const firstSince = (since: number): number => {
    const first = stored.findIndex(({ storedAt }) => storedAt >= since);
    return first < 0 ? stored.length : first;
  };

  const targets = oktaUsers(people, (id, login) => {
    const target = [{ id, type: 'User', alternateId: login, displayName: login }];
    const more = { eventType: 'user.session.clear', displayMessage: 'Clear user session', target };
    add(Date.now(), oktaEvent(stored.length + 2_000_000, Date.now(), more));
  });

  /** Events by the expression that the portal uses for them. */
  const search = (filter: string, since: string): VendorAnswer => {
    const [, type, target] = /^eventType eq "([\w.]+)" and target\.id eq "(\w+)"$/.exec(filter) ?? [];
    if (type === undefined) return error(400, 'E0000031', `Invalid search criteria: ${filter}`);
    const events = stored.map(({ event }) => event).filter((event) => event.eventType === type && event.published >= since);
    return { body: events.filter((event) => (event.target as { id: string }[] | null)?.some(({ id }) => id === target)) };
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const { url, headers } = request;
    if (state.isRefused || headers.authorization !== `SSWS ${token}`) return error(401, 'E0000011', 'Invalid token provided');
    return targets.answer(request) ?? logs(url);
  };

  const logs = (url: URL): VendorAnswer => {
    if (url.pathname !== '/api/v1/logs') return error(404, 'E0000022', 'The endpoint does not support the provided HTTP method');
    const query = url.searchParams;
    const filter = query.get('filter');
    if (filter !== null) return search(filter, query.get('since') ?? '');
    const limit = Number(query.get('limit') ?? 100);
    if (!(limit >= 0 && limit <= 1_000)) return error(400, 'E0000001', 'Api validation failed: limit');
    if (query.get('sortOrder') === 'DESCENDING')
      return {
        body: stored
          .slice(-limit)
          .reverse()
          .map(({ event }) => event),
      };
    const after = query.get('after');
    const since = Date.parse(query.get('since') ?? '');
    if (after === null && Number.isNaN(since)) return error(400, 'E0000001', "Api validation failed: 'since'");
    const [mark, position] = after?.split('_') ?? [];
    if (after !== null && mark !== `g${state.generation}`) return error(400, 'E0000031', 'Invalid search criteria: after');
    const from = after === null ? firstSince(since) : Number(position);
    const page = stored.slice(from, from + limit);
    const next = new URL(url);
    next.searchParams.set('after', `g${state.generation}_${from + page.length}`);
    // A repeated event takes the place of none: an untidy page is longer.
    const shown = state.isUntidy ? untidied(stored, from, page) : page;
    return {
      headers: {
        link: [`<${url}>; rel="self"`, `<${next}>; rel="next"`],
        'x-rate-limit-limit': '120',
        'x-rate-limit-remaining': '119',
      },
      body: shown.map(({ event }) => event),
    };
  };

  const server = await serveVendor(answer, port);
  const add = (storedAt: number, ...events: OktaEvent[]) => void stored.push(...events.map((event) => ({ storedAt, event })));
  return {
    ...server,
    ...switchesOf(state),
    kind: 'okta',
    targets,
    values: { domain: server.url, token },
    add,
    publish(count, at) {
      const events = Array.from({ length: count }, (_, index) => oktaEvent(stored.length + index, at + index));
      add(Math.max(at, stored.at(-1)?.storedAt ?? 0), ...events);
      return events.map(({ uuid }) => uuid);
    },
    intrude(at) {
      const intruder = oktaEvent(0, at).client as object;
      const client = { ...intruder, ipAddress: '203.0.113.66', geographicalContext: { city: 'Riga', country: 'Latvia' } };
      const more = [
        {
          eventType: 'user.session.start',
          securityContext: { asNumber: 64_500, asOrg: 'hosting', isp: 'hosting', isProxy: true },
        },
        { eventType: 'user.account.privilege.grant', displayMessage: 'Grant user privilege' },
        { eventType: 'system.idp.lifecycle.create', displayMessage: 'Create identity provider' },
      ];
      const first = stored.length + 1_000_000;
      add(at, ...more.map((one, index) => oktaEvent((first + index) * people.length, at + index * 20_000, { ...one, client })));
    },
  };
}
