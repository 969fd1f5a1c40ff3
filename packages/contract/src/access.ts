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

/**
 * How far a permission reaches: `s` the caller's scope, `own` the own organisation, `me` only oneself, `-` nowhere. What the scope is (own
 * organisation, its clients, all) the server knows; `own` is written where the scope is never wider.
 */
export type Reach = 's' | 'own' | 'me';

const columns = [
  'host',
  'partnerAdmin',
  'partnerAnalyst',
  'superAnalyst',
  'partnerManager',
  'clientAdmin',
  'manager',
  'analyst',
  'other',
] as const satisfies Kind[];

const row = (cells: string): Partial<Record<Kind, Reach>> =>
  Object.fromEntries(
    cells.split(/ +/).flatMap((cell, column) => (cell === '-' ? [] : [[columns[column] as Kind, cell as Reach]])),
  );

/** Permission → who has it, how far. The columns are host, partnerAdmin, partnerAnalyst, superAnalyst, partnerManager, clientAdmin, manager, analyst, other. */
// biome-ignore format: a table is read in columns
const reaches = {
  'session:use':          row('me  me me me me  me  me  me  me'),
  'users:read':           row('s   s  s  s  me  own me  me  me'),
  'users:listRoles':      row('s   s  s  -  -   own -   -   -'),
  'users:create':         row('s   s  -  -  -   own -   -   -'),
  'users:edit':           row('s   s  me me me  own me  me  me'),
  'users:changePassword': row('s   s  me me me  me  me  me  me'),
  'users:resetMfa':       row('s   me me me me  me  me  me  me'),
  'users:remove':         row('s   s  -  -  -   own -   -   -'),
  'pictures:write':       row('s   s  me me me  own me  me  me'),
  'organisations:read':   row('s   s  s  s  -   -   -   -   -'),
  'partners:read':        row('s   s  s  s  own own own own own'),
  'clientDetails:read':   row('s   s  s  s  own own own own own'),
  'clientDetails:write':  row('s   s  -  -  -   own -   -   -'),
  'clients:manage':       row('s   s  -  -  -   -   -   -   -'),
  'partners:manage':      row('s   -  -  -  -   -   -   -   -'),
  'audit:read':           row('s   s  -  -  -   own -   -   -'),
  'outbox:read':          row('s   s  -  -  -   own -   -   -'),
  'alerts:read':          row('s   s  s  s  own own own own own'),
  'alerts:follow':        row('s   s  s  s  own own own own own'),
  'alerts:mark':          row('s   s  s  s  own own own own -'),
  'cases:read':           row('s   s  s  s  own own own own own'),
  'cases:follow':         row('s   s  s  s  own own own own own'),
  'cases:write':          row('s   s  s  s  -   -   -   -   -'),
  'cases:changeStatus':   row('s   s  s  s  own own own -   -'),
  'cases:mail':           row('s   s  s  s  -   -   -   -   -'),
  'caseMails:read':       row('s   s  s  s  own own own -   -'),
  'responses:read':       row('s   s  s  s  own own own own own'),
  'responses:write':      row('s   s  s  s  -   own -   -   -'),
  'approvalRules:write':  row('s   s  -  -  -   -   -   -   -'),
  'reviews:use':          row('s   -  s  -  -   -   -   -   -'),
  'suppressions:write':   row('s   s  s  s  -   -   -   -   -'),
  'intelligence:write':   row('s   -  -  -  -   -   -   -   -'),
  'mailSubscriptions:write': row('s   s  -  -  -   own -   -   -'),
  'devices:read':         row('s   s  s  s  own own own own own'),
  'devices:write':        row('s   s  s  -  -   own -   -   -'),
  'agentReleases:write':  row('s   -  -  -  -   -   -   -   -'),
  'installation:write':   row('s   -  -  -  -   -   -   -   -'),
  'events:read':          row('s   s  s  s  own own own own own'),
  'dashboard:read':       row('s   s  s  s  own own own own own'),
  'risk:write':           row('s   s  s  s  own own -   -   -'),
  'reports:schedule':     row('s   s  -  -  -   -   -   -   -'),
  'sapphire:use':         row('me  me me me me  me  me  me  me'),
  'sapphire:teach':       row('me  me me me me  me  me  me  -'),
  'sapphire:administer':  row('s   s  -  -  -   -   -   -   -'),
  'tags:read':            row('s   s  s  s  own own own own own'),
  'tags:write':           row('s   s  s  s  own own own -   -'),
  'ingestKeys:write':     row('s   s  -  -  -   own -   -   -'),
  'search:use':           row('s   s  s  s  own own own own own'),
  'bulk:use':             row('me  me me me me  me  me  me  me'),
  'views:use':            row('me  me me me me  me  me  me  me'),
} satisfies Record<string, Partial<Record<Kind, Reach>>>;

export type Permission = keyof typeof reaches;
export const permissions = Object.keys(reaches) as Permission[];

/** What an API key was made for; a key has one or more, and never more rights than its owner. */
export const keyScopes = ['read', 'triage', 'respond', 'administer', 'ingest'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The scope that an API key needs for a permission; null: no key ever (access table, row 38). */
const keyScopeOf: Record<Permission, KeyScope | null> = {
  'session:use': null,
  'users:read': 'read',
  'users:listRoles': 'read',
  'users:create': null,
  'users:edit': null,
  'users:changePassword': null,
  'users:resetMfa': null,
  'users:remove': null,
  'pictures:write': null,
  'organisations:read': 'read',
  'partners:read': 'read',
  'clientDetails:read': 'read',
  'clientDetails:write': 'administer',
  'clients:manage': 'administer',
  'partners:manage': 'administer',
  'audit:read': 'read',
  'outbox:read': 'read',
  'alerts:read': 'read',
  'alerts:follow': null,
  'alerts:mark': 'triage',
  'cases:read': 'read',
  'cases:follow': null,
  'cases:write': 'triage',
  'cases:changeStatus': 'triage',
  'cases:mail': 'triage',
  'caseMails:read': 'read',
  'responses:read': 'read',
  'responses:write': 'respond',
  'approvalRules:write': 'administer',
  'reviews:use': 'triage',
  'suppressions:write': 'triage',
  'intelligence:write': 'administer',
  'mailSubscriptions:write': 'administer',
  'devices:read': 'read',
  'devices:write': 'administer',
  'agentReleases:write': 'administer',
  'events:read': 'read',
  'dashboard:read': 'read',
  'risk:write': 'administer',
  'reports:schedule': 'administer',
  'sapphire:use': 'read',
  'sapphire:teach': null,
  'sapphire:administer': 'administer',
  'tags:read': 'read',
  'tags:write': 'triage',
  'ingestKeys:write': 'ingest',
  'search:use': 'read',
  'bulk:use': 'triage',
  'views:use': 'triage',
  'installation:write': null,
};

/** Whether a key of any scopes may make a call that is allowed so. */
export const mayByKey = (allow: Allow): boolean => allow === 'anyone' || keyScopeOf[allow] !== null;

/** The scope that a key lacks for this; undefined where it has it. Only for what a key may at all. */
export const missingKeyScope = (scopes: readonly KeyScope[], allow: Allow): KeyScope | undefined => {
  const needed = allow === 'anyone' ? null : keyScopeOf[allow];
  return needed === null || scopes.includes(needed) ? undefined : needed;
};

/** `anyone`: no sign-in needed. */
export type Allow = 'anyone' | Permission;

/** How far; undefined where not at all. */
export const reachOf = (who: RoleHolder | undefined, permission: Permission): Reach | undefined =>
  (reaches[permission] as Partial<Record<Kind, Reach>>)[kindOf(who)];

export const may = (who: RoleHolder | undefined, allow: Allow): boolean =>
  allow === 'anyone' || reachOf(who, allow) !== undefined;

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

/** A user as the rules of spec §6 look at one. */
export interface TargetUser {
  id: number;
  role: string;
  organisationId: number;
  isDeleted: boolean;
  mfaIsSet: boolean;
}
type Asker = RoleHolder & { userId: number };

const isSelf = (who: Asker, target: TargetUser) => who.userId === target.id;
/** Only a Host touches a Host (access table, rows 8, 9 and 11). */
const isOutOfReach = (who: Asker, target: TargetUser) => target.role === 'Host' && !isHost(who);

/** The administrators that spec §6 names for this user. */
const administers = (who: Asker, target: TargetUser): boolean =>
  !isOutOfReach(who, target) && (isSuperAdmin(who) || (isClientAdmin(who) && who.organisationId === target.organisationId));

/** Names, email and role of an existing user (spec §6); on create they always are. */
export const canEditUser = (who: Asker, target: TargetUser): boolean => !target.isDeleted && administers(who, target);

export const canEditPhoneNumber = (who: Asker, target: TargetUser): boolean =>
  canEditUser(who, target) || (isSelf(who, target) && !target.isDeleted);

export const canChangePassword = (who: Asker, target: TargetUser): boolean =>
  !target.isDeleted && (isSelf(who, target) || isHost(who) || (isPartnerAdmin(who) && !isOutOfReach(who, target)));

/**
 * A one-time link opens the account: for those who could set its password by themselves, and an invited user's also for those who could have made the
 * account with a password of their choice. Never for oneself.
 */
export const canMakeLink = (who: Asker, target: TargetUser & { isInvited: boolean }): boolean =>
  !isSelf(who, target) && (target.isInvited ? canEditUser(who, target) : canChangePassword(who, target));

export const seesResetMfa = (who: Asker, target: TargetUser): boolean => isHost(who) || isSelf(who, target);
export const canResetMfa = (who: Asker, target: TargetUser): boolean =>
  seesResetMfa(who, target) && target.mfaIsSet && !target.isDeleted;

export const seesDeleteUser = (who: RoleHolder): boolean => isSuperAdmin(who) || isClientAdmin(who) || isPartnerAnalyst(who);
/** Not oneself, not a partner analyst's to do, not twice. */
export const canDeleteUser = (who: Asker, target: TargetUser): boolean =>
  administers(who, target) && !isSelf(who, target) && !target.isDeleted;

/** Whoever could delete the user brings it back. */
export const canReactivateUser = (who: Asker, target: TargetUser): boolean =>
  target.isDeleted && canDeleteUser(who, { ...target, isDeleted: false });

export const canEditPicture = (who: Asker, target: TargetUser): boolean =>
  !target.isDeleted && (isSelf(who, target) || administers(who, target));
