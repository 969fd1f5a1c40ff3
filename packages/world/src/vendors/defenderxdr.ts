/**
 * Simulated Microsoft Graph security: alerts_v2 and incidents, as published by Microsoft (Graph reference v1.0, from memory): `$filter` by creation, `$top`,
 * `@odata.nextLink` with `$skip` for alerts and `$skiptoken` for incidents, errors with a code.
 */
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

type Entry = Record<string, unknown> & { id: string; createdDateTime: string };

const idOf = (number: number, at: number) => `da${at}${String(number).padStart(6, '0')}_-${number}`;

function alertOf(number: number, at: number, more: object = {}): Entry {
  const id = idOf(number, at);
  const iso = new Date(at).toISOString();
  return {
    id,
    providerAlertId: id,
    incidentId: String(20_000 + number),
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

const incidentOf = (number: number, at: number): Entry => ({
  id: idOf(number, at),
  tenantId: tenant,
  status: 'active',
  severity: 'low',
  displayName: 'Execution incident on one endpoint',
  incidentWebUrl: `https://security.microsoft.com/incidents/${number}`,
  classification: 'unknown',
  determination: 'unknown',
  createdDateTime: new Date(at).toISOString(),
  lastUpdateDateTime: new Date(at).toISOString(),
});

const [alerts, incidents] = ['/v1.0/security/alerts_v2', '/v1.0/security/incidents'];

/** Starts a simulated Microsoft Defender XDR. */
export async function startDefenderXdr(port?: number): Promise<Vendor> {
  const state = newVendorState();
  const entries: Record<string, Entry[]> = { [alerts]: [], [incidents]: [] };
  let count = 0;

  const list = (url: URL): VendorAnswer => {
    const query = url.searchParams;
    const filter = query.get('$filter');
    const since = filter === null ? '' : (/^createdDateTime ge (\S+)$/.exec(filter)?.[1] ?? 'invalid');
    if (since === 'invalid') return microsoftError(400, 'BadRequest', 'Invalid filter clause');
    const place = url.pathname === alerts ? '$skip' : '$skiptoken';
    const [mark, skipped] = (query.get(place) ?? '').split('-');
    if (mark && mark !== `${state.generation}`) return microsoftError(400, 'BadRequest', 'The page token is not valid.');
    const found = entries[url.pathname]!.filter(({ createdDateTime }) => createdDateTime >= since).sort((a, b) =>
      `${a.createdDateTime} ${a.id}` < `${b.createdDateTime} ${b.id}` ? -1 : 1,
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
    (request.url.pathname in entries ? list(request.url) : microsoftError(404, 'ResourceNotFound', 'Resource not found.'));

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'defenderxdr',
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
      entries[alerts]!.push(alertOf(count++, at, clicked));
    },
  };
}
