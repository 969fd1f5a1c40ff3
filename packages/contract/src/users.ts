/** Users of the portal (spec §2.5, §3, §5, §6, §7.3). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, instant, line, listOf, name, nameLine, organisationId, page, results } from './primitives.ts';
import { queryParam } from './query.ts';
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

/** Roles available in an organisation. Host is never assigned here (spec §5). */
export const rolesOf = (isPartner: boolean): readonly { id: number; name: RoleName }[] =>
  roles.filter((role) => isPartner || (role.name !== 'Host' && role.name !== 'Partner Analyst'));

export const invalidEmailText = 'Please provide a valid email address for this user';
export const hostRoleText = "You don't have permission to make this change.";
export const deactivatedAccountText = 'Email Account already registered under deactive account. Please reactivate account.';
export const signInAgainText = 'Please sign in again to continue';

export const role = z.object({ id: id.describe('Role ID.'), name: name.describe('Role name.') });
export type Role = z.infer<typeof role>;

const emailAddress = z.string().trim().max(254).pipe(z.email(invalidEmailText));
const phoneNumber = z
  .string()
  .trim()
  .max(40)
  .regex(/^[+\d\s().\-/x]*$/, 'Enter a phone number: digits, spaces and + ( ) - . / only.');
const password = z.string().max(passwordMaxLength, complexityText).regex(complexity, complexityText);

/** Permissions of the caller for this user, by the rules of spec §6. */
const can = z.object({
  edit: z.boolean().describe('Edit names, email and role.'),
  editPhoneNumber: z.boolean().describe('Edit the phone number.'),
  changePassword: z.boolean().describe('Set a new password.'),
  makeLink: z.boolean().describe('Create a one-time password link.'),
  seeResetMfa: z.boolean().describe('View the MFA section.'),
  resetMfa: z.boolean().describe('Reset MFA.'),
  seeDelete: z.boolean().describe('View the deletion section.'),
  delete: z.boolean().describe('Delete the user.'),
  reactivate: z.boolean().describe('Reactivate the user.'),
  editPicture: z.boolean().describe('Upload a profile picture.'),
});

export const userDetail = z.object({
  id: id.describe('User ID.'),
  firstName: line.describe('First name.'),
  lastName: line.describe('Last name; empty for a single-name user.'),
  displayName: line.describe('First and last name, as displayed.'),
  emailAddress: line.describe('Sign-in address of the user.'),
  currentUserRoleID: z.number().int().min(0).max(maxId).describe('Role ID; 0 for an unknown role.'),
  roleName: line.describe('Role name.'),
  userRoles: z.array(role).max(20).describe('Assignable roles.'),
  clientOrganizationID: organisationId.describe('Organisation of the user.'),
  clientOrganizationName: name.describe('Organisation name.'),
  isDeleted: z.boolean().describe('True for a deleted account.'),
  mfaIsSet: z.boolean().describe('True when MFA is set up.'),
  phoneNumber: line.describe('Phone number; empty without one.'),
  profileURL: line.describe('Signed path of the profile picture on this origin; empty without one.'),
  lastSignInAt: instant.nullable().describe('Time of the last sign-in; null before the first.'),
  createdAt: instant.describe('Creation time of the account.'),
  isInvited: z.boolean().describe('True while the account has no password.'),
  can: can.describe('Permissions of the caller for this user.'),
});
export type UserDetail = z.infer<typeof userDetail>;

export const userRow = z.object({
  id: id.describe('User ID.'),
  displayName: line.describe('First and last name.'),
  emailAddress: line.describe('Sign-in address of the user.'),
  role: line.describe('Role name.'),
  clientOrganizationID: organisationId.describe('Organisation of the user.'),
  clientOrganizationName: name.describe('Organisation name.'),
  state: z.enum(['active', 'invited', 'deleted']).describe('active, invited (no password yet) or deleted.'),
  mfaIsSet: z.boolean().describe('True when MFA is set up.'),
  lastSignInAt: instant.nullable().describe('Time of the last sign-in; null before the first.'),
  profileURL: line.describe('Signed path of the profile picture; empty without one.'),
});
export type UserRow = z.infer<typeof userRow>;

const userFilter = {
  search: line.optional().describe('Substring of a name or an email address.'),
  role: listOf(line).describe('Filter by role.'),
  state: listOf(z.enum(['active', 'invited', 'deleted'])).describe(
    'Filter by state; defaults to all but deleted, or to any state with a query.',
  ),
  mfa: z.enum(['set', 'unset']).optional().describe('Filter by MFA.'),
  sort: z
    .enum(['displayName', 'emailAddress', 'role', 'lastSignInAt', 'clientOrganizationName'])
    .default('displayName')
    .describe('Sort column.'),
  order: z.enum(['asc', 'desc']).default('asc').describe('Sort order.'),
  query: queryParam('account'),
};

const formFields = {
  firstName: nameLine.describe('First name.'),
  lastName: nameLine.describe('Last name.'),
  emailAddress: emailAddress.describe('Sign-in address, {name}@{domain}.'),
  phoneNumber: phoneNumber.optional().describe('Phone number.'),
};
const actorId = z.number().int().optional().describe('Ignored: the session identifies the user.');

export const usersApi = {
  list: endpoint({
    id: 'users.list',
    route: 'GET /users/:client',
    allow: 'users:read',
    freshness: 'none',
    sensitive: 'users',
    summary: 'Lists the users of an organisation, or of all in scope (0).',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    query: z.object({ ...userFilter, ...page }),
    answer: results(userRow, 200),
  }),
  exportList: endpoint({
    id: 'users.exportList',
    route: 'GET /users/:client/export',
    allow: 'users:read',
    freshness: 'none',
    sensitive: 'users',
    summary: 'Exports the list of users as CSV.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    query: z.object(userFilter),
    answer: nothing,
    answers: 'file',
  }),
  get: endpoint({
    id: 'users.get',
    route: 'GET /user/:clientId/:userId',
    allow: 'users:read',
    freshness: 'none',
    sensitive: 'users',
    summary: 'Returns one user.',
    params: z.object({
      clientId: clientId.describe('Organisation of the user; 0 for any in scope.'),
      userId: id.describe('User ID.'),
    }),
    answer: userDetail,
  }),
  clientRoles: endpoint({
    id: 'users.clientRoles',
    route: 'GET /user/client-roles/:clientId',
    allow: 'users:listRoles',
    freshness: 'none',
    summary: 'Lists the roles available in an organisation.',
    params: z.object({ clientId: id.describe('Organisation ID.') }),
    answer: results(role, 20),
  }),
  create: endpoint({
    id: 'users.create',
    route: 'POST /user',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary: 'Creates a user with a password or an emailed invitation.',
    body: z
      .object({
        ...formFields,
        UserRoleID: id.describe('Role ID.'),
        clientOrganizationID: organisationId.describe('Organisation ID.'),
        password: password.optional().describe('Initial password; omit with an invitation.'),
        confirmPassword: z.string().max(256).optional().describe('Confirmation of the password.'),
        sendInvitation: z.boolean().default(false).describe('Sends a one-time link to set the password, in place of a password.'),
        currentUserID: actorId,
      })
      .refine((body) => body.sendInvitation || body.password !== undefined, { path: ['password'], message: complexityText })
      .refine((body) => body.sendInvitation || body.password === body.confirmPassword, {
        path: ['confirmPassword'],
        message: "The passwords you entered don't match, please try again",
      }),
    answer: z.object({
      id: z.number().int().min(0).max(maxId).describe('ID of the new user; 0 if none was created.'),
      clientOrganizationID: z
        .number()
        .int()
        .min(-1)
        .max(maxId)
        .describe('Organisation ID; −1 when the address belongs to a deactivated account, which can be reactivated.'),
      deactivatedUserID: z.number().int().min(1).max(maxId).nullable().describe('The deactivated account, for −1.'),
    }),
  }),
  update: endpoint({
    id: 'users.update',
    route: 'PUT /user/:id',
    allow: 'users:edit',
    freshness: { needs: 'freshSecondFactor', fields: { emailAddress: 'given', currentUserRoleID: 'given' } },
    summary: 'Updates a user. Fields that the caller cannot edit must be unchanged or omitted.',
    params: z.object({ id: id.describe('User ID.') }),
    body: z.object({
      firstName: formFields.firstName.optional(),
      lastName: formFields.lastName.optional(),
      emailAddress: formFields.emailAddress.optional(),
      phoneNumber: formFields.phoneNumber,
      currentUserRoleID: id.optional().describe('Role ID.'),
      clientOrganizationID: organisationId.describe('Organisation of the user, which cannot change.'),
      currentUserID: actorId,
    }),
    answer: userDetail,
  }),
  changePassword: endpoint({
    id: 'users.changePassword',
    route: 'PUT /user/change-password/:id',
    allow: 'users:changePassword',
    freshness: 'freshSecondFactor',
    summary: 'Sets a new password and ends the user’s other sessions.',
    params: z.object({ id: id.describe('User ID.') }),
    body: z
      .object({
        newPassword: password.describe('New password.'),
        confirmNewPassword: z.string().max(256).describe('Confirmation of the new password.'),
        clientOrganizationID: organisationId.describe('Organisation of the user.'),
      })
      .refine((body) => body.newPassword === body.confirmNewPassword, {
        path: ['confirmNewPassword'],
        message: "The passwords you entered don't match, please try again",
      }),
    answer: nothing,
  }),
  resetMfa: endpoint({
    id: 'users.resetMfa',
    route: 'PUT /user/reset-mfa/:id',
    allow: 'users:resetMfa',
    freshness: 'freshSecondFactor',
    summary: 'Resets MFA, so that it is set up again.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: nothing,
  }),
  remove: endpoint({
    id: 'users.remove',
    route: 'DELETE /User/:id',
    allow: 'users:remove',
    freshness: 'freshSecondFactor',
    summary: 'Deletes a user. The account is retained as deleted and its sessions end.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: nothing,
  }),
  reactivate: endpoint({
    id: 'users.reactivate',
    route: 'PUT /user/reactivate/:id',
    allow: 'users:remove',
    freshness: 'freshSecondFactor',
    summary: 'Reactivates a deleted user without a password and sends an invitation.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: userDetail,
  }),
  makeLink: endpoint({
    id: 'users.makeLink',
    route: 'POST /user/link/:id',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary:
      'Creates a one-time password link, shown once, for installations without a mail server. Invalidates earlier links; requires a sign-in within the last ten minutes.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: z.object({
      url: line.describe('The link, shown once.'),
      expiresAt: instant.describe('Expiry time.'),
    }),
  }),
  invite: endpoint({
    id: 'users.invite',
    route: 'POST /user/invite/:id',
    allow: 'users:create',
    freshness: 'freshSecondFactor',
    summary: 'Resends the invitation to a user without a password.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: nothing,
  }),
  uploadPicture: endpoint({
    id: 'users.uploadPicture',
    route: 'PUT /user/:id/picture',
    allow: 'pictures:write',
    freshness: 'none',
    summary: 'Uploads the profile picture: a square PNG of at most 2 MiB and 1024 × 1024 pixels.',
    params: z.object({ id: id.describe('User ID.') }),
    upload: { types: ['image/png'], maxBytes: 2 * 1024 * 1024 },
    answer: z.object({ profileURL: line.describe('Signed path of the new picture.') }),
  }),
  removePicture: endpoint({
    id: 'users.removePicture',
    route: 'DELETE /user/:id/picture',
    allow: 'pictures:write',
    freshness: 'none',
    summary: 'Deletes the profile picture.',
    params: z.object({ id: id.describe('User ID.') }),
    answer: nothing,
  }),
  picture: endpoint({
    id: 'users.picture',
    route: 'GET /profile-pictures/:file',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns a profile picture by its signed URL.',
    params: z.object({
      file: z
        .string()
        .regex(/^\d{1,10}\.png$/)
        .max(14)
        .describe('{userId}.png'),
    }),
    query: z.object({
      until: z.string().max(20).describe('Expiry time of the URL, in seconds since 1970.'),
      signature: z.string().max(100).describe('Signature of the URL.'),
    }),
    answer: nothing,
    answers: 'file',
  }),
};
