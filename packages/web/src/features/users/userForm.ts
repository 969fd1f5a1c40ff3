/** What the forms for users start with and send. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { hostRoleText, type Role, type UserDetail, type usersApi } from '@parapet/contract/users.ts';

export type NewUserValues = NonNullable<InputOf<typeof usersApi.create>['body']>;
export type UserValues = NonNullable<InputOf<typeof usersApi.update>['body']>;

const hostId = 1;

/** Before anything is typed; what is wrong is then said in the specification's words. */
export const passwordHint = 'At least 12 characters, with an upper case and a lower case letter, a number and a symbol.';

/** spec §5: nobody makes a Host here; who is one stays one. */
export const roleFault = (chosen: unknown, present?: number): string | undefined =>
  Number(chosen) === hostId && present !== hostId ? hostRoleText : undefined;

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

/** An invitation carries no password, not even an empty one. */
export function newUserBody({ password, confirmPassword, ...values }: NewUserValues): NewUserValues {
  return values.sendInvitation ? values : { ...values, password, confirmPassword };
}

export const valuesOf = (user: UserDetail): UserValues => ({
  firstName: user.firstName,
  lastName: user.lastName,
  emailAddress: user.emailAddress,
  phoneNumber: user.phoneNumber,
  // 0: a role that is none of the portal's own, which stays as long as nobody chooses another.
  currentUserRoleID: user.currentUserRoleID || undefined,
  clientOrganizationID: user.clientOrganizationID,
});

/** Who may change the phone number only sends nothing else. Address and role ask for a recent sign-in, so they are sent where they change. */
export function bodyOf(user: UserDetail, { emailAddress, currentUserRoleID, ...values }: UserValues): UserValues {
  if (!user.can.edit) return { phoneNumber: values.phoneNumber, clientOrganizationID: values.clientOrganizationID };
  return {
    ...values,
    ...(emailAddress !== user.emailAddress && { emailAddress }),
    ...(currentUserRoleID !== user.currentUserRoleID && { currentUserRoleID }),
  };
}

/** Roles to choose between; the present one is always among them. */
export function roleChoices(roles: readonly Role[], present?: { id: number; name: string }): { value: number; label: string }[] {
  const choices = roles.map(({ id, name }) => ({ value: id, label: name }));
  const isMissing = present && present.id > 0 && !roles.some(({ id }) => id === present.id);
  return isMissing ? [{ value: present.id, label: present.name }, ...choices] : choices;
}

/** Why the user cannot be deleted, where the section is shown but the button is off. */
export function deleteRefusal(user: UserDetail, isSelf: boolean): string | undefined {
  if (user.can.delete) return undefined;
  if (user.isDeleted) return 'This user is already deleted.';
  if (isSelf) return 'Nobody deletes their own account. Ask another administrator.';
  return 'Your role can see this, not delete users. Ask an administrator.';
}
