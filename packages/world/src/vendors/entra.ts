/**
 * Simulated Microsoft Entra: Microsoft Graph's auditLogs/signIns, auditLogs/directoryAudits and identityProtection/riskDetections, as published by Microsoft
 * (Graph reference v1.0, from memory): `$filter` by time, `$orderby`, `$top`, `@odata.nextLink` with `$skiptoken`, errors with a code.
 */
import { entraUsers } from './entra.users.ts';
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

type Entry = Record<string, unknown> & { id: string };

const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const idOf = (number: number, at: number) =>
  `${number.toString(16).padStart(8, '0')}-9b1f-4e2d-a1c4-${at.toString(16).padStart(12, '0').slice(-12)}`;

function signInOf(number: number, at: number, more: object = {}): Entry {
  const person = people[number % people.length]!;
  return {
    id: idOf(number, at),
    createdDateTime: new Date(at).toISOString(),
    userDisplayName: person.replace('.', ' '),
    userPrincipalName: `${person}@alder.example`,
    userId: `00000000-0000-4000-8000-00000000000${number % people.length}`,
    appId: '00000003-0000-0ff1-ce00-000000000000',
    appDisplayName: 'Office 365 SharePoint Online',
    ipAddress: `198.51.100.${10 + (number % 40)}`,
    clientAppUsed: 'Browser',
    correlationId: idOf(number + 1, at),
    conditionalAccessStatus: 'success',
    isInteractive: true,
    riskDetail: 'none',
    riskLevelAggregated: 'none',
    riskLevelDuringSignIn: 'none',
    riskState: 'none',
    riskEventTypes_v2: [],
    resourceDisplayName: 'Office 365 SharePoint Online',
    resourceTenantId: tenant,
    status: { errorCode: 0, failureReason: 'Other.', additionalDetails: 'MFA requirement satisfied by claim in the token' },
    deviceDetail: {
      deviceId: 'd-1',
      displayName: 'ALDER-W11',
      operatingSystem: 'Windows11',
      browser: 'Edge 141',
      isCompliant: true,
      isManaged: true,
    },
    location: { city: 'Graz', state: 'Steiermark', countryOrRegion: 'AT', geoCoordinates: { latitude: 47.07, longitude: 15.44 } },
    authenticationRequirement: 'multiFactorAuthentication',
    ...more,
  };
}

const auditOf = (number: number, at: number): Entry => ({
  id: `Directory_${idOf(number, at)}`,
  category: 'UserManagement',
  correlationId: idOf(number + 1, at),
  result: 'success',
  resultReason: '',
  activityDisplayName: 'Update user',
  activityDateTime: new Date(at).toISOString(),
  loggedByService: 'Core Directory',
  operationType: 'Update',
  initiatedBy: {
    app: null,
    user: { id: 'u-admin', displayName: null, userPrincipalName: 'admin@alder.example', ipAddress: '198.51.100.9' },
  },
  targetResources: [
    {
      id: 'u-1',
      displayName: null,
      type: 'User',
      userPrincipalName: `${people[number % people.length]}@alder.example`,
      modifiedProperties: [],
    },
  ],
  additionalDetails: [],
});

const riskOf = (number: number, at: number, more: object = {}): Entry => ({
  id: `${idOf(number, at)}`.replaceAll('-', ''),
  requestId: idOf(number + 1, at),
  correlationId: idOf(number + 2, at),
  riskEventType: 'unfamiliarFeatures',
  riskState: 'atRisk',
  riskLevel: 'low',
  riskDetail: 'none',
  source: 'IdentityProtection',
  detectionTimingType: 'realtime',
  activity: 'signin',
  tokenIssuerType: 'AzureAD',
  ipAddress: `198.51.100.${10 + (number % 40)}`,
  activityDateTime: new Date(at).toISOString(),
  detectedDateTime: new Date(at).toISOString(),
  lastUpdatedDateTime: new Date(at).toISOString(),
  userId: `00000000-0000-4000-8000-00000000000${number % people.length}`,
  userDisplayName: people[number % people.length],
  userPrincipalName: `${people[number % people.length]}@alder.example`,
  additionalInfo: '[]',
  location: { city: 'Graz', state: 'Steiermark', countryOrRegion: 'AT' },
  ...more,
});

const logs: Record<string, string> = {
  '/v1.0/auditLogs/signIns': 'createdDateTime',
  '/v1.0/auditLogs/directoryAudits': 'activityDateTime',
  '/v1.0/identityProtection/riskDetections': 'detectedDateTime',
};
const [signIns, audits, risks] = Object.keys(logs) as [string, string, string];

/** Starts a simulated Microsoft Entra. */
export async function startEntra(port?: number): Promise<Vendor> {
  const state = newVendorState();
  const entries: Record<string, Entry[]> = { [signIns]: [], [audits]: [], [risks]: [] };
  const targets = entraUsers(people);
  let count = 0;

  const keyOf = (path: string, entry: Entry) => `${entry[logs[path]!]} ${entry.id}`;

  const list = (url: URL): VendorAnswer => {
    const path = url.pathname;
    const time = logs[path]!;
    const query = url.searchParams;
    const filter = query.get('$filter');
    const since = filter === null ? '' : (new RegExp(`^${time} ge (\\S+)$`).exec(filter)?.[1] ?? 'invalid');
    if (since === 'invalid') return microsoftError(400, 'BadRequest', 'Invalid filter clause');
    const found = entries[path]!.filter((entry) => String(entry[time]) >= since).sort((a, b) =>
      keyOf(path, a) < keyOf(path, b) ? -1 : 1,
    );
    const [mark, after] = query.get('$skiptoken')?.split('|') ?? [];
    if (mark !== undefined && mark !== `g${state.generation}`)
      return microsoftError(400, 'Directory_ExpiredPageToken', 'The specified page token is expired.');
    const from = after === undefined ? 0 : found.filter((entry) => keyOf(path, entry) <= after).length;
    const size = Math.min(1_000, Number(query.get('$top') ?? 1_000));
    const page = found.slice(from, from + size);
    const last = page.at(-1);
    const next = new URL(url);
    if (last) next.searchParams.set('$skiptoken', `g${state.generation}|${keyOf(path, last)}`);
    const value = state.isUntidy ? untidied(found, from, page) : page;
    return {
      body: {
        '@odata.context': `${url.origin}/v1.0/$metadata`,
        value,
        ...(from + size < found.length && { '@odata.nextLink': String(next) }),
      },
    };
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const refused = checkToken(state, request);
    if (refused) return refused;
    const ofUser = targets.answer(request);
    if (ofUser) return ofUser;
    return request.url.pathname in logs ? list(request.url) : microsoftError(404, 'ResourceNotFound', 'Resource not found.');
  };

  const server = await serveVendor(answer, port);
  return {
    ...server,
    ...switchesOf(state),
    kind: 'entra',
    targets,
    values: microsoftValues(server.url),
    publish(number, at) {
      return Array.from({ length: number }, (_, index) => {
        const which = count % 10;
        const [path, make] =
          which === 8 ? ([audits, auditOf] as const) : which === 9 ? ([risks, riskOf] as const) : ([signIns, signInOf] as const);
        const entry = make(count++, at + index);
        entries[path]!.push(entry);
        return entry.id;
      });
    },
    intrude(at) {
      const place = { ipAddress: '203.0.113.66', location: { city: 'Riga', state: 'Riga', countryOrRegion: 'LV' } };
      const risky = {
        riskLevelDuringSignIn: 'high',
        riskLevelAggregated: 'high',
        riskState: 'atRisk',
        riskEventTypes_v2: ['anonymizedIPAddress'],
      };
      const single = { authenticationRequirement: 'singleFactorAuthentication', appDisplayName: 'Azure Portal' };
      entries[signIns]!.push(signInOf(count++, at, { ...place, ...risky, ...single }));
      entries[risks]!.push(riskOf(count++, at + 5_000, { ...place, riskEventType: 'leakedCredentials', riskLevel: 'high' }));
    },
  };
}
