/** Authentication (spec §7.1, §7.2): password, MFA, single sign-on, stored token, password reset; and the user's stored settings. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { partnerOrganisation } from './organisations.ts';
import { instant, line, nameLine, organisationId } from './primitives.ts';
import { complexity, passwordMaxLength } from './rules/password.ts';
import { oneProofText, passkeyRequest, proofFields, proofOf } from './secondFactor.proof.ts';

export const emailMinLength = 4;
export const loginPasswordMinLength = 8;
/** Fixed text of spec §5 for a wrong code. */
export const wrongCodeText = 'MFA token was not accepted';
export const resetMismatchText = "The passwords you entered don't match, please try again";
export const resetComplexityText =
  "The password you entered doesn't match the complexity requirements, please choose a different password.";

/** Settings stored for the user; bounded, because every sign-in returns them. */
export const userData = z.object({
  settings: z
    .record(z.string().max(64), z.union([z.string().max(200), z.number(), z.boolean(), z.null()]))
    .refine((settings) => Object.keys(settings).length <= 50, 'At most 50 settings are allowed.')
    .describe('Appearance settings of the user.'),
  shortcuts: z.array(z.string().max(64)).max(50).describe('IDs of starred navigation items.'),
});
export type UserData = z.infer<typeof userData>;

export const sessionUser = z.object({
  id: z.number().int().describe('User ID.'),
  displayName: line.describe('First and last name, as displayed.'),
  emailAddress: line.describe('Sign-in address of the user.'),
  role: z.array(z.string().max(50)).max(5).describe('Role name as the first element; empty for a guest.'),
  accessToken: z.string().max(4096).describe('Bearer token for further requests.'),
  isPartner: z.boolean().describe('True when the user’s organisation is a partner (a reseller, or the provider).'),
  clientOrganizationID: organisationId.describe('Organisation of the user.'),
  clientOrganizationName: line.describe('Name of that organisation.'),
  logoURL: line.describe('Path of the brand’s logo on this origin; empty for the default brand.'),
  profileURL: line.describe('Path of the profile picture on this origin; empty without one.'),
  data: userData.describe('Stored settings of the user.'),
  partnerOrg: partnerOrganisation.nullable().describe('Partner of the user’s organisation; null without one.'),
});
export type SessionUser = z.infer<typeof sessionUser>;

/** MFA challenge (spec §3). `password` is a continuation token, never the typed password. */
export const mfaChallenge = z.object({
  nonce: z.string().max(100).describe('Sign-in nonce, valid for five minutes and one success.'),
  method: z.enum(['authenticator']).describe('Source of the code: an authenticator app.'),
  data: line.describe('Account name as shown by the authenticator app.'),
  setupNeeded: z.boolean().describe('True when the authenticator app has to be set up first.'),
  qrCodeImage: z.string().max(40_000).describe('Secret as a QR code (SVG); empty when already set up.'),
  qrSecret: z.string().max(64).describe('Secret for manual entry; empty when already set up.'),
  password: z.string().max(100).describe('Continuation token, to be returned with the code.'),
  passkey: passkeyRequest.nullable().describe('Passkey alternative; null without a passkey for this host.'),
  hasRecoveryCodes: z.boolean().describe('True when a recovery code can be used instead.'),
});
export type MfaChallenge = z.infer<typeof mfaChallenge>;

const email = z.string().trim().min(emailMinLength, `Min character length is ${emailMinLength}`).max(254);
const token = z.string().min(1).max(200);
const newPassword = z.string().max(passwordMaxLength, resetComplexityText).regex(complexity, resetComplexityText);

/** Form of a reset link (spec §3). */
export const resetForm = z.object({
  email: line.describe('Email address of the account.'),
  expirationDate: instant.describe('Expiry time of the link.'),
  token: token.describe('Token of the link.'),
});
export type ResetForm = z.infer<typeof resetForm>;

const customerSuccess = 'churnzero';

export const authApi = {
  register: endpoint({
    id: 'auth.register',
    route: 'POST /auth/register',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Requests a new account, if registration is enabled. No session is created before the address is verified.',
    body: z.object({
      firstName: nameLine.describe('First name.'),
      lastName: nameLine.describe('Last name.'),
      email: email.describe('Email address to verify.'),
      company: nameLine.describe('Company of the account.'),
    }),
    answer: z.object({ access_token: z.null().describe('Always null: the address has to be verified first.') }),
  }),
  authenticate: endpoint({
    id: 'auth.authenticate',
    route: 'POST /auth/authenticate',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Signs in with email and password.',
    body: z.object({
      email: email.describe('Email address of the user.'),
      password: z
        .string()
        .min(loginPasswordMinLength, `Min character length is ${loginPasswordMinLength}`)
        .max(256)
        .describe('Password of the user.'),
    }),
    answer: z.object({
      mfaChallenge: mfaChallenge.optional().describe('MFA challenge, if the account has one.'),
      user: sessionUser.optional().describe('The signed-in user, if no second step is required.'),
    }),
  }),
  completeMfa: endpoint({
    id: 'auth.completeMfa',
    route: 'POST /auth/complete-mfa',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Completes a sign-in with an authenticator code, a recovery code or a passkey.',
    body: z
      .object({
        nonce: z.string().min(1).max(100).describe('Nonce of the challenge.'),
        password: z.string().min(1).max(256).describe('Password of the challenge.'),
        ...proofFields,
      })
      .refine((body) => proofOf(body) !== undefined, { path: ['code'], message: oneProofText }),
    answer: z.object({
      user: sessionUser.describe('The signed-in user.'),
      recoveryCodesLeft: z.number().int().optional().describe('Remaining recovery codes, after one was used.'),
    }),
  }),
  accessToken: endpoint({
    id: 'auth.accessToken',
    route: 'POST /auth/access-token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Signs in with a stored token or the one-time code of single sign-on, and renews the token.',
    body: z.object({ accessToken: z.string().min(1).max(4096).describe('Stored token, or one-time code.') }),
    answer: z.object({ user: sessionUser.describe('The signed-in user with a new token.') }),
  }),
  stepUp: endpoint({
    id: 'auth.stepUp',
    route: 'POST /auth/step-up',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Confirms the identity of the session’s user by exactly one proof, for requests that need a recent one.',
    body: z
      .object({
        password: z.string().min(1).max(256).optional().describe('Password of the user.'),
        ...proofFields,
        code: z
          .string()
          .max(6, wrongCodeText)
          .regex(/^\d{6}$/, wrongCodeText)
          .optional()
          .describe('Six digits of the authenticator app. Like the next two, it also proves MFA.'),
      })
      .refine((body) => (body.password !== undefined) !== (proofOf(body) !== undefined), {
        message: 'Send exactly one of: password, code, recoveryCode, passkey.',
      }),
    answer: z.object({ freshUntil: instant.describe('Time until which the proof counts as recent.') }),
  }),
  stepUpSingleSignOn: endpoint({
    id: 'auth.stepUpSingleSignOn',
    route: 'POST /auth/step-up/single-sign-on',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Starts a step-up with the identity provider in a separate window, forcing re-authentication.',
    answer: z.object({ url: z.string().max(8192).describe('URL for the new window.') }),
  }),
  logout: endpoint({
    id: 'auth.logout',
    route: 'POST /auth/logout',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Ends the session. Its tokens are refused immediately.',
    answer: nothing,
  }),
  updateUserData: endpoint({
    id: 'auth.updateUserData',
    route: 'POST /api/auth/user/update',
    prefix: '',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Saves the caller’s settings and shortcuts.',
    body: z.object({
      user: z.object({ data: userData.describe('Settings and shortcuts.') }).describe('The caller; other fields are ignored.'),
    }),
    answer: z.object({ data: userData.describe('The saved user.') }),
  }),
  customerSuccess: endpoint({
    id: 'auth.customerSuccess',
    route: `GET /auth/${customerSuccess}-auth`,
    allow: 'session:use',
    freshness: 'none',
    summary: 'Returns the customer-success URL for the caller’s account, if configured.',
    query: z.object({
      email: line.optional().describe('Ignored: always the session’s address.'),
      link: line.optional().describe('Path to return to.'),
    }),
    answer: z.object({ url: z.string().max(4096).describe('URL to navigate to.') }),
  }),
  singleSignOn: endpoint({
    id: 'auth.singleSignOn',
    route: 'GET /Auth/login/microsoft',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Starts single sign-on by redirecting to the identity provider.',
    query: z.object({ redirect_url: line.optional().describe('Path to open after sign-in.') }),
    answer: nothing,
    answers: 'redirect',
  }),
  singleSignOnCallback: endpoint({
    id: 'auth.singleSignOnCallback',
    route: 'GET /Auth/callback/microsoft',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Receives the identity provider’s redirect, then redirects to the callback page with a one-time code or an error.',
    query: z.object({
      code: z.string().max(4096).optional().describe('Authorisation code of the provider.'),
      state: z.string().max(200).optional().describe('State parameter sent by this portal.'),
      error: z.string().max(500).optional().describe('Error code of the provider.'),
    }),
    answer: nothing,
    answers: 'redirect',
  }),
  forgotPassword: endpoint({
    id: 'auth.forgotPassword',
    route: 'POST /user/forgot-password/:resetEmail',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Sends a reset link if the account exists. The response is the same if it does not.',
    params: z.object({ resetEmail: email.describe('Email address of the account.') }),
    answer: z.object({ message: line.describe('‘Reset email has been sent’.') }),
  }),
  resetForm: endpoint({
    id: 'auth.resetForm',
    route: 'POST /user/reset-pass-form/:token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns the form of a reset link. Unknown, used and expired links return the same response.',
    params: z.object({ token: token.describe('Token of the link.') }),
    answer: resetForm,
  }),
  resetPassword: endpoint({
    id: 'auth.resetPassword',
    route: 'PUT /user/reset-password',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Sets a new password with a reset link, once. Ends all sessions of the account.',
    body: z.object({
      formData: z
        .object({ email: line.optional().describe('Ignored.'), token: token.describe('Token of the link.') })
        .describe('The form as fetched; only its token counts.'),
      newPassword: newPassword.describe('New password.'),
    }),
    answer: nothing,
  }),
};
