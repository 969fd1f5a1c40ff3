/** Users of the portal (spec §2.5, §3, §5, §6, §7.3). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, listOf, name, nameLine, organisationId, page, results } from './primitives.ts';
import { complexity, complexityText, passwordMaxLength } from './rules/password.ts';
import { maxId, roleIds } from './rules/values.ts';

/** Roles (spec §6) with their ids on the wire. */
export const roles = [
  { id: roleIds.host, name: 'Host' },
  { id: roleIds.administrator, name: 'Administrator' },
  { id: roleIds.manager, name: 'Manager' },
  { id: roleIds.partnerAnalyst, name: 'Partner Analyst' },
  { id: roleIds.analyst, name: 'Analyst' },
] as const;
export type RoleName = (typeof roles)[number]['name'];

/** Roles that a user of such an organisation can have. Host is given by nobody here (spec §5). */
export const rolesOf = (isPartner: boolean): readonly { id: number; name: RoleName }[] =>
  roles.filter((role) => isPartner || (role.name !== 'Host' && role.name !== 'Partner Analyst'));

export const invalidEmailText = 'Please provide a valid email address for this user';
export const hostRoleText = "You don't have permission to make this change.";
export const deactivatedAccountText = 'Email Account already registered under deactive account. Please reactivate account.';
export const signInAgainText = 'Please sign in again to continue';

export const role = z.object({ id: id.describe('Names the role.'), name: name.describe('The role’s name.') });
export type Role = z.infer<typeof role>;

const emailAddress = z.string().trim().max(254).pipe(z.email(invalidEmailText));
const phoneNumber = z
  .string()
  .trim()
  .max(40)
  .regex(/^[+\d\s().\-/x]*$/, 'Write a phone number with digits, spaces and + ( ) - . / only.');
const password = z.string().max(passwordMaxLength, complexityText).regex(complexity, complexityText);

/** What the caller may do with this user, asked of the rules of spec §6. */
const can = z.object({
  edit: z.boolean().describe('Names, email and role.'),
  editPhoneNumber: z.boolean().describe('The phone number.'),
  changePassword: z.boolean().describe('Set a new password.'),
  makeLink: z.boolean().describe('Make a one-time link to set a password by.'),
  seeResetMfa: z.boolean().describe('The section for the second factor is shown.'),
  resetMfa: z.boolean().describe('Reset the second factor.'),
  seeDelete: z.boolean().describe('The section for deleting is shown.'),
  delete: z.boolean().describe('Delete the user.'),
  reactivate: z.boolean().describe('Bring the deleted user back.'),
  editPicture: z.boolean().describe('Upload a profile picture.'),
});

export const userDetail = z.object({
  id: id.describe('Names the user.'),
  firstName: line.describe('First name.'),
  lastName: line.describe('Last name; empty for somebody who has only one.'),
  displayName: line.describe('First and last name, as shown.'),
  emailAddress: line.describe('The address that the user signs in with.'),
  currentUserRoleID: z.number().int().min(0).max(maxId).describe('The role’s id; 0 for a role that is none of the portal’s own.'),
  roleName: line.describe('The role’s name.'),
  userRoles: z.array(role).max(20).describe('Roles that the caller may choose between.'),
  clientOrganizationID: organisationId.describe('The user’s organisation.'),
  clientOrganizationName: name.describe('The organisation’s name.'),
  isDeleted: z.boolean().describe('Whether the account was deleted.'),
  mfaIsSet: z.boolean().describe('Whether a second factor is set up.'),
  phoneNumber: line.describe('Phone number; empty when there is none.'),
  profileURL: line.describe('Signed path of the profile picture on this origin; empty when there is none.'),
  lastSignInAt: instant.nullable().describe('The last sign-in; null before the first.'),
  createdAt: instant.describe('When the account was made.'),
  isInvited: z.boolean().describe('Whether the account waits for its first password.'),
  can: can.describe('What the caller may do with this user.'),
});
export type UserDetail = z.infer<typeof userDetail>;

export const userRow = z.object({
  id: id.describe('Names the user.'),
  displayName: line.describe('First and last name.'),
  emailAddress: line.describe('The address that the user signs in with.'),
  role: line.describe('The role’s name.'),
  clientOrganizationID: organisationId.describe('The user’s organisation.'),
  clientOrganizationName: name.describe('The organisation’s name.'),
  state: z.enum(['active', 'invited', 'deleted']).describe('active, invited (no password yet) or deleted.'),
  mfaIsSet: z.boolean().describe('Whether a second factor is set up.'),
  lastSignInAt: instant.nullable().describe('The last sign-in; null before the first.'),
  profileURL: line.describe('Signed path of the profile picture; empty when there is none.'),
});
export type UserRow = z.infer<typeof userRow>;

const userFilter = {
  search: line.optional().describe('Part of a name or an email address.'),
  role: listOf(line).describe('Only these roles.'),
  state: listOf(z.enum(['active', 'invited', 'deleted'])).describe('Only these states; without any, all but deleted ones.'),
  mfa: z.enum(['set', 'unset']).optional().describe('Only users with, or without, a second factor.'),
  sort: z
    .enum(['displayName', 'emailAddress', 'role', 'lastSignInAt', 'clientOrganizationName'])
    .default('displayName')
    .describe('What the list is ordered by.'),
  order: z.enum(['asc', 'desc']).default('asc').describe('Upwards or downwards.'),
};

const formFields = {
  firstName: nameLine.describe('First name.'),
  lastName: nameLine.describe('Last name.'),
  emailAddress: emailAddress.describe('The address to sign in with; {name}@{domain}.'),
  phoneNumber: phoneNumber.optional().describe('Phone number.'),
};
const actorId = z.number().int().optional().describe('Ignored: who asks is known from the session.');

export const usersApi = {
  list: endpoint({
    id: 'users.list',
    method: 'GET',
    path: '/users/:client',
    allow: 'users:read',
    freshness: 'none',
    summary: 'Users of an organisation, or of all in scope (0).',
    params: z.object({ client: clientId.describe('The organisation; 0 for all.') }),
    query: z.object({ ...userFilter, ...page }),
    answer: results(userRow, 200),
  }),
  exportList: endpoint({
    id: 'users.exportList',
    method: 'GET',
    path: '/users/:client/export',
    allow: 'users:read',
    freshness: 'none',
    summary: 'The list of users as a CSV file.',
    params: z.object({ client: clientId.describe('The organisation; 0 for all.') }),
    query: z.object(userFilter),
    answer: nothing,
    answers: 'file',
  }),
  get: endpoint({
    id: 'users.get',
    method: 'GET',
    path: '/user/:clientId/:userId',
    allow: 'users:read',
    freshness: 'none',
    summary: 'One user.',
    params: z.object({
      clientId: clientId.describe('The user’s organisation; 0 for any in scope.'),
      userId: id.describe('The user.'),
    }),
    answer: userDetail,
  }),
  clientRoles: endpoint({
    id: 'users.clientRoles',
    method: 'GET',
    path: '/user/client-roles/:clientId',
    allow: 'users:listRoles',
    freshness: 'none',
    summary: 'Roles that users of an organisation can have.',
    params: z.object({ clientId: id.describe('The organisation.') }),
    answer: results(role, 20),
  }),
  create: endpoint({
    id: 'users.create',
    method: 'POST',
    path: '/user',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary: 'Makes a user, with a password or with an invitation by mail.',
    body: z
      .object({
        ...formFields,
        UserRoleID: id.describe('The role’s id.'),
        clientOrganizationID: organisationId.describe('The organisation.'),
        password: password.optional().describe('The first password; none with an invitation.'),
        confirmPassword: z.string().max(256).optional().describe('The password again.'),
        sendInvitation: z
          .boolean()
          .default(false)
          .describe('Sends a one-time link to set the password by, in place of a password.'),
        currentUserID: actorId,
      })
      .refine((body) => body.sendInvitation || body.password !== undefined, { path: ['password'], message: complexityText })
      .refine((body) => body.sendInvitation || body.password === body.confirmPassword, {
        path: ['confirmPassword'],
        message: "The passwords you entered don't match, please try again",
      }),
    answer: z.object({
      id: z.number().int().min(0).max(maxId).describe('Names the new user; 0 when none was made.'),
      clientOrganizationID: z
        .number()
        .int()
        .min(-1)
        .max(maxId)
        .describe('The organisation; −1: the address belongs to a deactivated account, which can be reactivated.'),
      deactivatedUserID: z.number().int().min(1).max(maxId).nullable().describe('With −1: the deactivated account.'),
    }),
  }),
  update: endpoint({
    id: 'users.update',
    method: 'PUT',
    path: '/user/:id',
    allow: 'users:edit',
    freshness: { needs: 'freshSecondFactor', fields: { emailAddress: 'given', currentUserRoleID: 'given' } },
    summary: 'Changes a user; fields that the caller may not change must be as they are, or left out.',
    params: z.object({ id: id.describe('The user.') }),
    body: z.object({
      firstName: formFields.firstName.optional(),
      lastName: formFields.lastName.optional(),
      emailAddress: formFields.emailAddress.optional(),
      phoneNumber: formFields.phoneNumber,
      currentUserRoleID: id.optional().describe('The role’s id.'),
      clientOrganizationID: organisationId.describe('The user’s organisation, which stays.'),
      currentUserID: actorId,
    }),
    answer: userDetail,
  }),
  changePassword: endpoint({
    id: 'users.changePassword',
    method: 'PUT',
    path: '/user/change-password/:id',
    allow: 'users:changePassword',
    freshness: 'freshSecondFactor',
    summary: 'Sets a new password. Ends the user’s other sessions.',
    params: z.object({ id: id.describe('The user.') }),
    body: z
      .object({
        newPassword: password.describe('The new password.'),
        confirmNewPassword: z.string().max(256).describe('The new password again.'),
        clientOrganizationID: organisationId.describe('The user’s organisation.'),
      })
      .refine((body) => body.newPassword === body.confirmNewPassword, {
        path: ['confirmNewPassword'],
        message: "The passwords you entered don't match, please try again",
      }),
    answer: nothing,
  }),
  resetMfa: endpoint({
    id: 'users.resetMfa',
    method: 'PUT',
    path: '/user/reset-mfa/:id',
    allow: 'users:resetMfa',
    freshness: 'freshSecondFactor',
    summary: 'Forgets the second factor, so that it is set up anew.',
    params: z.object({ id: id.describe('The user.') }),
    answer: nothing,
  }),
  remove: endpoint({
    id: 'users.remove',
    method: 'DELETE',
    path: '/User/:id',
    allow: 'users:remove',
    freshness: 'freshSecondFactor',
    summary: 'Deletes a user: the account stays as deleted, its sessions end.',
    params: z.object({ id: id.describe('The user.') }),
    answer: nothing,
  }),
  reactivate: endpoint({
    id: 'users.reactivate',
    method: 'PUT',
    path: '/user/reactivate/:id',
    allow: 'users:remove',
    freshness: 'freshSecondFactor',
    summary: 'Brings a deleted user back, without a password: an invitation is sent.',
    params: z.object({ id: id.describe('The user.') }),
    answer: userDetail,
  }),
  makeLink: endpoint({
    id: 'users.makeLink',
    method: 'POST',
    path: '/user/link/:id',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary:
      'Makes a one-time link by which the user sets a password, shown once, for installations without a mail server. Ends earlier links; needs a sign-in at most ten minutes old.',
    params: z.object({ id: id.describe('The user.') }),
    answer: z.object({
      url: line.describe('The link; shown this once.'),
      expiresAt: instant.describe('When it stops working.'),
    }),
  }),
  invite: endpoint({
    id: 'users.invite',
    method: 'POST',
    path: '/user/invite/:id',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary: 'Sends the invitation again to a user who has no password yet.',
    params: z.object({ id: id.describe('The user.') }),
    answer: nothing,
  }),
  uploadPicture: endpoint({
    id: 'users.uploadPicture',
    method: 'PUT',
    path: '/user/:id/picture',
    allow: 'pictures:write',
    freshness: 'none',
    summary: 'The user’s profile picture: a square PNG of at most 2 MiB and 1024 × 1024.',
    params: z.object({ id: id.describe('The user.') }),
    upload: { types: ['image/png'], maxBytes: 2 * 1024 * 1024 },
    answer: z.object({ profileURL: line.describe('Signed path of the new picture.') }),
  }),
  removePicture: endpoint({
    id: 'users.removePicture',
    method: 'DELETE',
    path: '/user/:id/picture',
    allow: 'pictures:write',
    freshness: 'none',
    summary: 'Takes the profile picture away.',
    params: z.object({ id: id.describe('The user.') }),
    answer: nothing,
  }),
  picture: endpoint({
    id: 'users.picture',
    method: 'GET',
    path: '/profile-pictures/:file',
    allow: 'anyone',
    freshness: 'none',
    summary: 'A profile picture, by its signed address.',
    params: z.object({
      file: z
        .string()
        .regex(/^\d{1,10}\.png$/)
        .max(14)
        .describe('{userId}.png'),
    }),
    query: z.object({
      until: z.string().max(20).describe('When the address ends, in seconds since 1970.'),
      signature: z.string().max(100).describe('Proves the address.'),
    }),
    answer: nothing,
    answers: 'file',
  }),
};
