/** Every way in and out (spec §7.1, §7.2): password, second factor, single sign-on, stored token, reset; what the portal keeps for a user. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { partnerOrganisation } from './organisations.ts';
import { instant, line, nameLine, organisationId } from './primitives.ts';
import { complexity, passwordMaxLength } from './rules/password.ts';
import { oneProofText, passkeyRequest, proofFields, proofOf } from './secondFactor.proof.ts';

export const emailMinLength = 4;
export const loginPasswordMinLength = 8;
/** spec §5: the server's wrongCode. */
export const wrongCodeText = 'MFA token was not accepted';
export const resetMismatchText = "The passwords you entered don't match, please try again";
export const resetComplexityText =
  "The password you entered doesn't match the complexity requirements, please choose a different password.";

/** What the portal keeps for a user: bounded, because it comes back with every sign-in. */
export const userData = z.object({
  settings: z
    .record(z.string().max(64), z.union([z.string().max(200), z.number(), z.boolean(), z.null()]))
    .refine((settings) => Object.keys(settings).length <= 50, 'There are at most 50 settings.')
    .describe('Look of the portal, as the user chose it.'),
  shortcuts: z.array(z.string().max(64)).max(50).describe('Ids of starred navigation items.'),
});
export type UserData = z.infer<typeof userData>;

export const sessionUser = z.object({
  id: z.number().int().describe('Names the user.'),
  displayName: line.describe('First and last name, as shown.'),
  emailAddress: line.describe('The address that the user signs in with.'),
  role: z.array(z.string().max(50)).max(5).describe('The role’s name is the first element; empty for a guest.'),
  accessToken: z.string().max(4096).describe('The bearer token of further calls.'),
  isPartner: z.boolean().describe('Whether the user’s organisation is a partner (a reseller, or the provider).'),
  clientOrganizationID: organisationId.describe('The user’s own organisation.'),
  logoURL: line.describe('Path of the brand’s logo on this origin; empty for the default brand.'),
  profileURL: line.describe('Path of the profile picture on this origin; empty when there is none.'),
  data: userData.describe('What the portal keeps for the user.'),
  partnerOrg: partnerOrganisation
    .nullable()
    .describe('The partner that looks after the user’s organisation; null where nobody does.'),
});
export type SessionUser = z.infer<typeof sessionUser>;

/** The second step of a sign-in (spec §3). `password` continues this sign-in; it is never the one that was typed (decision 1). */
export const mfaChallenge = z.object({
  nonce: z.string().max(100).describe('Names this sign-in; good for five minutes and one success.'),
  method: z.enum(['authenticator']).describe('Where the code comes from: an authenticator app.'),
  data: line.describe('The account’s name as the authenticator app shows it.'),
  setupNeeded: z.boolean().describe('Whether the authenticator app has to be set up first.'),
  qrCodeImage: z.string().max(40_000).describe('The secret as a QR code, an SVG image; empty when there is nothing to set up.'),
  qrSecret: z.string().max(64).describe('The secret to type by hand; empty when there is nothing to set up.'),
  password: z.string().max(100).describe('Continues this sign-in: to be sent back with the code.'),
  passkey: passkeyRequest.nullable().describe('To use a passkey instead; null where the account has none for this host.'),
  hasRecoveryCodes: z.boolean().describe('Whether a recovery code can be used instead.'),
});
export type MfaChallenge = z.infer<typeof mfaChallenge>;

const email = z.string().trim().min(emailMinLength, `Min character length is ${emailMinLength}`).max(254);
const token = z.string().min(1).max(200);
const newPassword = z.string().max(passwordMaxLength, resetComplexityText).regex(complexity, resetComplexityText);

/** What a reset link leads to (spec §3). */
export const resetForm = z.object({
  email: line.describe('Whose password is set.'),
  expirationDate: instant.describe('When the link ends.'),
  token: token.describe('The link’s own token.'),
});
export type ResetForm = z.infer<typeof resetForm>;

const customerSuccess = 'churnzero';

export const authApi = {
  register: endpoint({
    id: 'auth.register',
    method: 'POST',
    path: '/auth/register',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Asks for an account of one’s own, where registration is on. No session before the address is proved.',
    body: z.object({
      firstName: nameLine.describe('First name.'),
      lastName: nameLine.describe('Last name.'),
      email: email.describe('The address to prove.'),
      company: nameLine.describe('Who the account is for.'),
    }),
    answer: z.object({ access_token: z.null().describe('Always null: the address has to be proved first.') }),
  }),
  authenticate: endpoint({
    id: 'auth.authenticate',
    method: 'POST',
    path: '/auth/authenticate',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Signs in with email and password.',
    body: z.object({
      email: email.describe('The user’s address.'),
      password: z
        .string()
        .min(loginPasswordMinLength, `Min character length is ${loginPasswordMinLength}`)
        .max(256)
        .describe('The user’s password.'),
    }),
    answer: z.object({
      mfaChallenge: mfaChallenge.optional().describe('The second step, where the account has one.'),
      user: sessionUser.optional().describe('Who signed in, where one step was enough.'),
    }),
  }),
  completeMfa: endpoint({
    id: 'auth.completeMfa',
    method: 'POST',
    path: '/auth/complete-mfa',
    allow: 'anyone',
    freshness: 'none',
    summary: 'The second step of a sign-in: a code of the authenticator app, a recovery code or a passkey.',
    body: z
      .object({
        nonce: z.string().min(1).max(100).describe('The challenge’s nonce.'),
        password: z.string().min(1).max(256).describe('The challenge’s password.'),
        ...proofFields,
      })
      .refine((body) => proofOf(body) !== undefined, { path: ['code'], message: oneProofText }),
    answer: z.object({
      user: sessionUser.describe('Who signed in.'),
      recoveryCodesLeft: z.number().int().optional().describe('How many recovery codes are left, where one was used.'),
    }),
  }),
  accessToken: endpoint({
    id: 'auth.accessToken',
    method: 'POST',
    path: '/auth/access-token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Signs in with a stored token, or with the one-time code of single sign-on, and renews it.',
    body: z.object({ accessToken: z.string().min(1).max(4096).describe('The stored token, or the one-time code.') }),
    answer: z.object({ user: sessionUser.describe('Whose token it is, with a fresh one.') }),
  }),
  stepUp: endpoint({
    id: 'auth.stepUp',
    method: 'POST',
    path: '/auth/step-up',
    allow: 'session:use',
    freshness: 'none',
    summary:
      'Confirms the identity of whoever has this session, by exactly one proof; calls that need a recent one can then be made.',
    body: z
      .object({
        password: z.string().min(1).max(256).optional().describe('The user’s password.'),
        ...proofFields,
        code: z
          .string()
          .max(6, wrongCodeText)
          .regex(/^\d{6}$/, wrongCodeText)
          .optional()
          .describe('Six digits of the authenticator app; also proves the second factor, as do the next two.'),
      })
      .refine((body) => (body.password !== undefined) !== (proofOf(body) !== undefined), {
        message: 'Send exactly one of: password, code, recoveryCode, passkey.',
      }),
    answer: z.object({ freshUntil: instant.describe('Until when the proof counts as recent.') }),
  }),
  stepUpSingleSignOn: endpoint({
    id: 'auth.stepUpSingleSignOn',
    method: 'POST',
    path: '/auth/step-up/single-sign-on',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Begins a step-up by the identity provider, which asks again whoever is signed in there; for a window of its own.',
    answer: z.object({ url: z.string().max(8192).describe('Where that window goes.') }),
  }),
  logout: endpoint({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends the session: its tokens are refused from now on.',
    answer: nothing,
  }),
  updateUserData: endpoint({
    id: 'auth.updateUserData',
    method: 'POST',
    path: '/api/auth/user/update',
    prefix: '',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Saves what the portal keeps for oneself: settings and shortcuts.',
    body: z.object({
      user: z
        .object({ data: userData.describe('Settings and shortcuts.') })
        .describe('Oneself; whatever else it carries is ignored.'),
    }),
    answer: z.object({ data: userData.describe('As saved.') }),
  }),
  customerSuccess: endpoint({
    id: 'auth.customerSuccess',
    method: 'GET',
    path: `/auth/${customerSuccess}-auth`,
    allow: 'session:use',
    freshness: 'none',
    summary: 'The address by which one’s own account goes on to the customer-success tool, where that is configured.',
    query: z.object({
      email: line.optional().describe('Ignored: it is always the session’s own.'),
      link: line.optional().describe('The path to come back to.'),
    }),
    answer: z.object({ url: z.string().max(4096).describe('Where to navigate to.') }),
  }),
  singleSignOn: endpoint({
    id: 'auth.singleSignOn',
    method: 'GET',
    path: '/Auth/login/microsoft',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Starts a single sign-on: sends the browser to the identity provider.',
    query: z.object({ redirect_url: line.optional().describe('The path to go to afterwards.') }),
    answer: nothing,
    answers: 'redirect',
  }),
  singleSignOnCallback: endpoint({
    id: 'auth.singleSignOnCallback',
    method: 'GET',
    path: '/Auth/callback/microsoft',
    allow: 'anyone',
    freshness: 'none',
    summary:
      'Where the identity provider sends the browser back to; goes on to the callback page with a one-time code or an error.',
    query: z.object({
      code: z.string().max(4096).optional().describe('The provider’s code.'),
      state: z.string().max(200).optional().describe('What this portal sent along.'),
      error: z.string().max(500).optional().describe('Why the provider refused.'),
    }),
    answer: nothing,
    answers: 'redirect',
  }),
  forgotPassword: endpoint({
    id: 'auth.forgotPassword',
    method: 'POST',
    path: '/user/forgot-password/:resetEmail',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Sends a reset link to an address, when there is an account; the answer is the same when there is none.',
    params: z.object({ resetEmail: email.describe('The account’s address.') }),
    answer: z.object({ message: line.describe('‘Reset email has been sent’.') }),
  }),
  resetForm: endpoint({
    id: 'auth.resetForm',
    method: 'POST',
    path: '/user/reset-pass-form/:token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'What a reset link leads to; unknown, used and ended links answer alike.',
    params: z.object({ token: token.describe('The link’s token.') }),
    answer: resetForm,
  }),
  resetPassword: endpoint({
    id: 'auth.resetPassword',
    method: 'PUT',
    path: '/user/reset-password',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Sets a new password by a reset link, once; ends all sessions of the account.',
    body: z.object({
      formData: z
        .object({ email: line.optional().describe('Ignored.'), token: token.describe('The link’s token.') })
        .describe('The form as it was fetched; its token decides.'),
      newPassword: newPassword.describe('The new password.'),
    }),
    answer: nothing,
  }),
};
