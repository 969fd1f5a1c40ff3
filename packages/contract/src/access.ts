/**
 * Permissions as pure predicates (spec §6): enforced by the server, used by the web to show or disable, and compared by tests with the
 * reviewed access table. Roles come from the database, never from a token's claims.
 */

/** Input of the rules: role name (empty for a guest) and organisation. */
export interface RoleHolder {
  role: string;
  isPartner: boolean;
  organisationId: number;
}

/** Organisation ID of the provider (spec §6). */
export const providerId = 1;

/** Client ID of a call over all clients in the caller’s scope (spec §4, §7.3). */
export const allClients = 0;

export const isHost = (who: RoleHolder) => who.role === 'Host' && who.isPartner;
export const isClientAdmin = (who: RoleHolder) => who.role === 'Administrator' && !who.isPartner;
export const isPartnerAdmin = (who: RoleHolder) => who.role === 'Administrator' && who.isPartner;
export const isPartnerAnalyst = (who: RoleHolder) => who.role === 'Partner Analyst' && who.isPartner;
export const isSuperAnalyst = (who: RoleHolder) => who.role === 'Analyst' && who.isPartner;
export const isSuperAdmin = (who: RoleHolder) => isPartnerAdmin(who) || isHost(who);
export const isGuest = (who: RoleHolder | undefined) => !who || who.role === '';

/** True for staff, who select among client organisations; other users are restricted to their own (spec §1, §6). */
export const hasClientSelector = (who: RoleHolder) => isSuperAdmin(who) || isPartnerAnalyst(who) || isSuperAnalyst(who);

/** User kinds: the columns of the access table. */
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
 * Reach of a permission: `s` the caller's scope, `own` the own organisation, `me` only oneself, `-` none. The server derives the scope (own
 * organisation, its clients, or all); `own` stands where the scope is never wider.
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

/** Reach of each permission by column: host, partnerAdmin, partnerAnalyst, superAnalyst, partnerManager, clientAdmin, manager, analyst, other. */
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
  'retention:write':      row('s   s  -  -  -   -   -   -   -'),
  'legalHolds:write':     row('s   -  -  -  -   -   -   -   -'),
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
  'cases:answer':         row('-   -  -  -  -   own own -   -'),
  'cases:mail':           row('s   s  s  s  -   -   -   -   -'),
  'caseMails:read':       row('s   s  s  s  own own own -   -'),
  'responses:read':       row('s   s  s  s  own own own own own'),
  'responses:write':      row('s   s  s  s  -   own -   -   -'),
  'approvalRules:write':  row('s   s  -  -  -   -   -   -   -'),
  'reviews:use':          row('s   -  s  -  -   -   -   -   -'),
  'suppressions:write':   row('s   s  s  s  -   -   -   -   -'),
  'rules:read':           row('s   s  s  s  own own own own own'),
  'rules:write':          row('s   s  -  -  -   -   -   -   -'),
  'rulePacks:write':     row('s   s  -  -  -   -   -   -   -'),
  'caseGrouping:write':  row('s   s  -  -  -   -   -   -   -'),
  'ruleExceptions:write': row('s   s  s  s  -   -   -   -   -'),
  'intelligence:write':   row('s   -  -  -  -   -   -   -   -'),
  'mailSubscriptions:write': row('s   s  -  -  -   own -   -   -'),
  'devices:read':         row('s   s  s  s  own own own own own'),
  'devices:write':        row('s   s  s  -  -   own -   -   -'),
  'agentReleases:write':  row('s   -  -  -  -   -   -   -   -'),
  'installation:write':   row('s   -  -  -  -   -   -   -   -'),
  'operations:read':      row('s   -  -  -  -   -   -   -   -'),
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
  'connections:write':    row('s   s  -  -  -   own -   -   -'),
  'deliveries:write':     row('s   s  -  -  -   own -   -   -'),
  'billing:write':        row('s   s  -  -  -   -   -   -   -'),
  'search:use':           row('s   s  s  s  own own own own own'),
  'bulk:use':             row('me  me me me me  me  me  me  me'),
  'views:use':            row('me  me me me me  me  me  me  me'),
} satisfies Record<string, Partial<Record<Kind, Reach>>>;

export type Permission = keyof typeof reaches;
export const permissions = Object.keys(reaches) as Permission[];

/** Scopes of an API key; a key has one or more, and never exceeds its owner's permissions. */
export const keyScopes = ['read', 'triage', 'respond', 'administer', 'ingest'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** API key scope required by each permission; null: not available to keys (access table, row 38). */
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
  'retention:write': 'administer',
  'legalHolds:write': null,
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
  'cases:answer': null,
  'cases:mail': 'triage',
  'caseMails:read': 'read',
  'responses:read': 'read',
  'responses:write': 'respond',
  'approvalRules:write': 'administer',
  'reviews:use': 'triage',
  'suppressions:write': 'triage',
  'rules:read': 'read',
  'rules:write': 'administer',
  'rulePacks:write': 'administer',
  'caseGrouping:write': 'administer',
  'ruleExceptions:write': 'triage',
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
  'connections:write': 'ingest',
  'deliveries:write': 'administer',
  'billing:write': 'administer',
  'search:use': 'read',
  'bulk:use': 'triage',
  'views:use': 'triage',
  'installation:write': null,
  'operations:read': 'administer',
};

/** True for calls that are available to API keys of some scope. */
export const isAvailableToKeys = (allow: Allow): boolean => allow === 'anyone' || keyScopeOf[allow] !== null;

/** Scope that a key lacks for a call available to keys; undefined when it has it. */
export const missingKeyScope = (scopes: readonly KeyScope[], allow: Allow): KeyScope | undefined => {
  const needed = allow === 'anyone' ? null : keyScopeOf[allow];
  return needed === null || scopes.includes(needed) ? undefined : needed;
};

/** Permission required by an endpoint; `anyone`: no sign-in needed. */
export type Allow = 'anyone' | Permission;

/** Reach of a permission for a caller; undefined without the permission. */
export const reachOf = (who: RoleHolder | undefined, permission: Permission): Reach | undefined =>
  (reaches[permission] as Partial<Record<Kind, Reach>>)[kindOf(who)];

export const may = (who: RoleHolder | undefined, allow: Allow): boolean =>
  allow === 'anyone' || reachOf(who, allow) !== undefined;

/** True for those who work through lists all day: people with a client selector, and a client’s analysts. */
export const worksInLists = (who: RoleHolder): boolean => hasClientSelector(who) || kindOf(who) === 'analyst';

/** Auth groups of spec §6, which select navigation items and routes. */
export type AuthGroup = 'admin' | 'staff' | 'user' | 'onlyGuest';

export function groupsOf(who: RoleHolder | undefined): AuthGroup[] {
  if (!who || isGuest(who)) return ['onlyGuest'];
  const isAdmin = isSuperAdmin(who) || isClientAdmin(who);
  const isStaff = isAdmin || isPartnerAnalyst(who) || isSuperAnalyst(who);
  return [...(isAdmin ? (['admin'] as const) : []), ...(isStaff ? (['staff'] as const) : []), 'user'];
}

/** Roles of users that administer their organisation. */
export const administratorRoles = ['Administrator', 'Host'] as const;

/** Target user of the rules of spec §6. */
export interface TargetUser {
  id: number;
  role: string;
  organisationId: number;
  isDeleted: boolean;
  mfaIsSet: boolean;
}
type Asker = RoleHolder & { userId: number };

const isSelf = (who: Asker, target: TargetUser) => who.userId === target.id;
/** Only a Host can change a Host (access table, rows 8, 9 and 11). */
const isOutOfReach = (who: Asker, target: TargetUser) => target.role === 'Host' && !isHost(who);

/** True for the administrators of the target user (spec §6). */
const administers = (who: Asker, target: TargetUser): boolean =>
  !isOutOfReach(who, target) && (isSuperAdmin(who) || (isClientAdmin(who) && who.organisationId === target.organisationId));

/** Covers names, email and role of an existing user (spec §6). */
export const canEditUser = (who: Asker, target: TargetUser): boolean => !target.isDeleted && administers(who, target);

export const canEditPhoneNumber = (who: Asker, target: TargetUser): boolean =>
  canEditUser(who, target) || (isSelf(who, target) && !target.isDeleted);

export const canChangePassword = (who: Asker, target: TargetUser): boolean =>
  !target.isDeleted && (isSelf(who, target) || isHost(who) || (isPartnerAdmin(who) && !isOutOfReach(who, target)));

/**
 * A one-time link grants access to the account: allowed for those who can change its password and, for an invited user, those who can edit the
 * account. Never for oneself.
 */
export const canMakeLink = (who: Asker, target: TargetUser & { isInvited: boolean }): boolean =>
  !isSelf(who, target) && (target.isInvited ? canEditUser(who, target) : canChangePassword(who, target));

export const canSeeResetMfa = (who: Asker, target: TargetUser): boolean => isHost(who) || isSelf(who, target);
export const canResetMfa = (who: Asker, target: TargetUser): boolean =>
  canSeeResetMfa(who, target) && target.mfaIsSet && !target.isDeleted;

export const canSeeDeleteUser = (who: RoleHolder): boolean => isSuperAdmin(who) || isClientAdmin(who) || isPartnerAnalyst(who);
/** Excludes oneself, partner analysts and users already deleted. */
export const canDeleteUser = (who: Asker, target: TargetUser): boolean =>
  administers(who, target) && !isSelf(who, target) && !target.isDeleted;

/** Allowed for those who could delete the user. */
export const canReactivateUser = (who: Asker, target: TargetUser): boolean =>
  target.isDeleted && canDeleteUser(who, { ...target, isDeleted: false });

export const canEditPicture = (who: Asker, target: TargetUser): boolean =>
  !target.isDeleted && (isSelf(who, target) || administers(who, target));
