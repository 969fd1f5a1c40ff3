/** Views of users: detail with the caller’s permissions, list row and assignable roles. */
import {
  canChangePassword,
  canDeleteUser,
  canEditPhoneNumber,
  canEditPicture,
  canEditUser,
  canMakeLink,
  canReactivateUser,
  canResetMfa,
  canSeeDeleteUser,
  canSeeResetMfa,
  isHost,
  may,
} from '@parapet/contract/access.ts';
import { type Role, roles, rolesOf, type UserDetail, type UserRow } from '@parapet/contract/users.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { PictureAddresses } from './users.pictures.ts';
import type { User } from './users.store.ts';

const stateOf = (user: User) => (user.isDeleted ? 'deleted' : user.isInvited ? 'invited' : 'active');
const nameOf = (user: User) => `${user.firstName} ${user.lastName}`.trim();

/** Roles for the form. Host is listed for Hosts only (access table, row 6), though assigning it is always refused. */
export const choicesOf = (actor: Actor, isPartner: boolean): Role[] =>
  rolesOf(isPartner)
    .filter(({ name }) => name !== 'Host' || isHost(actor))
    .map((role) => ({ ...role }));

export function detailOf(addresses: PictureAddresses, actor: Actor, user: User): UserDetail {
  const role = roles.find(({ name }) => name === user.role);
  const choices = may(actor, 'users:listRoles') ? choicesOf(actor, user.isPartner) : [];
  return {
    id: user.id,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: nameOf(user),
    emailAddress: user.email,
    currentUserRoleID: role?.id ?? 0,
    roleName: user.role,
    // Includes the current role, so that the form can show it.
    userRoles: role && !choices.some(({ id }) => id === role.id) ? [{ ...role }, ...choices] : choices,
    clientOrganizationID: user.organisationId,
    clientOrganizationName: user.organisationName,
    isDeleted: user.isDeleted,
    mfaIsSet: user.mfaIsSet,
    phoneNumber: user.phoneNumber,
    profileURL: addresses.urlOf(user.id, user.pictureVersion),
    lastSignInAt: user.lastSignInAt?.toISOString() ?? null,
    createdAt: user.createdAt.toISOString(),
    isInvited: user.isInvited,
    can: {
      edit: canEditUser(actor, user),
      editPhoneNumber: canEditPhoneNumber(actor, user),
      changePassword: canChangePassword(actor, user),
      makeLink: may(actor, 'users:create') && canMakeLink(actor, user),
      seeResetMfa: canSeeResetMfa(actor, user),
      resetMfa: canResetMfa(actor, user),
      seeDelete: canSeeDeleteUser(actor),
      delete: canDeleteUser(actor, user),
      reactivate: canReactivateUser(actor, user),
      editPicture: canEditPicture(actor, user),
    },
  };
}

export const rowOf = (addresses: PictureAddresses, user: User): UserRow => ({
  id: user.id,
  displayName: nameOf(user),
  emailAddress: user.email,
  role: user.role,
  clientOrganizationID: user.organisationId,
  clientOrganizationName: user.organisationName,
  state: stateOf(user),
  mfaIsSet: user.mfaIsSet,
  lastSignInAt: user.lastSignInAt?.toISOString() ?? null,
  profileURL: addresses.urlOf(user.id, user.pictureVersion),
});
