/**
 * Accounts of a simulated Okta: users, lifecycle operations, sessions and factors, as published by Okta for developers ("Users API", "Lifecycle
 * operations", "User Factors API", read in November 2026): suspend only from ACTIVE, unsuspend only from SUSPENDED, errors with an `errorCode`.
 */
import type { Course, VendorAnswer, VendorRequest, VendorTargets } from './vendor.ts';

const error = (status: number, errorCode: string, errorSummary: string): VendorAnswer => ({
  status,
  body: { errorCode, errorSummary, errorLink: errorCode, errorId: 'oaeDemo', errorCauses: [] },
});

/** @param onCleared adds an event to the log once the sessions of a user were cleared */
export function oktaUsers(
  people: readonly string[],
  onCleared: (id: string, login: string) => void,
): VendorTargets & { answer(request: VendorRequest): VendorAnswer | undefined } {
  const users = people.map((person, number) => ({
    id: `00u${person.length}demo${number}`,
    status: 'ACTIVE',
    profile: { login: `${person}@alder.example`, email: `${person}@alder.example` },
    factors: [
      { id: `opf${number}`, factorType: 'push', provider: 'OKTA', status: 'ACTIVE', created: '2026-03-01T08:00:00.000Z' },
    ],
  }));
  const started: string[] = [];
  let course: Course = 'done';
  const find = (account: string) => users.find(({ id, profile }) => id === account || profile.login === account.toLowerCase());

  const lifecycle = (user: (typeof users)[number], verb: string): VendorAnswer => {
    const { login } = user.profile;
    const refusal = (text: string) => error(400, 'E0000001', `Api validation failed: Cannot ${verb} a user that is ${text}`);
    if (course === 'failed') return error(403, 'E0000006', 'You do not have permission to perform the requested action');
    if (verb === 'suspend' && user.status !== 'ACTIVE') return refusal('not active');
    if (verb === 'unsuspend' && user.status !== 'SUSPENDED') return refusal('not suspended');
    started.push(`${verb} ${login}`);
    if (course === 'slow') return { body: {} };
    if (verb === 'reset_factors') user.factors = [];
    else user.status = verb === 'suspend' ? 'SUSPENDED' : 'ACTIVE';
    return { body: {} };
  };

  return {
    answer({ method, url }) {
      if (method === 'GET' && url.pathname === '/api/v1/users')
        return { body: users.map(({ id, status, profile }) => ({ id, status, profile })) };
      const [, account, part, verb] = /^\/api\/v1\/users\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(url.pathname) ?? [];
      if (account === undefined) return undefined;
      const user = find(decodeURIComponent(account));
      if (!user) return error(404, 'E0000007', `Not found: Resource not found: ${decodeURIComponent(account)} (User)`);
      if (method === 'GET' && part === 'factors') return { body: user.factors };
      if (method === 'GET' && part === undefined) return { body: { id: user.id, status: user.status, profile: user.profile } };
      if (method === 'DELETE' && part === 'sessions') {
        started.push(`clear ${user.profile.login}`);
        if (course === 'done') onCleared(user.id, user.profile.login);
        return { status: 204, body: '' };
      }
      const isKnown = verb === 'suspend' || verb === 'unsuspend' || verb === 'reset_factors';
      if (method === 'POST' && part === 'lifecycle' && isKnown) return lifecycle(user, verb);
      return error(405, 'E0000022', 'The endpoint does not support the provided HTTP method');
    },
    example: users[0]!.profile.login,
    stateOf: (account) => find(account)?.status ?? '',
    started: () => started,
    set: (next) => {
      course = next;
    },
  };
}
