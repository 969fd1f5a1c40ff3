/**
 * Accounts of a simulated Microsoft Entra: Graph's users, `revokeSignInSessions` and authentication methods, as published by Microsoft (Graph reference
 * v1.0, read in November 2026): 204 for changes, 404 with Request_ResourceNotFound, the default method only deleted last.
 */
import { microsoftError } from './microsoft.ts';
import type { Course, VendorAnswer, VendorRequest, VendorTargets } from './vendor.ts';

interface Method {
  '@odata.type': string;
  id: string;
  createdDateTime: string;
}

const graph = (kind: string) => `#microsoft.graph.${kind}AuthenticationMethod`;
const notFound = (what: string) =>
  microsoftError(
    404,
    'Request_ResourceNotFound',
    `Resource '${what}' does not exist or one of its queried reference-property objects are not present.`,
  );

/** @param people sign-in names without their domain */
export function entraUsers(
  people: readonly string[],
): VendorTargets & { answer(request: VendorRequest): VendorAnswer | undefined } {
  const since = '2026-03-01T08:00:00Z';
  const users = people.map((person, number) => ({
    id: `00000000-0000-4000-8000-00000000000${number}`,
    userPrincipalName: `${person}@alder.example`,
    accountEnabled: true,
    signInSessionsValidFromDateTime: since,
    methods: [
      { '@odata.type': graph('password'), id: '28c10230-6103-485e-b985-444c60001490', createdDateTime: since },
      { '@odata.type': graph('microsoftAuthenticator'), id: `ma-${number}`, createdDateTime: since },
      { '@odata.type': graph('phone'), id: '3179e48a-750b-4051-897c-87b9720928f7', createdDateTime: since },
    ] as Method[],
  }));
  const started: string[] = [];
  let course: Course = 'done';

  const change = (user: (typeof users)[number], { method, url, body }: VendorRequest): VendorAnswer => {
    const rest = url.pathname.split('/').slice(4);
    const isTaken = course === 'done';
    if (method === 'PATCH' && rest.length === 0) {
      const { accountEnabled } = JSON.parse(body) as { accountEnabled?: boolean };
      if (typeof accountEnabled !== 'boolean')
        return microsoftError(400, 'Request_BadRequest', 'Invalid value specified for property accountEnabled.');
      if (course === 'failed')
        return microsoftError(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.');
      if (isTaken) user.accountEnabled = accountEnabled;
      started.push(`${accountEnabled ? 'enable' : 'disable'} ${user.userPrincipalName}`);
      return { status: 204, body: '' };
    }
    if (method === 'POST' && rest[0] === 'revokeSignInSessions') {
      if (isTaken) user.signInSessionsValidFromDateTime = new Date().toISOString();
      started.push(`revoke ${user.userPrincipalName}`);
      return { body: { '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#Edm.Boolean', value: true } };
    }
    return changeMethods(user, method, rest);
  };

  const changeMethods = (user: (typeof users)[number], method: string, rest: readonly string[]): VendorAnswer => {
    if (rest[0] !== 'authentication') return microsoftError(400, 'BadRequest', 'Resource not found for the segment.');
    if (method === 'GET' && rest[1] === 'methods') return { body: { value: user.methods } };
    const known = user.methods.find(
      ({ id, '@odata.type': type }) =>
        id === rest[2] && `#microsoft.graph.${rest[1]?.replace('Methods', '')}AuthenticationMethod` === type,
    );
    if (method !== 'DELETE' || !known) return notFound(rest[2] ?? '');
    const isDefault =
      known['@odata.type'] === graph('microsoftAuthenticator') &&
      user.methods.some(({ '@odata.type': type }) => type === graph('phone'));
    if (isDefault) return microsoftError(400, 'badRequest', 'The default method can only be deleted last.');
    user.methods = user.methods.filter((each) => each !== known);
    started.push(`delete ${rest[1]} of ${user.userPrincipalName}`);
    return { status: 204, body: '' };
  };

  /** The last one has no mailbox. */
  const listed = ({ id, userPrincipalName }: (typeof users)[number], place: number) => ({
    id,
    userPrincipalName,
    userType: 'Member',
    assignedPlans: [{ service: 'exchange', capabilityStatus: place < users.length - 1 ? 'Enabled' : 'Deleted' }],
  });
  const find = (account: string) =>
    users.find(({ id, userPrincipalName }) => userPrincipalName === account.toLowerCase() || id === account);
  return {
    answer(request) {
      if (request.method === 'GET' && request.url.pathname === '/v1.0/users')
        return { body: { value: users.filter(({ accountEnabled }) => accountEnabled).map(listed) } };
      const [, account] = /^\/v1\.0\/users\/([^/]+)/.exec(request.url.pathname) ?? [];
      if (account === undefined) return undefined;
      const user = find(decodeURIComponent(account));
      if (!user) return notFound(decodeURIComponent(account));
      if (request.method !== 'GET' || request.url.pathname.includes('/authentication/')) return change(user, request);
      const { methods: _, ...shown } = user;
      return { body: shown };
    },
    example: users[0]!.userPrincipalName,
    stateOf: (account) => (find(account)?.accountEnabled ? 'enabled' : 'disabled'),
    started: () => started,
    set: (next) => {
      course = next;
    },
  };
}
