/**
 * Simulated Google Workspace: admin/reports/v1/activity/users/all/applications/{application} and the token endpoint for assertions of service accounts, as
 * published by Google for developers (Reports API v1, "OAuth 2.0 for server to server applications", from memory): newest first, `startTime`,
 * `maxResults` up to 1,000, `nextPageToken`, errors with a code, a status and reasons.
 */
import { createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  type Course,
  newVendorState,
  serveVendor,
  switchesOf,
  untidied,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
  type VendorState,
} from './vendor.ts';

interface Activity {
  kind: 'admin#reports#activity';
  id: { time: string; uniqueQualifier: string; applicationName: string; customerId: string };
  actor: { callerType: string; email: string; profileId: string };
  ipAddress: string;
  events: { type: string; name: string; parameters?: object[] }[];
}

const admin = 'portal.reader@alder.example';
const people = ['mara.lindt', 'jonas.weber', 'ines.kofler', 'peter.hallam', 'aylin.demir'];
const everyday: [application: string, type: string, name: string, parameters: object[]][] = [
  [
    'login',
    'login',
    'login_success',
    [
      { name: 'login_type', value: 'google_password' },
      { name: 'is_suspicious', boolValue: false },
    ],
  ],
  [
    'drive',
    'access',
    'view',
    [
      { name: 'doc_title', value: 'Plan' },
      { name: 'visibility', value: 'private' },
    ],
  ],
  [
    'drive',
    'access',
    'edit',
    [
      { name: 'doc_title', value: 'Plan' },
      { name: 'visibility', value: 'private' },
    ],
  ],
  [
    'token',
    'auth',
    'authorize',
    [
      { name: 'app_name', value: 'Calendar' },
      { name: 'scope', multiValue: ['openid'] },
    ],
  ],
  ['admin', 'USER_SETTINGS', 'CHANGE_LAST_NAME', [{ name: 'USER_EMAIL', value: 'ines.kofler@alder.example' }]],
];
const paths = '/admin/reports/v1/activity/users/all/applications/';

const error = (code: number, status: string, message: string): VendorAnswer => ({
  status: code,
  body: { error: { code, message, status } },
});

let keys: { publicKey: KeyObject; privateKey: string } | undefined;
/** One pair for the process: making one takes a while. */
function keyPair() {
  if (!keys) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    keys = { publicKey, privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }
  return keys;
}

interface GoogleState extends VendorState {
  activities: Activity[];
  publicKey: KeyObject;
  suspended: Set<string>;
  started: string[];
  course: { now: Course };
}

const usersPath = '/admin/directory/v1/users/';

function tokenOf(state: GoogleState, { url, body }: VendorRequest): VendorAnswer {
  const [head = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
  const isSigned = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(state.publicKey, signature, 'base64url');
  const { sub, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<string, string>;
  if (state.isRefused || !isSigned || sub !== admin || aud !== `${url.origin}/token`)
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
  return { body: { access_token: `demo.google.${state.session}`, expires_in: 3_599, token_type: 'Bearer' } };
}

function list(state: GoogleState, url: URL): VendorAnswer {
  const application = url.pathname.slice(paths.length);
  const query = url.searchParams;
  const since = query.get('startTime') ?? '';
  const found = state.activities
    .filter(({ id }) => id.applicationName === application && id.time >= since)
    .sort((a, b) => (a.id.time < b.id.time ? 1 : -1));
  const [mark, after] = query.get('pageToken')?.split('|') ?? [];
  if (mark !== undefined && mark !== `g${state.generation}`) return error(400, 'INVALID_ARGUMENT', 'Bad Request: pageToken');
  const keyOf = ({ id }: Activity) => `${id.time} ${id.uniqueQualifier}`;
  const from = after === undefined ? 0 : found.findIndex((one) => keyOf(one) === after) + 1;
  const size = Number(query.get('maxResults') ?? 1_000);
  const page = found.slice(from, from + size);
  const last = page.at(-1);
  return {
    body: {
      kind: 'admin#reports#activities',
      etag: '"demo"',
      ...(page.length > 0 && { items: state.isUntidy ? untidied(found, from, page) : page }),
      ...(last && from + size < found.length && { nextPageToken: `g${state.generation}|${keyOf(last)}` }),
    },
  };
}

function answerOf(state: GoogleState, request: VendorRequest): VendorAnswer {
  if (request.url.pathname === '/token') return tokenOf(state, request);
  if (request.headers.authorization !== `Bearer demo.google.${state.session}`)
    return error(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  if (request.method === 'GET' && `${request.url.pathname}/` === usersPath) return usersOf(state);
  if (request.url.pathname.startsWith(usersPath)) return userOf(state, request);
  return request.url.pathname.startsWith(paths) ? list(state, request.url) : error(404, 'NOT_FOUND', 'Not Found');
}

/** Directory API: all users of the customer on one page. */
const usersOf = ({ suspended }: GoogleState): VendorAnswer => ({
  body: {
    kind: 'admin#directory#users',
    users: people.map((person, number) => ({
      id: `10${number}`,
      primaryEmail: `${person}@alder.example`,
      suspended: suspended.has(`${person}@alder.example`),
      isMailboxSetup: true,
    })),
  },
});

/** Directory API: a user is read, or suspended by an update. Other fields keep their values. */
function userOf({ suspended, started, course }: GoogleState, { method, url, body }: VendorRequest): VendorAnswer {
  const account = decodeURIComponent(url.pathname.slice(usersPath.length)).toLowerCase();
  if (!people.some((person) => account === `${person}@alder.example`))
    return error(404, 'NOT_FOUND', 'Resource Not Found: userKey');
  if (method === 'PUT') {
    if (course.now === 'failed') return error(403, 'PERMISSION_DENIED', 'Not Authorized to access this resource/api');
    const isSuspended = (JSON.parse(body) as { suspended?: boolean }).suspended === true;
    started.push(`${isSuspended ? 'suspend' : 'restore'} ${account}`);
    if (course.now === 'done') suspended[isSuspended ? 'add' : 'delete'](account);
  }
  return { body: { kind: 'admin#directory#user', primaryEmail: account, suspended: suspended.has(account) } };
}

/** Starts a simulated Google Workspace. */
export async function startGoogle(port?: number): Promise<Vendor> {
  const { publicKey, privateKey } = keyPair();
  const state: GoogleState = {
    ...newVendorState(),
    activities: [],
    publicKey,
    suspended: new Set(),
    started: [],
    course: { now: 'done' },
  };
  let count = 0;

  const activity = (
    at: number,
    [application, type, name, parameters]: (typeof everyday)[number],
    ipAddress?: string,
  ): Activity => {
    const number = count++;
    const made: Activity = {
      kind: 'admin#reports#activity',
      id: {
        time: new Date(at).toISOString(),
        uniqueQualifier: `-${7_000_000_000_000_000 + number}`,
        applicationName: application,
        customerId: 'C03demo01',
      },
      actor: {
        callerType: 'USER',
        email: `${people[number % people.length]}@alder.example`,
        profileId: `10${number % people.length}`,
      },
      ipAddress: ipAddress ?? `198.51.100.${10 + (number % 40)}`,
      events: [{ type, name, parameters }],
    };
    state.activities.push(made);
    return made;
  };

  const server = await serveVendor((request) => answerOf(state, request), port);
  const key = {
    type: 'service_account',
    client_email: 'portal@alder-demo.iam.gserviceaccount.example',
    private_key: privateKey,
    token_uri: `${server.url}/token`,
  };
  return {
    ...server,
    ...switchesOf(state),
    kind: 'google',
    targets: {
      example: `${people[0]}@alder.example`,
      stateOf: (account) => (state.suspended.has(account) ? 'suspended' : 'active'),
      started: () => state.started,
      set: (next) => {
        state.course.now = next;
      },
    },
    values: { admin, key: JSON.stringify(key), api: server.url },
    publish: (number, at) =>
      Array.from({ length: number }, (_, index) => activity(at + index, everyday[count % everyday.length]!).id.uniqueQualifier),
    intrude(at) {
      const address = '203.0.113.66';
      activity(at, ['login', 'login', 'suspicious_login', [{ name: 'is_suspicious', boolValue: true }]], address);
      activity(
        at + 20_000,
        ['admin', 'DOMAIN_SETTINGS', 'AUTHORIZE_API_CLIENT_ACCESS', [{ name: 'API_SCOPES', value: 'https://mail.google.com/' }]],
        address,
      );
    },
  };
}
