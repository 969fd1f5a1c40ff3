/**
 * Who may do what, as pure predicates (spec §6). The server enforces with them, the web shows or disables with them, the tests
 * compare them with the reviewed table. Roles come from the database, never from a token's claims.
 */

/** What decides: the role's name (empty for a guest), whether the organisation is a partner, and which organisation it is. */
export interface RoleHolder {
  role: string;
  isPartner: boolean;
  organisationId: number;
}

/** The provider's own organisation (spec §6). */
export const providerId = 1;

export const isHost = (who: RoleHolder) => who.role === 'Host' && who.isPartner;
export const isClientAdmin = (who: RoleHolder) => who.role === 'Administrator' && !who.isPartner;
export const isPartnerAdmin = (who: RoleHolder) => who.role === 'Administrator' && who.isPartner;
export const isPartnerAnalyst = (who: RoleHolder) => who.role === 'Partner Analyst' && who.isPartner;
export const isSuperAnalyst = (who: RoleHolder) => who.role === 'Analyst' && who.isPartner;
export const isSuperAdmin = (who: RoleHolder) => isPartnerAdmin(who) || isHost(who);
export const isGuest = (who: RoleHolder | undefined) => !who || who.role === '';

/** Staff choose between client organisations; everybody else is locked to their own (spec §1, §6). */
export const hasClientSelector = (who: RoleHolder) => isSuperAdmin(who) || isPartnerAnalyst(who) || isSuperAnalyst(who);

/** The kinds of user that the access table has columns for. */
export type Kind =
  | 'host'
  | 'partnerAdmin'
  | 'partnerAnalyst'
  | 'superAnalyst'
  | 'partnerManager'
  | 'clientAdmin'
  | 'manager'
  | 'analyst'
  | 'other'
  | 'guest';

export function kindOf(who: RoleHolder | undefined): Kind {
  if (!who || isGuest(who)) return 'guest';
  if (isHost(who)) return 'host';
  if (isPartnerAdmin(who)) return 'partnerAdmin';
  if (isPartnerAnalyst(who)) return 'partnerAnalyst';
  if (isSuperAnalyst(who)) return 'superAnalyst';
  if (isClientAdmin(who)) return 'clientAdmin';
  if (who.role === 'Manager') return who.isPartner ? 'partnerManager' : 'manager';
  if (who.role === 'Analyst') return 'analyst';
  return 'other';
}

const selectors: Kind[] = ['host', 'partnerAdmin', 'partnerAnalyst', 'superAnalyst'];
const readers: Kind[] = [...selectors, 'partnerManager', 'clientAdmin', 'manager', 'analyst', 'other'];

/** Permission → the kinds that have it. How far it reaches (own organisation, children, all) is the caller's scope. */
const holders = {
  'organisations:read': selectors,
  'alerts:read': readers,
  'alerts:follow': readers,
  'devices:read': readers,
  'events:read': readers,
  'dashboard:read': readers,
  'tags:read': readers,
  'tags:write': [...selectors, 'partnerManager', 'clientAdmin', 'manager'],
  'ingestKeys:write': ['host', 'partnerAdmin', 'clientAdmin'],
} satisfies Record<string, Kind[]>;

export type Permission = keyof typeof holders;
export const permissions = Object.keys(holders) as Permission[];

/** `anyone`: no sign-in needed. `signedIn`: every role but the empty one. */
export type Allow = 'anyone' | 'signedIn' | Permission;

export function may(who: RoleHolder | undefined, allow: Allow): boolean {
  if (allow === 'anyone') return true;
  const kind = kindOf(who);
  if (allow === 'signedIn') return kind !== 'guest';
  return (holders[allow] as Kind[]).includes(kind);
}

/** Auth groups of spec §6, by which navigation items and routes are shown. */
export type AuthGroup = 'admin' | 'staff' | 'user' | 'onlyGuest';

export function groupsOf(who: RoleHolder | undefined): AuthGroup[] {
  if (!who || isGuest(who)) return ['onlyGuest'];
  const isAdmin = isSuperAdmin(who) || isClientAdmin(who);
  const isStaff = isAdmin || isPartnerAnalyst(who) || isSuperAnalyst(who);
  return [...(isAdmin ? (['admin'] as const) : []), ...(isStaff ? (['staff'] as const) : []), 'user'];
}

/** Case Reviews are for Host and Partner Analyst only (spec §6). */
export const seesCaseReviews = (who: RoleHolder) => isHost(who) || isPartnerAnalyst(who);
