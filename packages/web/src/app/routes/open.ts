/** Routes outside the shell (spec §2.1): the sign-in, what emails lead to, redirects. */
import { createRoute } from '@tanstack/react-router';
import { paths } from '../../lib/paths.ts';
import { redirects } from '../../lib/redirects.ts';
import { callbackPath } from '../../lib/signOn.ts';
import { Logout } from '../Logout.tsx';
import { leadTo, needs } from './guards.ts';
import { lazyPage } from './lazyPage.ts';
import { root } from './root.tsx';

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: needs('onlyGuest'),
  component: lazyPage(() => import('../../features/auth/LoginPage.tsx'), 'LoginPage'),
});
const singleSignOn = createRoute({
  getParentRoute: () => root,
  path: '/sso-auth',
  beforeLoad: (context) => {
    const { redirect_url: path } = context.search as Record<string, string | undefined>;
    if (!context.preload && path !== undefined) redirects.remember(path);
    needs('onlyGuest')(context);
  },
  component: lazyPage(() => import('../../features/auth/SingleSignOnPage.tsx'), 'SingleSignOnPage'),
});
const singleSignOnCallback = createRoute({
  getParentRoute: () => root,
  path: callbackPath,
  component: lazyPage(() => import('../../features/auth/CallbackPage.tsx'), 'CallbackPage'),
});
const customerSuccess = createRoute({
  getParentRoute: () => root,
  path: '/churnzeroauth',
  component: lazyPage(() => import('../../features/auth/CustomerSuccessPage.tsx'), 'CustomerSuccessPage'),
});
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/passwordReset/$token',
  beforeLoad: needs('onlyGuest'),
  component: lazyPage(() => import('../../features/auth/PasswordResetPage.tsx'), 'PasswordResetPage'),
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  beforeLoad: needs('onlyGuest'),
  component: lazyPage(() => import('../../features/auth/RegisterPage.tsx'), 'RegisterPage'),
});
// Open to guests and users: the token of the email decides.
const caseAnswer = createRoute({
  getParentRoute: () => root,
  path: paths.caseAnswer(),
  component: lazyPage(() => import('../../features/case-answer/CaseAnswerPage.tsx'), 'CaseAnswerPage'),
});
const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe/$token',
  component: lazyPage(() => import('../../features/mail-subscriptions/UnsubscribePage.tsx'), 'UnsubscribePage'),
});
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect/$token',
  component: lazyPage(() => import('../../features/connections/ConnectPage.tsx'), 'ConnectPage'),
});
const consentResult = createRoute({
  getParentRoute: () => root,
  path: '/connect/result',
  component: lazyPage(() => import('../../features/connections/ConsentResultPage.tsx'), 'ConsentResultPage'),
});
/** Of a user who is signed in; others sign in first and come back. */
const assistantConsent = createRoute({
  getParentRoute: () => root,
  path: '/assistants/$uid',
  beforeLoad: needs('user'),
  component: lazyPage(() => import('../../features/assistants/AssistantConsentPage.tsx'), 'AssistantConsentPage'),
});
const logout = createRoute({ getParentRoute: () => root, path: '/logout', component: Logout });
const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: leadTo(paths.dashboard()) });
const unknown = createRoute({ getParentRoute: () => root, path: '$', beforeLoad: leadTo(paths.notFound()) });

export const openRoutes = [
  login,
  singleSignOn,
  singleSignOnCallback,
  customerSuccess,
  passwordReset,
  register,
  caseAnswer,
  unsubscribe,
  connect,
  consentResult,
  assistantConsent,
  logout,
  home,
  unknown,
];
