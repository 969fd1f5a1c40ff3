/**
 * Simulated Microsoft Graph security: alerts_v2 and incidents, as published by Microsoft (Graph reference v1.0, from memory): `$filter` by creation or last
 * update, `$top`, `@odata.nextLink` with `$skip` for alerts and `$skiptoken` for incidents, errors with a code. Work on them: defenderxdr.incidents.ts.
 */
import { createXdrIncidents, type Entry, type XdrPeople } from './defenderxdr.incidents.ts';
import { checkToken, microsoftError, microsoftValues, tenant } from './microsoft.ts';
import {
  newVendorState,
  serveVendor,
  switchesOf,
  untidied,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
} from './vendor.ts';

/** With the people in Microsoft's portal. */
export type XdrVendor = Vendor & { people: XdrPeople };

const idOf = (number: number, at: number) => `da${at}${String(number).padStart(6, '0')}_-${number}`;
const incidentIdOf = (number: number, at: number) => `${at}${String(number).padStart(6, '0')}`;

function alertOf(number: number, at: number, more: object = {}): Entry {
  const id = idOf(number, at);
  const iso = new Date(at).toISOString();
  return {
    id,
    providerAlertId: id,
    incidentId: incidentIdOf(number, at),
    status: 'new',
    severity: 'low',
    classification: 'unknown',
    determination: 'unknown',
    serviceSource: 'microsoftDefenderForEndpoint',
    detectionSource: 'antivirus',
    tenantId: tenant,
    title: 'Suspicious execution of hidden file',
    category: 'Execution',
    alertWebUrl: `https://security.microsoft.com/alerts/${id}`,
    mitreTechniques: ['T1564.001'],
    systemTags: [],
    assignedTo: null,
    comments: [],
    createdDateTime: iso,
    lastUpdateDateTime: iso,
    firstActivityDateTime: iso,
    lastActivityDateTime: iso,
    evidence: [
      {
        '@odata.type': '#microsoft.graph.security.userEvidence',
        userAccount: { accountName: 'mara.lindt', domainName: 'alder', userPrincipalName: 'mara.lindt@alder.example' },
      },
    ],
    ...more,
  };
}

const incidentOf = (number: number, at: number, more: object = {}): Entry => ({
  id: incidentIdOf(number, at),
  tenantId: tenant,
  status: 'active',
  severity: 'low',
  displayName: 'Execution incident on one endpoint',
  incidentWebUrl: `https://security.microsoft.com/incidents/${incidentIdOf(number, at)}?tid=${tenant}`,
  redirectIncidentId: null,
  assignedTo: null,
  comments: [],
  classification: 'unknown',
  determination: 'unknown',
  createdDateTime: new Date(at).toISOString(),
  lastUpdateDateTime: new Date(at).toISOString(),
  ...more,
});

const [alerts, incidents] = ['/v1.0/security/alerts_v2', '/v1.0/security/incidents'];

/** Starts a simulated Microsoft Defender XDR. */
export async function startDefenderXdr(port?: number): Promise<XdrVendor> {
  const state = newVendorState();
  const entries: Record<string, Entry[]> = { [alerts]: [], [incidents]: [] };
  const work = createXdrIncidents(entries[incidents]!, entries[alerts]!);
  let count = 0;

  const list = (url: URL): VendorAnswer => {
    const query = url.searchParams;
    const filter = query.get('$filter');
    const [, time = 'createdDateTime', since = ''] = /^(createdDateTime|lastUpdateDateTime) ge (\S+)$/.exec(filter ?? '') ?? [];
    if (filter !== null && since === '') return microsoftError(400, 'BadRequest', 'Invalid filter clause');
    const place = url.pathname === alerts ? '$skip' : '$skiptoken';
    // A number of its own, or the place of the next page.
    const given = query.get(place) ?? query.get('$skip') ?? '';
    const [mark, skipped] = given.includes('-') ? given.split('-') : ['', given];
    if (mark && mark !== `${state.generation}`) return microsoftError(400, 'BadRequest', 'The page token is not valid.');
    const found = entries[url.pathname]!.filter((entry) => String(entry[time]) >= since).sort((a, b) =>
      `${a[time]} ${a.id}` < `${b[time]} ${b.id}` ? -1 : 1,
    );
    const from = Number(skipped ?? 0);
    const size = Math.min(url.pathname === alerts ? 1_000 : 50, Number(query.get('$top') ?? 50));
    const page = found.slice(from, from + size);
    const next = new URL(url);
    next.searchParams.set(place, `${state.generation}-${from + size}`);
    const value = state.isUntidy ? untidied(found, from, page) : page;
    return { body: { value, ...(from + size < found.length && { '@odata.nextLink': String(next) }) } };
  };

  const answer = (request: VendorRequest): VendorAnswer =>
    checkToken(state, request) ??
    work.answer(request) ??
    (request.url.pathname in entries ? list(request.url) : microsoftError(404, 'ResourceNotFound', 'Resource not found.'));

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'defenderxdr',
    people: work.people,
    values: microsoftValues(server.url),
    publish(number, at) {
      return Array.from({ length: number }, (_, index) => {
        const isIncident = count % 10 === 9;
        const entry = isIncident ? incidentOf(count++, at + index) : alertOf(count++, at + index);
        entries[isIncident ? incidents : alerts]!.push(entry);
        return entry.id;
      });
    },
    intrude(at) {
      const person = { accountName: 'ines.kofler', domainName: 'alder', userPrincipalName: 'ines.kofler@alder.example' };
      const clicked = {
        serviceSource: 'microsoftDefenderForOffice365',
        detectionSource: 'microsoftDefenderForOffice365',
        title: 'A potentially malicious URL click was detected',
        category: 'InitialAccess',
        severity: 'high',
        mitreTechniques: ['T1566.002'],
        evidence: [
          { '@odata.type': '#microsoft.graph.security.userEvidence', userAccount: person },
          { '@odata.type': '#microsoft.graph.security.urlEvidence', url: 'https://login.alder-portal.example/session' },
        ],
      };
      entries[incidents]!.push(incidentOf(count, at, { displayName: 'Initial access incident by one user', severity: 'high' }));
      entries[alerts]!.push(alertOf(count++, at, clicked));
    },
  };
}
