/** Initial values and request bodies of the user forms. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { roleIds } from '@parapet/contract/rules/values.ts';
import { hostRoleText, type Role, type UserDetail, type usersApi } from '@parapet/contract/users.ts';

export type NewUserValues = NonNullable<InputOf<typeof usersApi.create>['body']>;
export type UserValues = NonNullable<InputOf<typeof usersApi.update>['body']>;

/** Validation error of a chosen role. spec §5: Host can’t be assigned, only kept. */
export const roleFault = (chosen: unknown, present?: number): string | undefined =>
  Number(chosen) === roleIds.host && present !== roleIds.host ? hostRoleText : undefined;

export const newUserValues = (clientOrganizationID: number): NewUserValues => ({
  firstName: '',
  lastName: '',
  emailAddress: '',
  phoneNumber: '',
  UserRoleID: '' as never,
  clientOrganizationID,
  password: '',
  confirmPassword: '',
  sendInvitation: false,
});

/** Request body of a new user. Invitations omit the password fields. */
export function newUserBody({ password, confirmPassword, ...values }: NewUserValues): NewUserValues {
  return values.sendInvitation ? values : { ...values, password, confirmPassword };
}

export const valuesOf = (user: UserDetail): UserValues => ({
  firstName: user.firstName,
  lastName: user.lastName,
  emailAddress: user.emailAddress,
  phoneNumber: user.phoneNumber,
  // 0 is a role unknown to the portal, kept until another is selected.
  currentUserRoleID: user.currentUserRoleID || undefined,
  clientOrganizationID: user.clientOrganizationID,
});

/**
 * Request body of an update. With permission for the phone number only, nothing else is sent. Email address and role require a recent
 * sign-in and are sent only when changed.
 */
export function bodyOf(user: UserDetail, { emailAddress, currentUserRoleID, ...values }: UserValues): UserValues {
  if (!user.can.edit) return { phoneNumber: values.phoneNumber, clientOrganizationID: values.clientOrganizationID };
  return {
    ...values,
    ...(emailAddress !== user.emailAddress && { emailAddress }),
    ...(currentUserRoleID !== user.currentUserRoleID && { currentUserRoleID }),
  };
}

/** Selectable roles, always including the current one. */
export function roleChoices(roles: readonly Role[], present?: { id: number; name: string }): { value: number; label: string }[] {
  const choices = roles.map(({ id, name }) => ({ value: id, label: name }));
  const isMissing = present && present.id > 0 && !roles.some(({ id }) => id === present.id);
  return isMissing ? [{ value: present.id, label: present.name }, ...choices] : choices;
}

/** Reason why the delete button is disabled; undefined when it is enabled. */
export function deleteRefusal(user: UserDetail, isSelf: boolean): string | undefined {
  if (user.can.delete) return undefined;
  if (user.isDeleted) return 'This user is already deleted.';
  if (isSelf) return 'You can’t delete your own account. Ask another administrator.';
  return 'Your role can’t delete users. Ask an administrator.';
}
