import { canEditPhoneNumber, canEditUser } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import { deactivatedAccountText, roles, type UserDetail } from '@parapet/contract/users.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import {
  assignableRole,
  auditUser,
  type BodyOf,
  changeUser,
  isAdministrator,
  notAllowed,
  readDetail,
  requireOtherAdministrator,
  takenText,
  type UsersServiceDeps,
} from './users.change.ts';
import { addressChangedMail, newAddressMail } from './users.mails.ts';
import { endLinks, findTakenAddress, type User, updateUser } from './users.store.ts';
import { detailOf } from './users.views.ts';

type Input = BodyOf<'update'>;
type Fields = Pick<User, 'firstName' | 'lastName' | 'email' | 'role' | 'phoneNumber'>;

const isTaken = (error: unknown) => (error as { constraint?: unknown } | null)?.constraint === 'users_email';

/** Changes name, address, role or phone number; fields left out keep their values. */
export async function updateDetails(deps: UsersServiceDeps, actor: Actor, id: number, input: Input): Promise<UserDetail> {
  scopeFor(actor, input.clientOrganizationID);
  const check = (user: User): void => {
    if (!canEditPhoneNumber(actor, user)) throw problem.forbidden(notAllowed);
    if (input.clientOrganizationID !== user.organisationId)
      throw problem.forbidden('Users can’t be moved to another organisation.');
    const isMore = changesOf(user, input).some((field) => field !== 'phoneNumber');
    if (isMore && !canEditUser(actor, user)) throw problem.forbidden('You can only change the phone number.');
  };
  try {
    return await changeUser(deps.db, actor, id, check, (tx, user) => update(tx, deps, actor, user, input));
  } catch (error) {
    // Taken by a concurrent request.
    throw isTaken(error) ? problem.conflict(takenText) : error;
  }
}

/** Fields whose requested value differs from the stored one. */
function changesOf(user: User, input: Input): (keyof Fields)[] {
  const pairs: Record<keyof Fields, [unknown, unknown]> = {
    firstName: [user.firstName, input.firstName],
    lastName: [user.lastName, input.lastName],
    email: [user.email, input.emailAddress],
    role: [roles.find(({ name }) => name === user.role)?.id, input.currentUserRoleID],
    phoneNumber: [user.phoneNumber, input.phoneNumber],
  };
  return (Object.keys(pairs) as (keyof Fields)[]).filter((field) => {
    const [stored, requested] = pairs[field];
    return requested !== undefined && requested !== stored;
  });
}

async function update(tx: Tx, deps: UsersServiceDeps, actor: Actor, user: User, input: Input): Promise<UserDetail> {
  const { addresses, outbox, links } = deps;
  const { id } = user;
  const scope = scopeOf(actor);
  const changes = changesOf(user, input);
  if (changes.length === 0) return detailOf(addresses, actor, user);
  const next: Fields = {
    firstName: input.firstName ?? user.firstName,
    lastName: input.lastName ?? user.lastName,
    email: input.emailAddress ?? user.email,
    role: changes.includes('role')
      ? assignableRole(input.currentUserRoleID ?? 0, user.isPartner, 'currentUserRoleID')
      : user.role,
    phoneNumber: input.phoneNumber ?? user.phoneNumber,
  };
  if (!isAdministrator(next.role)) await requireOtherAdministrator(tx, actor, user);
  const isAddressNew = changes.includes('email');
  if (isAddressNew) await requireFreeAddress(tx, actor, id, next.email);
  await updateUser(tx, scope, id, {
    first_name: next.firstName,
    last_name: next.lastName,
    email: next.email,
    role: next.role,
    phone_number: next.phoneNumber,
  });
  if (isAddressNew) {
    // Revokes links emailed to the old address.
    await endLinks(tx, scope, id);
    await outbox.queue(tx, addressChangedMail(user));
    await outbox.queue(tx, newAddressMail({ ...user, ...next }));
    if (user.isInvited) await links.invite(tx, { ...user, ...next });
  }
  const pick = (fields: Fields) => Object.fromEntries(changes.map((field) => [field, fields[field]]));
  await auditUser(tx, actor, user, { action: 'user.updated', before: pick(user), after: pick(next) });
  return readDetail(tx, addresses, actor, id);
}

/** Throws conflict for an address of another account; within the caller’s scope its text names a deactivated one. */
async function requireFreeAddress(tx: Tx, actor: Actor, id: number, email: string): Promise<void> {
  const taken = await findTakenAddress(tx, email);
  if (!taken || taken.id === id) return;
  const isOwnDeactivated = taken.isDeleted && actor.organisationIds.includes(taken.organisationId);
  throw problem.conflict(isOwnDeactivated ? deactivatedAccountText : takenText);
}
