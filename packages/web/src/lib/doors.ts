/**
 * The calls that are made before anybody has signed in, as plain data: the contract's own definitions carry zod, which the sign-in
 * page must not load. `doors.test.ts` compares each of them with the contract.
 */
import type { authApi } from '@parapet/contract/auth.ts';
import type { brandApi } from '@parapet/contract/brand.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';

/** What is needed to make a call: everything but the shapes. */
export type Wire = 'id' | 'method' | 'path' | 'prefix' | 'allow' | 'answers' | 'upload';

const plain = <E extends Endpoint>(wire: Pick<E, Wire>): E => wire as E;
const open = { prefix: '/api/v1', allow: 'anyone', answers: 'json', upload: null } as const;

export const doors = {
  authenticate: plain<typeof authApi.authenticate>({
    ...open,
    id: 'auth.authenticate',
    method: 'POST',
    path: '/auth/authenticate',
  }),
  accessToken: plain<typeof authApi.accessToken>({ ...open, id: 'auth.accessToken', method: 'POST', path: '/auth/access-token' }),
  logout: plain<typeof authApi.logout>({
    ...open,
    allow: 'session:use',
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
  }),
  brand: plain<typeof brandApi.get>({ ...open, id: 'brand.get', method: 'GET', path: '/brand' }),
};

/** spec §5, as in the contract's auth.ts. */
export const emailMinLength = 4;
export const loginPasswordMinLength = 8;
