/** Access of users: password, MFA, links, deletion and reactivation. */
import {
  canChangePassword,
  canDeleteUser,
  canEditUser,
  canMakeLink,
  canReactivateUser,
  canSeeResetMfa,
} from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { UserDetail, usersApi } from '@parapet/contract/users.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import {
  auditUser,
  type BodyOf,
  changeUser,
  hashOfNew,
  notAllowed,
  readChecked,
  readDetail,
  requireOtherAdministrator,
  type UsersServiceDeps,
} from './users.change.ts';
import { deletedMail, linkMadeMail, mfaResetMail, passwordChangedMail, reactivatedMail } from './users.mails.ts';
import { endAccess, type User, updateUser } from './users.store.ts';

export async function changePassword(
  deps: UsersServiceDeps,
  actor: Actor,
  id: number,
  input: BodyOf<'changePassword'>,
): Promise<void> {
  scopeFor(actor, input.clientOrganizationID);
  const check = (user: User): void => {
    if (user.organisationId !== input.clientOrganizationID) throw problem.notFound('user', id);
    if (!canChangePassword(actor, user)) throw problem.forbidden('You don’t have permission to change this user’s password.');
  };
  // Checked before hashing and again in the transaction.
  const seen = await readChecked(deps.db, actor, id, check);
  const organisation = { id: seen.organisationId, name: seen.organisationName };
  const passwordHash = await hashOfNew(deps, input.newPassword, 'newPassword', organisation);
  const at = new Date(deps.clock.now());
  await changeUser(deps.db, actor, id, check, async (tx, user) => {
    await updateUser(tx, scopeOf(actor), id, { password_hash: passwordHash, password_changed_at: at });
    await endAccess(tx, scopeOf(actor), id, actor.sessionId);
    await deps.outbox.queue(tx, passwordChangedMail(user));
    await auditUser(tx, actor, user, { action: 'user.passwordChanged' });
  });
}

export async function resetMfa({ db, removeSecondFactor, outbox }: UsersServiceDeps, actor: Actor, id: number): Promise<void> {
  const check = (user: User): void => {
    if (!canSeeResetMfa(actor, user) || user.isDeleted)
      throw problem.forbidden('You don’t have permission to reset this user’s MFA.');
    if (!user.mfaIsSet) throw problem.conflict('This user hasn’t set up MFA.');
  };
  await changeUser(db, actor, id, check, async (tx, user) => {
    await removeSecondFactor(tx, scopeOf(actor), id, true);
    await endAccess(tx, scopeOf(actor), id, actor.sessionId);
    await outbox.queue(tx, mfaResetMail(user));
    await auditUser(tx, actor, user, { action: 'user.mfaReset' });
  });
}

export async function removeUser({ db, clock, outbox }: UsersServiceDeps, actor: Actor, id: number): Promise<void> {
  const check = (user: User): void => {
    if (user.id === actor.userId) throw problem.forbidden('You can’t delete your own account.');
    if (!canDeleteUser(actor, { ...user, isDeleted: false }))
      throw problem.forbidden('You don’t have permission to delete this user.');
    if (user.isDeleted) throw problem.conflict('This user is already deleted.');
  };
  await changeUser(db, actor, id, check, async (tx, user) => {
    await requireOtherAdministrator(tx, actor, user);
    await updateUser(tx, scopeOf(actor), id, { is_deleted: true, deleted_at: new Date(clock.now()) });
    await endAccess(tx, scopeOf(actor), id);
    await outbox.queue(tx, deletedMail(user));
    await auditUser(tx, actor, user, { action: 'user.deleted', before: { email: user.email, role: user.role } });
  });
}

export function reactivateUser(deps: UsersServiceDeps, actor: Actor, id: number): Promise<UserDetail> {
  const check = (user: User): void => {
    if (!canReactivateUser(actor, { ...user, isDeleted: true })) throw problem.forbidden(notAllowed);
    if (!user.isDeleted) throw problem.conflict('This user is not deleted.');
  };
  return changeUser(deps.db, actor, id, check, async (tx, user) => {
    // MFA stays: only its owner or a permitted administrator may reset it.
    await updateUser(tx, scopeOf(actor), id, { is_deleted: false, deleted_at: null, password_hash: null });
    await deps.outbox.queue(tx, reactivatedMail(user));
    await deps.links.invite(tx, user);
    await auditUser(tx, actor, user, { action: 'user.reactivated', after: { email: user.email, role: user.role } });
    return readDetail(tx, deps.addresses, actor, id);
  });
}

/** Creates a link for an administrator to hand over; emails a notice to the owner unless they are only invited. */
export function makeLink(
  { db, links, outbox }: UsersServiceDeps,
  actor: Actor,
  id: number,
): Promise<AnswerOf<typeof usersApi.makeLink>> {
  const check = (user: User): void => {
    if (!canMakeLink(actor, user)) throw problem.forbidden('You don’t have permission to create a link for this user.');
  };
  return changeUser(db, actor, id, check, async (tx, user) => {
    const kind = user.isInvited ? 'invitation' : 'reset';
    const link = await links.make(tx, user, kind);
    const expiresAt = link.expiresAt.toISOString();
    if (kind === 'reset') await outbox.queue(tx, linkMadeMail(user));
    await auditUser(tx, actor, user, { action: 'user.linkMade', after: { kind, expiresAt } });
    return { url: link.url, expiresAt };
  });
}

/** Emails the invitation again. */
export async function inviteUser({ db, links }: UsersServiceDeps, actor: Actor, id: number): Promise<void> {
  const check = (user: User): void => {
    if (!canEditUser(actor, user)) throw problem.forbidden('You don’t have permission to invite this user.');
    if (!user.isInvited) throw problem.conflict('This user already has a password. No invitation is needed.');
  };
  await changeUser(db, actor, id, check, async (tx, user) => {
    await links.invite(tx, user);
    await auditUser(tx, actor, user, { action: 'user.invited' });
  });
}
