/**
 * Users (spec §2.5, §6, §7.3). A foreign user is the same 404 as a missing one; a user in scope whom the caller may not change is 403. Changes
 * of one organisation's users happen one after the other, so that two of them never take its last administrator away together.
 */
import {
  canChangePassword,
  canDeleteUser,
  canEditPhoneNumber,
  canEditUser,
  canMakeLink,
  canReactivateUser,
  reachOf,
  seesResetMfa,
} from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { complexityText } from '@parapet/contract/rules/password.ts';
import { deactivatedAccountText, hostRoleText, roles, rolesOf, type UserDetail, type usersApi } from '@parapet/contract/users.ts';
import type { z } from 'zod';
import { type Cell, csvLine, csvStart } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { type PasswordCheck, passwordFaultTexts } from '../../core/passwordCheck.ts';
import { hashPassword } from '../../core/passwords.ts';
import { type AuditAction, type AuditChange, recordAudit } from '../../domain/audit.ts';
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
/** Removes authenticator app, recovery codes and passkeys; the next sign-in then sets an app up where that is due. */
export type RemoveSecondFactor = (tx: Tx, scope: Scope, userId: number, isEnrolmentDue: boolean) => Promise<void>;
type LinkOwner = { id: number; organisationId: number; email: string; firstName: string };
/** One-time links to set a password by; older ones of the user end. */
export interface UserLinks {
  /** Sends one for the first password. */
  invite(tx: Tx, user: LinkOwner): Promise<void>;
  /** Makes one to be passed on. */
  make(tx: Tx, user: LinkOwner, kind: 'invitation' | 'reset'): Promise<{ url: string; expiresAt: Date }>;
}

const maxExported = 50_000;
const takenText = 'There is an account with this email address already. Use another address.';
const notAllowed = 'You may not make this change to this user.';
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
}: {
  db: Database;
  outbox: OutboxService;
  addresses: PictureAddresses;
  removeSecondFactor: RemoveSecondFactor;
  links: UserLinks;
  brand: BrandService;
  checkPassword: PasswordCheck;
}) {
  const { detailOf, rowOf } = createUserViews(addresses);

  const getUser = async (actor: Actor, id: number): Promise<User> => {
    const scope = scopeOf(actor);
    const user = await scoped(db, scope, (tx) => findUser(tx, scope, id), { readOnly: true });
    if (!user) throw problem.notFound('user', id);
    return user;
  };

  /**
   * Changes a user whom the actor sees. `judge` throws what speaks against it; it is asked twice, because the user may have changed before its
   * organisation was ours. Runs with the portal's own scope, which mails and links need; the store holds the actor's.
   */
  const change = async <T>(
    actor: Actor,
    id: number,
    judge: (user: User) => void,
    work: (tx: Tx, user: User) => Promise<T>,
  ): Promise<T> => {
    const scope = scopeOf(actor);
    const seen = await getUser(actor, id);
    judge(seen);
    return scoped(db, 'system', async (tx) => {
      await lockOrganisation(tx, scope, seen.organisationId);
      const user = await findUser(tx, scope, id);
      if (!user) throw problem.notFound('user', id);
      judge(user);
      return work(tx, user);
    });
  };

  const audit = (tx: Tx, actor: Actor, user: User, change: AuditChange<Extract<AuditAction, `user.${string}`>>) =>
    recordAudit(tx, actor, { ...change, organisationId: user.organisationId, target: String(user.id) });

  /** The hash of a password that nobody guesses; the work is done before any transaction. */
  const hashOfNew = async (password: string, field: string, organisation: { id: number; name: string }): Promise<string> => {
    const { name } = await scoped(db, 'system', (tx) => brand.ofMails(tx, organisation.id), { readOnly: true });
    const fault = await checkPassword(password, [name, organisation.name]);
    if (fault) throw problem.invalid({ [field]: passwordFaultTexts(fault, complexityText) }, complexityText);
    return hashPassword(password);
  };

  const keepAnAdministrator = async (tx: Tx, actor: Actor, user: User): Promise<void> => {
    if (isAdministrator(user.role) && !(await hasOtherAdministrator(tx, scopeOf(actor), user)))
      throw problem.conflict(
        `${user.email} is the last administrator of ${user.organisationName}. Make somebody else administrator first.`,
      );
  };

  /** The name of a role that the actor may give to users of such an organisation. */
  const roleToGive = (roleId: number, isPartner: boolean, field: string): string => {
    const role = roles.find(({ id }) => id === roleId);
    if (role?.name === 'Host') throw problem.forbidden(hostRoleText);
    if (!role || !rolesOf(isPartner).includes(role))
      throw problem.invalid({
        [field]: [`Users of this organisation cannot have the role ${role?.name ?? roleId}. Choose another.`],
      });
    return role.name;
  };

  const after = async (actor: Actor, tx: Tx, id: number): Promise<UserDetail> => {
    const user = await findUser(tx, scopeOf(actor), id);
    if (!user) throw problem.notFound('user', id);
    return detailOf(actor, user);
  };

  /** Whoever reads only oneself finds only oneself. */
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
      if ((onlyId(actor) ?? id) !== id) throw problem.forbidden('Your role sees its own profile only.');
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
      const role = roleToGive(input.UserRoleID, organisation.isPartner, 'UserRoleID');
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
          // Only of the caller's own scope may be told more than that the address is taken (decision 28a).
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
      /** What differs from what is stored, as it is and as it is wanted; the role by its id. */
      const wantedOf = (user: User) => {
        const pairs = {
          firstName: [user.firstName, input.firstName],
          lastName: [user.lastName, input.lastName],
          email: [user.email, input.emailAddress],
          role: [roles.find(({ name }) => name === user.role)?.id, input.currentUserRoleID],
          phoneNumber: [user.phoneNumber, input.phoneNumber],
        };
        return new Set(
          Object.entries(pairs).flatMap(([field, [is, wanted]]) => (wanted === undefined || wanted === is ? [] : [field])),
        ) as Set<keyof typeof pairs>;
      };
      const judge = (user: User): void => {
        if (!canEditPhoneNumber(actor, user)) throw problem.forbidden(notAllowed);
        if (input.clientOrganizationID !== user.organisationId) throw problem.forbidden('A user stays in its organisation.');
        const wanted = wantedOf(user);
        wanted.delete('phoneNumber');
        if (wanted.size > 0 && !canEditUser(actor, user)) throw problem.forbidden('You may change the phone number only.');
      };
      const work = async (tx: Tx, user: User): Promise<UserDetail> => {
        const scope = scopeOf(actor);
        const wanted = wantedOf(user);
        if (wanted.size === 0) return detailOf(actor, user);
        const role = wanted.has('role')
          ? roleToGive(input.currentUserRoleID ?? 0, user.isPartner, 'currentUserRoleID')
          : user.role;
        const next = {
          firstName: input.firstName ?? user.firstName,
          lastName: input.lastName ?? user.lastName,
          email: input.emailAddress ?? user.email,
          role,
          phoneNumber: input.phoneNumber ?? user.phoneNumber,
        };
        if (!isAdministrator(role)) await keepAnAdministrator(tx, actor, user);
        const taken = wanted.has('email') ? await findTakenAddress(tx, next.email) : undefined;
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
        if (wanted.has('email')) {
          // What was mailed to the old address opens the account no more.
          await endLinks(tx, scope, id);
          await outbox.queue(tx, addressChangedMail(user));
          await outbox.queue(tx, newAddressMail({ ...user, ...next }));
          if (user.isInvited) await invite(tx, { ...user, ...next });
        }
        const pick = (fields: typeof next) => Object.fromEntries([...wanted].map((field) => [field, fields[field]]));
        await audit(tx, actor, user, { action: 'user.updated', before: pick(user), after: pick(next) });
        return after(actor, tx, id);
      };
      try {
        return await change(actor, id, judge, work);
      } catch (error) {
        // Taken between our look and our change.
        throw isTaken(error) ? problem.conflict(takenText) : error;
      }
    },

    async changePassword(actor: Actor, id: number, input: BodyOf<'changePassword'>): Promise<void> {
      scopeFor(actor, input.clientOrganizationID);
      const judge = (user: User): void => {
        if (user.organisationId !== input.clientOrganizationID) throw problem.notFound('user', id);
        if (!canChangePassword(actor, user)) throw problem.forbidden('You may not change the password of this user.');
      };
      // Before the work of hashing, and again in the transaction.
      const seen = await getUser(actor, id);
      judge(seen);
      const organisation = { id: seen.organisationId, name: seen.organisationName };
      const passwordHash = await hashOfNew(input.newPassword, 'newPassword', organisation);
      await change(actor, id, judge, async (tx, user) => {
        await updateUser(tx, scopeOf(actor), id, { password_hash: passwordHash, password_changed_at: new Date() });
        await endAccess(tx, scopeOf(actor), id, actor.sessionId);
        await outbox.queue(tx, passwordChangedMail(user));
        await audit(tx, actor, user, { action: 'user.passwordChanged' });
      });
    },

    async resetMfa(actor: Actor, id: number): Promise<void> {
      const judge = (user: User): void => {
        if (!seesResetMfa(actor, user) || user.isDeleted) throw problem.forbidden('You may not reset the MFA of this user.');
        if (!user.mfaIsSet) throw problem.conflict('This user has no second factor set up, so there is nothing to reset.');
      };
      await change(actor, id, judge, async (tx, user) => {
        await removeSecondFactor(tx, scopeOf(actor), id, true);
        await endAccess(tx, scopeOf(actor), id, actor.sessionId);
        await outbox.queue(tx, mfaResetMail(user));
        await audit(tx, actor, user, { action: 'user.mfaReset' });
      });
    },

    async remove(actor: Actor, id: number): Promise<void> {
      const judge = (user: User): void => {
        if (user.id === actor.userId) throw problem.forbidden('You cannot delete yourself.');
        if (!canDeleteUser(actor, { ...user, isDeleted: false })) throw problem.forbidden('You may not delete this user.');
        if (user.isDeleted) throw problem.conflict('This user is deleted already.');
      };
      await change(actor, id, judge, async (tx, user) => {
        await keepAnAdministrator(tx, actor, user);
        await updateUser(tx, scopeOf(actor), id, { is_deleted: true, deleted_at: new Date() });
        await endAccess(tx, scopeOf(actor), id);
        await outbox.queue(tx, deletedMail(user));
        await audit(tx, actor, user, { action: 'user.deleted', before: { email: user.email, role: user.role } });
      });
    },

    async reactivate(actor: Actor, id: number): Promise<UserDetail> {
      const judge = (user: User): void => {
        if (!canReactivateUser(actor, { ...user, isDeleted: true })) throw problem.forbidden(notAllowed);
        if (!user.isDeleted) throw problem.conflict('This user is not deleted.');
      };
      return change(actor, id, judge, async (tx, user) => {
        // The second factor stays: only its owner, or who may reset it, takes it away.
        await updateUser(tx, scopeOf(actor), id, { is_deleted: false, deleted_at: null, password_hash: null });
        await outbox.queue(tx, reactivatedMail(user));
        await invite(tx, user);
        await audit(tx, actor, user, { action: 'user.reactivated', after: { email: user.email, role: user.role } });
        return after(actor, tx, id);
      });
    },

    /** A link that an administrator passes on. It opens the account, so the owner is told of it; an invited one has none yet. */
    async makeLink(actor: Actor, id: number): Promise<AnswerOf<typeof usersApi.makeLink>> {
      const judge = (user: User): void => {
        if (!canMakeLink(actor, user)) throw problem.forbidden('You may not make a link for this user.');
      };
      return change(actor, id, judge, async (tx, user) => {
        const kind = user.isInvited ? 'invitation' : 'reset';
        const { url, expiresAt } = await make(tx, user, kind);
        if (kind === 'reset') await outbox.queue(tx, linkMadeMail(user));
        await audit(tx, actor, user, { action: 'user.linkMade', after: { kind, expiresAt: expiresAt.toISOString() } });
        return { url, expiresAt: expiresAt.toISOString() };
      });
    },

    async invite(actor: Actor, id: number): Promise<void> {
      const judge = (user: User): void => {
        if (!canEditUser(actor, user)) throw problem.forbidden('You may not invite this user.');
        if (!user.isInvited) throw problem.conflict('This user has signed in with a password already; no invitation is needed.');
      };
      await change(actor, id, judge, async (tx, user) => {
        await invite(tx, user);
        await audit(tx, actor, user, { action: 'user.invited' });
      });
    },
  };
}
