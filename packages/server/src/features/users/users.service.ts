/**
 * Users (spec §2.5, §6, §7.3). Foreign and missing users are the same 404; users in scope without permission to change are 403.
 * Changes within an organisation are serialised, so that concurrent ones never remove its last administrator.
 */
import {
  canChangePassword,
  canDeleteUser,
  canEditPhoneNumber,
  canEditUser,
  canMakeLink,
  canReactivateUser,
  canSeeResetMfa,
  reachOf,
} from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { complexityText } from '@parapet/contract/rules/password.ts';
import { deactivatedAccountText, hostRoleText, roles, rolesOf, type UserDetail, type usersApi } from '@parapet/contract/users.ts';
import type { z } from 'zod';
import { type Clock, systemClock } from '../../core/clock.ts';
import { type Cell, csvLine, csvStart } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { hashPassword } from '../../core/passwords.ts';
import { type AuditAction, type AuditChange, recordAudit } from '../../domain/audit.ts';
import { type PasswordCheck, passwordFaultTexts } from '../../domain/passwordCheck.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import {
  addressChangedMail,
  deletedMail,
  linkMadeMail,
  mfaResetMail,
  newAddressMail,
  passwordChangedMail,
  reactivatedMail,
} from './users.mails.ts';
import type { PictureAddresses } from './users.pictures.ts';
import {
  endAccess,
  endLinks,
  findOrganisation,
  findTakenAddress,
  findUser,
  hasOtherAdministrator,
  insertUser,
  listUsers,
  lockOrganisation,
  type User,
  type UserFilter,
  updateUser,
} from './users.store.ts';
import { choicesOf, createUserViews } from './users.views.ts';

type BodyOf<K extends 'create' | 'update' | 'changePassword'> = z.output<(typeof usersApi)[K]['body']>;
/** Removes authenticator app, recovery codes and passkeys; with `isEnrolmentDue` the next sign-in requires a new app. */
export type RemoveSecondFactor = (tx: Tx, scope: Scope, userId: number, isEnrolmentDue: boolean) => Promise<void>;
type LinkOwner = { id: number; organisationId: number; email: string; firstName: string };
/** One-time links to set a password; a new one revokes the user’s earlier ones. */
export interface UserLinks {
  /** Emails a link to set the first password. */
  invite(tx: Tx, user: LinkOwner): Promise<void>;
  /** Creates a link to hand over. */
  make(tx: Tx, user: LinkOwner, kind: 'invitation' | 'reset'): Promise<{ url: string; expiresAt: Date }>;
}

const maxExported = 50_000;
const takenText = 'An account with this email address already exists. Use another address.';
const notAllowed = 'You don’t have permission to make this change to this user.';
const isTaken = (error: unknown) => (error as { constraint?: unknown } | null)?.constraint === 'users_email';
const isAdministrator = (role: string) => role === 'Administrator' || role === 'Host';

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService({
  db,
  outbox,
  addresses,
  removeSecondFactor,
  links: { invite, make },
  brand,
  checkPassword,
  clock = systemClock,
}: {
  db: Database;
  outbox: OutboxService;
  addresses: PictureAddresses;
  removeSecondFactor: RemoveSecondFactor;
  links: UserLinks;
  brand: BrandService;
  checkPassword: PasswordCheck;
  clock?: Clock;
}) {
  const { detailOf, rowOf } = createUserViews(addresses);

  const getUser = async (actor: Actor, id: number): Promise<User> => {
    const scope = scopeOf(actor);
    const user = await scoped(db, scope, (tx) => findUser(tx, scope, id), { readOnly: true });
    if (!user) throw problem.notFound('user', id);
    return user;
  };

  /**
   * Changes a user within the actor’s scope. `check` throws when the change is not allowed; it runs before and after the lock, since the
   * user may change in between. The transaction has the portal’s own scope, as emails and links require; the store applies the actor’s.
   */
  const change = async <T>(
    actor: Actor,
    id: number,
    check: (user: User) => void,
    work: (tx: Tx, user: User) => Promise<T>,
  ): Promise<T> => {
    const scope = scopeOf(actor);
    const seen = await getUser(actor, id);
    check(seen);
    return scoped(db, 'system', async (tx) => {
      await lockOrganisation(tx, scope, seen.organisationId);
      const user = await findUser(tx, scope, id);
      if (!user) throw problem.notFound('user', id);
      check(user);
      return work(tx, user);
    });
  };

  const audit = (tx: Tx, actor: Actor, user: User, change: AuditChange<Extract<AuditAction, `user.${string}`>>) =>
    recordAudit(tx, actor, { ...change, organisationId: user.organisationId, target: String(user.id) });

  /** Checks and hashes a new password; call it before a transaction. Throws invalid at the field of a weak one. */
  const hashOfNew = async (password: string, field: string, organisation: { id: number; name: string }): Promise<string> => {
    const { name } = await scoped(db, 'system', (tx) => brand.ofMails(tx, organisation.id), { readOnly: true });
    const fault = await checkPassword(password, [name, organisation.name]);
    if (fault) throw problem.invalid({ [field]: passwordFaultTexts(fault, complexityText) }, complexityText);
    return hashPassword(password);
  };

  const requireOtherAdministrator = async (tx: Tx, actor: Actor, user: User): Promise<void> => {
    if (isAdministrator(user.role) && !(await hasOtherAdministrator(tx, scopeOf(actor), user)))
      throw problem.conflict(
        `${user.email} is the last administrator of ${user.organisationName}. Make another user an administrator first.`,
      );
  };

  /** Name of a role that can be assigned in such an organisation; throws forbidden or invalid otherwise. */
  const assignableRole = (roleId: number, isPartner: boolean, field: string): string => {
    const role = roles.find(({ id }) => id === roleId);
    if (role?.name === 'Host') throw problem.forbidden(hostRoleText);
    if (!role || !rolesOf(isPartner).includes(role))
      throw problem.invalid({
        [field]: [`Users of this organisation can’t have the role ${role?.name ?? roleId}. Select another one.`],
      });
    return role.name;
  };

  const after = async (actor: Actor, tx: Tx, id: number): Promise<UserDetail> => {
    const user = await findUser(tx, scopeOf(actor), id);
    if (!user) throw problem.notFound('user', id);
    return detailOf(actor, user);
  };

  /** The actor’s own id when that is all they may read. */
  const onlyId = (actor: Actor) => (reachOf(actor, 'users:read') === 'me' ? actor.userId : undefined);

  return {
    async list(actor: Actor, client: number, { page, pageSize, ...filter }: UserFilter & { page: number; pageSize: number }) {
      const scope = scopeFor(actor, client);
      const limits = { onlyId: onlyId(actor), limit: pageSize, offset: (page - 1) * pageSize };
      const { results, total } = await scoped(db, scope, (tx) => listUsers(tx, scope, { ...filter, ...limits }), {
        readOnly: true,
      });
      return { results: results.map(rowOf), total };
    },

    async exportList(actor: Actor, client: number, filter: UserFilter): Promise<string> {
      const scope = scopeFor(actor, client);
      const { results } = await scoped(db, scope, async (tx) => {
        const found = await listUsers(tx, scope, { ...filter, onlyId: onlyId(actor), limit: maxExported, offset: 0 });
        await recordAudit(tx, actor, {
          action: 'users.exported',
          organisationId: client || actor.organisationId,
          after: { client, ...filter, count: found.results.length },
        });
        return found;
      });
      const lines = results
        .map(rowOf)
        .map((row): Cell[] => [
          row.displayName,
          row.emailAddress,
          row.role,
          row.clientOrganizationName,
          row.state,
          row.mfaIsSet ? 'yes' : 'no',
          row.lastSignInAt,
        ]);
      return (
        csvStart(['Name', 'Email', 'Role', 'Organisation', 'State', 'Second factor', 'Last sign-in']) +
        lines.map(csvLine).join('')
      );
    },

    async get(actor: Actor, client: number, id: number): Promise<UserDetail> {
      const scope = scopeFor(actor, client);
      const user = await scoped(db, scope, (tx) => findUser(tx, scope, id), { readOnly: true });
      if (!user) throw problem.notFound('user', id);
      if ((onlyId(actor) ?? id) !== id) throw problem.forbidden('Your role can only view its own profile.');
      return detailOf(actor, user);
    },

    async clientRoles(actor: Actor, client: number) {
      const scope = scopeFor(actor, client);
      const organisation = await scoped(db, scope, (tx) => findOrganisation(tx, scope, client), { readOnly: true });
      if (!organisation) throw problem.notFound('organisation', client);
      const results = choicesOf(actor, organisation.isPartner);
      return { results, total: results.length };
    },

    async create(actor: Actor, input: BodyOf<'create'>): Promise<AnswerOf<typeof usersApi.create>> {
      const organisationId = input.clientOrganizationID;
      const scope = scopeFor(actor, organisationId);
      const organisation = await scoped(db, scope, (tx) => findOrganisation(tx, scope, organisationId), { readOnly: true });
      if (!organisation) throw problem.notFound('organisation', organisationId);
      const role = assignableRole(input.UserRoleID, organisation.isPartner, 'UserRoleID');
      const password = input.sendInvitation ? undefined : input.password;
      const passwordHash = password === undefined ? null : await hashOfNew(password, 'password', organisation);

      return scoped(db, 'system', async (tx) => {
        const fields = {
          organisationId,
          email: input.emailAddress,
          firstName: input.firstName,
          lastName: input.lastName,
          role,
          phoneNumber: input.phoneNumber ?? '',
        };
        const id = await insertUser(tx, { ...fields, passwordHash });
        if (id === undefined) {
          const taken = await findTakenAddress(tx, input.emailAddress);
          // Details about a taken address are disclosed within the caller’s scope only.
          if (taken?.isDeleted && actor.organisationIds.includes(taken.organisationId))
            return { id: 0, clientOrganizationID: -1, deactivatedUserID: taken.id };
          throw problem.conflict(takenText);
        }
        if (passwordHash === null) await invite(tx, { id, ...fields });
        await recordAudit(tx, actor, {
          action: 'user.created',
          organisationId,
          target: String(id),
          after: { ...fields, isInvited: passwordHash === null },
        });
        return { id, clientOrganizationID: organisationId, deactivatedUserID: null };
      });
    },

    async update(actor: Actor, id: number, input: BodyOf<'update'>): Promise<UserDetail> {
      scopeFor(actor, input.clientOrganizationID);
      /** Fields whose requested value differs from the stored one. */
      const changesOf = (user: User) => {
        const pairs = {
          firstName: [user.firstName, input.firstName],
          lastName: [user.lastName, input.lastName],
          email: [user.email, input.emailAddress],
          role: [roles.find(({ name }) => name === user.role)?.id, input.currentUserRoleID],
          phoneNumber: [user.phoneNumber, input.phoneNumber],
        };
        return new Set(
          Object.entries(pairs).flatMap(([field, [stored, requested]]) =>
            requested === undefined || requested === stored ? [] : [field],
          ),
        ) as Set<keyof typeof pairs>;
      };
      const check = (user: User): void => {
        if (!canEditPhoneNumber(actor, user)) throw problem.forbidden(notAllowed);
        if (input.clientOrganizationID !== user.organisationId)
          throw problem.forbidden('Users can’t be moved to another organisation.');
        const changes = changesOf(user);
        changes.delete('phoneNumber');
        if (changes.size > 0 && !canEditUser(actor, user)) throw problem.forbidden('You can only change the phone number.');
      };
      const work = async (tx: Tx, user: User): Promise<UserDetail> => {
        const scope = scopeOf(actor);
        const changes = changesOf(user);
        if (changes.size === 0) return detailOf(actor, user);
        const role = changes.has('role')
          ? assignableRole(input.currentUserRoleID ?? 0, user.isPartner, 'currentUserRoleID')
          : user.role;
        const next = {
          firstName: input.firstName ?? user.firstName,
          lastName: input.lastName ?? user.lastName,
          email: input.emailAddress ?? user.email,
          role,
          phoneNumber: input.phoneNumber ?? user.phoneNumber,
        };
        if (!isAdministrator(role)) await requireOtherAdministrator(tx, actor, user);
        const taken = changes.has('email') ? await findTakenAddress(tx, next.email) : undefined;
        if (taken && taken.id !== id)
          throw problem.conflict(
            taken.isDeleted && actor.organisationIds.includes(taken.organisationId) ? deactivatedAccountText : takenText,
          );
        await updateUser(tx, scope, id, {
          first_name: next.firstName,
          last_name: next.lastName,
          email: next.email,
          role,
          phone_number: next.phoneNumber,
        });
        if (changes.has('email')) {
          // Revokes links emailed to the old address.
          await endLinks(tx, scope, id);
          await outbox.queue(tx, addressChangedMail(user));
          await outbox.queue(tx, newAddressMail({ ...user, ...next }));
          if (user.isInvited) await invite(tx, { ...user, ...next });
        }
        const pick = (fields: typeof next) => Object.fromEntries([...changes].map((field) => [field, fields[field]]));
        await audit(tx, actor, user, { action: 'user.updated', before: pick(user), after: pick(next) });
        return after(actor, tx, id);
      };
      try {
        return await change(actor, id, check, work);
      } catch (error) {
        // Taken by a concurrent request.
        throw isTaken(error) ? problem.conflict(takenText) : error;
      }
    },

    async changePassword(actor: Actor, id: number, input: BodyOf<'changePassword'>): Promise<void> {
      scopeFor(actor, input.clientOrganizationID);
      const check = (user: User): void => {
        if (user.organisationId !== input.clientOrganizationID) throw problem.notFound('user', id);
        if (!canChangePassword(actor, user)) throw problem.forbidden('You don’t have permission to change this user’s password.');
      };
      // Checked before hashing and again in the transaction.
      const seen = await getUser(actor, id);
      check(seen);
      const organisation = { id: seen.organisationId, name: seen.organisationName };
      const passwordHash = await hashOfNew(input.newPassword, 'newPassword', organisation);
      await change(actor, id, check, async (tx, user) => {
        await updateUser(tx, scopeOf(actor), id, { password_hash: passwordHash, password_changed_at: new Date(clock.now()) });
        await endAccess(tx, scopeOf(actor), id, actor.sessionId);
        await outbox.queue(tx, passwordChangedMail(user));
        await audit(tx, actor, user, { action: 'user.passwordChanged' });
      });
    },

    async resetMfa(actor: Actor, id: number): Promise<void> {
      const check = (user: User): void => {
        if (!canSeeResetMfa(actor, user) || user.isDeleted)
          throw problem.forbidden('You don’t have permission to reset this user’s MFA.');
        if (!user.mfaIsSet) throw problem.conflict('This user hasn’t set up MFA.');
      };
      await change(actor, id, check, async (tx, user) => {
        await removeSecondFactor(tx, scopeOf(actor), id, true);
        await endAccess(tx, scopeOf(actor), id, actor.sessionId);
        await outbox.queue(tx, mfaResetMail(user));
        await audit(tx, actor, user, { action: 'user.mfaReset' });
      });
    },

    async remove(actor: Actor, id: number): Promise<void> {
      const check = (user: User): void => {
        if (user.id === actor.userId) throw problem.forbidden('You can’t delete your own account.');
        if (!canDeleteUser(actor, { ...user, isDeleted: false }))
          throw problem.forbidden('You don’t have permission to delete this user.');
        if (user.isDeleted) throw problem.conflict('This user is already deleted.');
      };
      await change(actor, id, check, async (tx, user) => {
        await requireOtherAdministrator(tx, actor, user);
        await updateUser(tx, scopeOf(actor), id, { is_deleted: true, deleted_at: new Date(clock.now()) });
        await endAccess(tx, scopeOf(actor), id);
        await outbox.queue(tx, deletedMail(user));
        await audit(tx, actor, user, { action: 'user.deleted', before: { email: user.email, role: user.role } });
      });
    },

    async reactivate(actor: Actor, id: number): Promise<UserDetail> {
      const check = (user: User): void => {
        if (!canReactivateUser(actor, { ...user, isDeleted: true })) throw problem.forbidden(notAllowed);
        if (!user.isDeleted) throw problem.conflict('This user is not deleted.');
      };
      return change(actor, id, check, async (tx, user) => {
        // MFA stays: only its owner or a permitted administrator may reset it.
        await updateUser(tx, scopeOf(actor), id, { is_deleted: false, deleted_at: null, password_hash: null });
        await outbox.queue(tx, reactivatedMail(user));
        await invite(tx, user);
        await audit(tx, actor, user, { action: 'user.reactivated', after: { email: user.email, role: user.role } });
        return after(actor, tx, id);
      });
    },

    /** Creates a link for an administrator to hand over; emails a notice to the owner unless they are only invited. */
    async makeLink(actor: Actor, id: number): Promise<AnswerOf<typeof usersApi.makeLink>> {
      const check = (user: User): void => {
        if (!canMakeLink(actor, user)) throw problem.forbidden('You don’t have permission to create a link for this user.');
      };
      return change(actor, id, check, async (tx, user) => {
        const kind = user.isInvited ? 'invitation' : 'reset';
        const { url, expiresAt } = await make(tx, user, kind);
        if (kind === 'reset') await outbox.queue(tx, linkMadeMail(user));
        await audit(tx, actor, user, { action: 'user.linkMade', after: { kind, expiresAt: expiresAt.toISOString() } });
        return { url, expiresAt: expiresAt.toISOString() };
      });
    },

    async invite(actor: Actor, id: number): Promise<void> {
      const check = (user: User): void => {
        if (!canEditUser(actor, user)) throw problem.forbidden('You don’t have permission to invite this user.');
        if (!user.isInvited) throw problem.conflict('This user already has a password. No invitation is needed.');
      };
      await change(actor, id, check, async (tx, user) => {
        await invite(tx, user);
        await audit(tx, actor, user, { action: 'user.invited' });
      });
    },
  };
}
