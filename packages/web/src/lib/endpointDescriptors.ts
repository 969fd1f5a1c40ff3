/**
 * The endpoints of the sign-in pages, and of pages that emails lead to, as plain data: the contract’s definitions import zod, which these
 * pages must not load. `endpointDescriptors.test.ts` compares them, and the limits and texts, with the contract.
 */
import type { authApi } from '@parapet/contract/auth.ts';
import type { brandApi } from '@parapet/contract/brand.ts';
import type { caseMailsApi } from '@parapet/contract/caseMails.ts';
import type { connectionInvitesApi } from '@parapet/contract/connectionInvites.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import type { mailSubscriptionsApi } from '@parapet/contract/mailSubscriptions.ts';
import type { organisationsApi } from '@parapet/contract/organisations.ts';

/** The part of an endpoint that a call needs, without schemas. */
export type Wire = 'id' | 'method' | 'path' | 'prefix' | 'allow' | 'answers' | 'upload';

const plain = <E extends Endpoint>(wire: Pick<E, Wire>): E => wire as E;
const open = { prefix: '/api/v1', allow: 'anyone', answers: 'json', upload: null } as const;

export const endpointDescriptors = {
  register: plain<typeof authApi.register>({ ...open, id: 'auth.register', method: 'POST', path: '/auth/register' }),
  authenticate: plain<typeof authApi.authenticate>({
    ...open,
    id: 'auth.authenticate',
    method: 'POST',
    path: '/auth/authenticate',
  }),
  completeMfa: plain<typeof authApi.completeMfa>({ ...open, id: 'auth.completeMfa', method: 'POST', path: '/auth/complete-mfa' }),
  accessToken: plain<typeof authApi.accessToken>({ ...open, id: 'auth.accessToken', method: 'POST', path: '/auth/access-token' }),
  logout: plain<typeof authApi.logout>({
    ...open,
    allow: 'session:use',
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
  }),
  stepUp: plain<typeof authApi.stepUp>({
    ...open,
    allow: 'session:use',
    id: 'auth.stepUp',
    method: 'POST',
    path: '/auth/step-up',
  }),
  stepUpSingleSignOn: plain<typeof authApi.stepUpSingleSignOn>({
    ...open,
    allow: 'session:use',
    id: 'auth.stepUpSingleSignOn',
    method: 'POST',
    path: '/auth/step-up/single-sign-on',
  }),
  updateUserData: plain<typeof authApi.updateUserData>({
    ...open,
    prefix: '',
    allow: 'session:use',
    id: 'auth.updateUserData',
    method: 'POST',
    path: '/api/auth/user/update',
  }),
  customerSuccess: plain<typeof authApi.customerSuccess>({
    ...open,
    allow: 'session:use',
    id: 'auth.customerSuccess',
    method: 'GET',
    path: '/auth/churnzero-auth',
  }),
  singleSignOn: plain<typeof authApi.singleSignOn>({
    ...open,
    answers: 'redirect',
    id: 'auth.singleSignOn',
    method: 'GET',
    path: '/Auth/login/microsoft',
  }),
  forgotPassword: plain<typeof authApi.forgotPassword>({
    ...open,
    id: 'auth.forgotPassword',
    method: 'POST',
    path: '/user/forgot-password/:resetEmail',
  }),
  resetForm: plain<typeof authApi.resetForm>({
    ...open,
    id: 'auth.resetForm',
    method: 'POST',
    path: '/user/reset-pass-form/:token',
  }),
  resetPassword: plain<typeof authApi.resetPassword>({
    ...open,
    id: 'auth.resetPassword',
    method: 'PUT',
    path: '/user/reset-password',
  }),
  // The shell calls it on every page; the contract’s module is large.
  getAllClients: plain<typeof organisationsApi.getAllClients>({
    ...open,
    allow: 'organisations:read',
    id: 'organisations.getAllClients',
    method: 'GET',
    path: '/ClientOrganization/GetAllClients',
  }),
  brand: plain<typeof brandApi.get>({ ...open, id: 'brand.get', method: 'GET', path: '/brand' }),
  answerByLink: plain<typeof caseMailsApi.answerByLink>({
    ...open,
    id: 'caseMails.answerByLink',
    method: 'POST',
    path: '/CaseDetails/updateCase',
  }),
  answerNeedsPress: plain<typeof caseMailsApi.answerNeedsPress>({
    ...open,
    id: 'caseMails.answerNeedsPress',
    method: 'POST',
    path: '/CaseDetails/updateCase/asks',
  }),
  openInvite: plain<typeof connectionInvitesApi.open>({
    ...open,
    id: 'connectionInvites.open',
    method: 'POST',
    path: '/connect/open',
  }),
  beginConsent: plain<typeof connectionInvitesApi.consent>({
    ...open,
    id: 'connectionInvites.consent',
    method: 'POST',
    path: '/connect/consent',
  }),
  acceptInvite: plain<typeof connectionInvitesApi.accept>({
    ...open,
    id: 'connectionInvites.accept',
    method: 'POST',
    path: '/connect/accept',
  }),
  unsubscribe: plain<typeof mailSubscriptionsApi.unsubscribe>({
    ...open,
    id: 'mailSubscriptions.unsubscribe',
    method: 'POST',
    path: '/mailsubscriptions/unsubscribe/:token',
  }),
};

/** spec §5, as in the contract's auth.ts and users.ts. */
export const limits = { emailMinLength: 4, loginPasswordMinLength: 8, mfaCodeLength: 6 } as const;
export const texts = {
  wrongCodeText: 'MFA token was not accepted',
  resetMismatchText: "The passwords you entered don't match, please try again",
  resetComplexityText: "The password you entered doesn't match the complexity requirements, please choose a different password.",
  signInAgainText: 'Please sign in again to continue',
} as const;

export const tooShort = (least: number) => `Min character length is ${least}`;
export const tooLong = (most: number) => `Max character length is ${most}`;
