/** The list's state, as it stands in the address; what makes no sense there is as if not there. */
import { roles } from '@parapet/contract/users.ts';
import { listIn, numberIn, oneIn, type Search } from '../../lib/address.ts';

export const userStates = ['active', 'invited', 'deleted'] as const;
export type UserState = (typeof userStates)[number];
export const userSorts = ['displayName', 'emailAddress', 'role', 'lastSignInAt', 'clientOrganizationName'] as const;
export type UserSort = (typeof userSorts)[number];
export type SecondFactor = 'set' | 'unset';

export interface UserFilters {
  text: string;
  role: string[];
  state: UserState[];
  mfa: SecondFactor | undefined;
  sort: UserSort;
  order: 'asc' | 'desc';
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];
const defaultPageSize = 50;

export function userFiltersIn(search: Search): UserFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  const asked = listIn(search.role).map((name) => name.toLowerCase());
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    role: roles.map(({ name }) => name).filter((name) => asked.includes(name.toLowerCase())),
    state: userStates.filter((state) => listIn(search.state).includes(state)),
    mfa: search.mfa === 'set' || search.mfa === 'unset' ? search.mfa : undefined,
    sort: oneIn(search.sort, userSorts, 'displayName'),
    order: search.order === 'desc' ? 'desc' : 'asc',
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const isFiltered = ({ text, role, state, mfa }: UserFilters) =>
  text !== '' || role.length > 0 || state.length > 0 || mfa !== undefined;

/** For the address: takes every filter away. */
export const noFilters = { text: undefined, role: undefined, state: undefined, mfa: undefined, page: undefined };
