import { Problem } from '@parapet/contract/problem.ts';
import { hostRoleText, type UserDetail, usersApi } from '@parapet/contract/users.ts';
import { expect, test } from 'vitest';
import { resolverOf } from '../../kit/form.ts';
import {
  bodyOf,
  deleteRefusal,
  type NewUserValues,
  newUserBody,
  newUserValues,
  roleChoices,
  roleFault,
  valuesOf,
} from './userForm.ts';
import { failureText } from './users.queries.ts';

const user = (patch: Partial<UserDetail> = {}, can: Partial<UserDetail['can']> = {}) =>
  ({
    id: 5,
    firstName: 'Ruth',
    lastName: 'Aldana',
    emailAddress: 'ruth@alder.example',
    phoneNumber: '+1 202',
    currentUserRoleID: 3,
    roleName: 'Manager',
    clientOrganizationID: 10,
    isDeleted: false,
    ...patch,
    can: { edit: true, delete: true, ...can },
  }) as UserDetail;

test('rejects assigning Host, allows keeping it', () => {
  expect(roleFault(1)).toBe(hostRoleText);
  expect(roleFault(1, 3)).toBe(hostRoleText);
  expect(roleFault('1', 3)).toBe(hostRoleText);
  expect(roleFault(1, 1)).toBeUndefined();
  expect(roleFault(2)).toBeUndefined();
});

test('validates a new user with the specification’s texts', async () => {
  const check = (values: NewUserValues) =>
    resolverOf<NewUserValues, unknown>(usersApi.create.body, ({ UserRoleID }) => ({ UserRoleID: roleFault(UserRoleID) }))(
      values,
      undefined,
      { fields: {}, shouldUseNativeValidation: false },
    );
  const { errors } = await check(newUserValues(10));
  expect(Object.keys(errors).sort()).toEqual(['UserRoleID', 'emailAddress', 'firstName', 'lastName', 'password']);
  expect(errors.emailAddress?.message).toBe('Please provide a valid email address for this user');
  expect(errors.password?.message).toMatch(/^The password you provided does not meet/);

  const whole = { ...newUserValues(10), firstName: 'A', lastName: 'B', emailAddress: 'a@b.example', UserRoleID: 3 };
  const different = await check({ ...whole, password: 'Correct-Horse-9!', confirmPassword: 'Correct-Horse-8!' });
  expect(different.errors.confirmPassword?.message).toBe("The passwords you entered don't match, please try again");
  const invited = newUserBody({ ...whole, sendInvitation: true });
  expect(invited).not.toHaveProperty('password');
  expect((await check(invited)).errors).toEqual({});
  expect((await check({ ...invited, UserRoleID: 1 })).errors.UserRoleID?.message).toBe(hostRoleText);
});

test('sends permitted fields only, email address and role only when changed', () => {
  const values = { ...valuesOf(user()), phoneNumber: '+1 303', firstName: 'Else' };
  expect(bodyOf(user({}, { edit: false }), values)).toEqual({ phoneNumber: '+1 303', clientOrganizationID: 10 });
  const { emailAddress, currentUserRoleID, ...rest } = values;
  expect(bodyOf(user(), values)).toEqual(rest);
  expect(bodyOf(user({ emailAddress: 'old@acme.example', currentUserRoleID: 4 }), values)).toEqual(values);
  expect(valuesOf(user({ currentUserRoleID: 0 })).currentUserRoleID).toBeUndefined();
});

test('offers the current role always', () => {
  const roles = [{ id: 2, name: 'Administrator' }];
  expect(roleChoices(roles, { id: 1, name: 'Host' })).toEqual([
    { value: 1, label: 'Host' },
    { value: 2, label: 'Administrator' },
  ]);
  expect(roleChoices(roles, { id: 2, name: 'Administrator' })).toHaveLength(1);
  expect(roleChoices(roles, { id: 0, name: 'Visitor' })).toHaveLength(1);
});

test('explains why a user can’t be deleted', () => {
  expect(deleteRefusal(user(), false)).toBeUndefined();
  expect(deleteRefusal(user({ isDeleted: true }, { delete: false }), false)).toMatch(/already deleted/);
  expect(deleteRefusal(user({}, { delete: false }), true)).toMatch(/own account/);
  expect(deleteRefusal(user({}, { delete: false }), false)).toMatch(/Your role/);
});

test('reports ‘MFA Reset failed’ for server errors only', () => {
  expect(failureText(new Problem('unexpected', 'x'), 'MFA Reset failed')).toBe('MFA Reset failed');
  expect(failureText(new Problem('unavailable', 'x'), 'MFA Reset failed')).toBe('MFA Reset failed');
  expect(failureText(new Problem('forbidden', 'Not yours.'), 'MFA Reset failed')).toBe('Not yours.');
});
