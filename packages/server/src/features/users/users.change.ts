/** Changes of one user: permission, lock of the organisation, transaction, audit entry. */
import { administratorRoles } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import { complexityText } from '@parapet/contract/rules/password.ts';
import { hostRoleText, roles, rolesOf, type UserDetail, type usersApi } from '@parapet/contract/users.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { hashPassword } from '../../core/passwords.ts';
import { type AuditAction, type AuditChange, recordAudit } from '../../domain/audit.ts';
import { type PasswordCheck, passwordFaultTexts } from '../../domain/passwordCheck.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { PictureAddresses } from './users.pictures.ts';
import { getUser, hasOtherAdministrator, lockOrganisation, type User } from './users.store.ts';
import { detailOf } from './users.views.ts';

export type BodyOf<K extends 'create' | 'update' | 'changePassword'> = z.output<(typeof usersApi)[K]['body']>;
/** Removes authenticator app, recovery codes and passkeys; with `isEnrolmentDue` the next sign-in requires a new app. */
type RemoveSecondFactor = (tx: Tx, scope: Scope, userId: number, isEnrolmentDue: boolean) => Promise<void>;
type LinkOwner = { id: number; organisationId: number; email: string; firstName: string };
/** One-time links to set a password; a new one revokes the user’s earlier ones. */
interface UserLinks {
  /** Emails a link to set the first password. */
  invite(tx: Tx, user: LinkOwner): Promise<void>;
  /** The same, for the first administrator of an organisation. */
  welcome(tx: Tx, user: LinkOwner): Promise<void>;
  /** Creates a link to hand over. */
  make(tx: Tx, user: LinkOwner, kind: 'invitation' | 'reset'): Promise<{ url: string; expiresAt: Date }>;
}

export interface UsersServiceDeps {
  db: Database;
  outbox: OutboxService;
  addresses: PictureAddresses;
  removeSecondFactor: RemoveSecondFactor;
  links: UserLinks;
  brand: BrandService;
  checkPassword: PasswordCheck;
  clock: Clock;
}

export const takenText = 'An account with this email address already exists. Use another address.';
export const notAllowed = 'You don’t have permission to make this change to this user.';

/** A user within the actor’s scope that passes `check`, in a transaction of its own. */
export async function readChecked(db: Database, actor: Actor, id: number, check: (user: User) => void): Promise<User> {
  const scope = scopeOf(actor);
  const user = await scoped(db, scope, (tx) => getUser(tx, scope, id), { readOnly: true });
  check(user);
  return user;
}

/**
 * Changes a user within the actor’s scope. `check` throws when the change is not allowed; it runs before and after the lock, since the
 * user may change in between. The transaction has the portal’s own scope, as emails and links require; the store applies the actor’s.
 */
export async function changeUser<T>(
  db: Database,
  actor: Actor,
  id: number,
  check: (user: User) => void,
  work: (tx: Tx, user: User) => Promise<T>,
): Promise<T> {
  const scope = scopeOf(actor);
  const { organisationId } = await readChecked(db, actor, id, check);
  return scoped(db, 'system', async (tx) => {
    await lockOrganisation(tx, scope, organisationId);
    const user = await getUser(tx, scope, id);
    check(user);
    return work(tx, user);
  });
}

export const auditUser = (tx: Tx, actor: Actor, user: User, change: AuditChange<Extract<AuditAction, `user.${string}`>>) =>
  recordAudit(tx, actor, { ...change, organisationId: user.organisationId, target: String(user.id) });

export const readDetail = async (tx: Tx, addresses: PictureAddresses, actor: Actor, id: number): Promise<UserDetail> =>
  detailOf(addresses, actor, await getUser(tx, scopeOf(actor), id));

/** Checks and hashes a new password; call it before a transaction. Throws invalid at the field of a weak one. */
export async function hashOfNew(
  { db, brand, checkPassword }: UsersServiceDeps,
  password: string,
  field: string,
  organisation: { id: number; name: string },
): Promise<string> {
  const { name } = await scoped(db, 'system', (tx) => brand.ofMails(tx, organisation.id), { readOnly: true });
  const fault = await checkPassword(password, [name, organisation.name]);
  if (fault) throw problem.invalid({ [field]: passwordFaultTexts(fault, complexityText) }, complexityText);
  return hashPassword(password);
}

export const isAdministrator = (role: string) => administratorRoles.some((each) => each === role);

/** Throws conflict for the last administrator of an organisation. */
export async function requireOtherAdministrator(tx: Tx, actor: Actor, user: User): Promise<void> {
  if (isAdministrator(user.role) && !(await hasOtherAdministrator(tx, scopeOf(actor), user)))
    throw problem.conflict(
      `${user.email} is the last administrator of ${user.organisationName}. Make another user an administrator first.`,
    );
}

/** Name of a role that can be assigned in such an organisation; throws forbidden or invalid otherwise. */
export function assignableRole(roleId: number, isPartner: boolean, field: string): string {
  const role = roles.find(({ id }) => id === roleId);
  if (role?.name === 'Host') throw problem.forbidden(hostRoleText);
  if (!role || !rolesOf(isPartner).includes(role))
    throw problem.invalid({
      [field]: [`Users of this organisation can’t have the role ${role?.name ?? roleId}. Select another one.`],
    });
  return role.name;
}
