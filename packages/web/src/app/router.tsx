/**
 * The routes (spec §2.1). Every page is loaded when it is gone to; the shell around them with the first. `access` is the group of spec
 * §6 that a route needs; without it a route is open.
 */
import type { AuthGroup } from '@parapet/contract/access.ts';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type ParsedLocation,
  redirect,
  useMatches,
} from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { parseSearch, stringifySearch } from '../lib/address.ts';
import { configRoutes, paths } from '../lib/paths.ts';
import { redirects } from '../lib/redirects.ts';
import { roleHolderOf, session } from '../lib/session.ts';
import { callbackPath } from '../lib/signOn.ts';
import { guard } from './guard.ts';
import { LoadingScreen } from './LoadingScreen.tsx';
import { Logout } from './Logout.tsx';
import { PageFailed } from './PageFailed.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page has no timeframe selector (spec §2.2). */
    hidesTimeframe?: true;
    /** The selector has the last 12 calendar months instead (spec §2.2). */
    isMonthly?: true;
    /** The client segment may be a device's name (decision 20). */
    takesDevice?: true;
    /**
     * The client stands in the query (`client=`), because the path has no place for it: as the choice for further pages too, or only
     * for this page, which is about one thing of that client.
     */
    clientInQuery?: 'kept' | 'passing';
    /** Where a change of client leads, when the page is about one thing. */
    listAt?: 'alerts' | 'cases' | 'devices' | 'response';
  }
  interface Register {
    router: typeof router;
  }
}

const needs =
  (group: AuthGroup) =>
  ({ location, preload }: { location: ParsedLocation; preload: boolean }) => {
    // A pointer over a link goes nowhere yet.
    if (preload) return;
    const state = session.state();
    const who = state.status === 'signedIn' ? roleHolderOf(state.user) : undefined;
    const elsewhere = guard(group, who, location.href, redirects);
    if (elsewhere !== undefined) throw redirect({ href: elsewhere, replace: true });
  };

const to = (path: string) => () => {
  throw redirect({ href: path, replace: true });
};

const root = createRootRoute({ component: Root });

/** spec §2.2: Sapphire’s button is on every page but these. Within the shell it knows what the page shows. */
const withoutSapphire: readonly string[] = [paths.login(), paths.caseAnswer(), paths.logout()];
const SapphireCorner = lazy(() =>
  import('./shell/SapphireCorner.tsx').then(
    (module): { default: ComponentType } => ({ default: module.SapphireCorner }),
    // Without it the page is still whole.
    () => ({ default: () => null }),
  ),
);

function Root() {
  const isBare = useMatches({
    select: (matches) =>
      !matches.some(({ routeId }) => routeId === '/shell') &&
      matches.length > 1 &&
      !withoutSapphire.includes(matches.at(-1)!.fullPath),
  });
  return (
    <>
      <Outlet />
      {isBare && (
        <Suspense>
          <SapphireCorner />
        </Suspense>
      )}
    </>
  );
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: needs('onlyGuest'),
  component: lazyRouteComponent(() => import('../features/auth/LoginPage.tsx'), 'LoginPage'),
});
const singleSignOn = createRoute({
  getParentRoute: () => root,
  path: '/sso-auth',
  beforeLoad: (context) => {
    const { redirect_url: path } = context.search as Record<string, string | undefined>;
    if (!context.preload && path !== undefined) redirects.remember(path);
    needs('onlyGuest')(context);
  },
  component: lazyRouteComponent(() => import('../features/auth/SingleSignOnPage.tsx'), 'SingleSignOnPage'),
});
const singleSignOnCallback = createRoute({
  getParentRoute: () => root,
  path: callbackPath,
  component: lazyRouteComponent(() => import('../features/auth/CallbackPage.tsx'), 'CallbackPage'),
});
const customerSuccess = createRoute({
  getParentRoute: () => root,
  path: '/churnzeroauth',
  component: lazyRouteComponent(() => import('../features/auth/CustomerSuccessPage.tsx'), 'CustomerSuccessPage'),
});
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/passwordReset/$token',
  beforeLoad: needs('onlyGuest'),
  component: lazyRouteComponent(() => import('../features/auth/PasswordResetPage.tsx'), 'PasswordResetPage'),
});
const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  beforeLoad: needs('onlyGuest'),
  component: lazyRouteComponent(() => import('../features/auth/RegisterPage.tsx'), 'RegisterPage'),
});
// Open to everybody, signed in or not (decision 11): what was mailed decides.
const caseAnswer = createRoute({
  getParentRoute: () => root,
  path: paths.caseAnswer(),
  component: lazyRouteComponent(() => import('../features/case-answer/CaseAnswerPage.tsx'), 'CaseAnswerPage'),
});
const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe/$token',
  component: lazyRouteComponent(() => import('../features/mail-subscriptions/UnsubscribePage.tsx'), 'UnsubscribePage'),
});
const logout = createRoute({ getParentRoute: () => root, path: '/logout', component: Logout });
const home = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: to(paths.dashboard()) });
const unknown = createRoute({ getParentRoute: () => root, path: '$', beforeLoad: to(paths.notFound()) });

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
});
const inShell = { getParentRoute: () => shell, beforeLoad: needs('user') } as const;

const dashboard = createRoute({
  ...inShell,
  path: '/apps/dashboard/{-$client}',
  component: lazyRouteComponent(() => import('../features/dashboard/DashboardPage.tsx'), 'DashboardPage'),
});
const riskScore = createRoute({
  ...inShell,
  path: '/apps/risk-score',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/risk/RiskPage.tsx'), 'RiskPage'),
});
const alerts = createRoute({
  ...inShell,
  path: '/apps/alerts/{-$client}',
  staticData: { takesDevice: true },
  component: lazyRouteComponent(() => import('../features/alerts/AlertsPage.tsx'), 'AlertsPage'),
});
const alert = createRoute({
  ...inShell,
  path: '/apps/alert/$id',
  staticData: { listAt: 'alerts' },
  component: lazyRouteComponent(() => import('../features/alerts/AlertPage.tsx'), 'AlertPage'),
});
// decision 20: without an id it is the list.
const alertWithoutId = createRoute({ ...inShell, path: '/apps/alert', beforeLoad: to(paths.alerts()) });
const cases = createRoute({
  ...inShell,
  path: '/apps/cases/{-$client}',
  staticData: { takesDevice: true },
  component: lazyRouteComponent(() => import('../features/cases/CasesPage.tsx'), 'CasesPage'),
});
const oneCase = createRoute({
  ...inShell,
  path: '/apps/case/$id',
  staticData: { listAt: 'cases', hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/cases/CasePage.tsx'), 'CasePage'),
});
// decision 20: without an id it is the list.
const caseWithoutId = createRoute({ ...inShell, path: '/apps/case', beforeLoad: to(paths.cases()) });
const attackIndicators = createRoute({
  ...inShell,
  path: '/apps/attack-indicators/{-$client}',
  component: lazyRouteComponent(() => import('../features/attack/AttackPage.tsx'), 'AttackPage'),
});
const vulnerability = createRoute({
  ...inShell,
  path: '/apps/vulnerability',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/vulnerabilities/VulnerabilityPage.tsx'), 'VulnerabilityPage'),
});
const reporting = createRoute({
  ...inShell,
  path: '/apps/reporting',
  staticData: { isMonthly: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/reports/ReportingPage.tsx'), 'ReportingPage'),
});
const devices = createRoute({
  ...inShell,
  path: '/apps/devices/{-$client}',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/devices/DevicesPage.tsx'), 'DevicesPage'),
});

const responses = createRoute({
  ...inShell,
  path: '/apps/response',
  staticData: { clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/responses/ResponsesPage.tsx'), 'ResponsesPage'),
});
const response = createRoute({
  ...inShell,
  path: '/apps/response/$id',
  staticData: { listAt: 'response', hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/responses/ResponsePage.tsx'), 'ResponsePage'),
});
const device = createRoute({
  ...inShell,
  path: '/apps/device/$client/$name',
  staticData: { listAt: 'devices', hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/devices/DevicePage.tsx'), 'DevicePage'),
});
// decision 20: without a name it is that client's devices.
const deviceWithoutName = createRoute({
  ...inShell,
  path: '/apps/device/{-$client}',
  beforeLoad: ({ params }) => {
    const client = /^\d{1,10}$/.test(params.client ?? '') ? Number(params.client) : undefined;
    throw redirect({ href: paths.devices(client), replace: true });
  },
});
const agents = createRoute({
  ...inShell,
  path: '/apps/agents',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/agents/AgentsPage.tsx'), 'AgentsPage'),
});

const settings = createRoute({
  ...inShell,
  path: '/apps/settings',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage.tsx'), 'SettingsPage'),
});
const users = createRoute({
  ...inShell,
  path: '/apps/users',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/users/UsersPage.tsx'), 'UsersPage'),
});
const profile = createRoute({
  ...inShell,
  path: '/apps/profile/{-$id}',
  staticData: { hidesTimeframe: true, clientInQuery: 'passing' },
  component: lazyRouteComponent(() => import('../features/users/ProfilePage.tsx'), 'ProfilePage'),
});
const clientDetails = createRoute({
  ...inShell,
  path: '/apps/clientdetails/$tab',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/organisations/ClientDetailsPage.tsx'), 'ClientDetailsPage'),
});
const newClient = createRoute({
  ...inShell,
  path: '/apps/clientdetails/create/{-$tab}',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/organisations/NewClientPage.tsx'), 'NewClientPage'),
});
const clientDetailsWithoutTab = createRoute({
  ...inShell,
  path: '/apps/clientdetails',
  beforeLoad: to(paths.clientDetails('general')),
});
const audit = createRoute({
  ...inShell,
  path: '/apps/audit',
  staticData: { clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/audit/AuditPage.tsx'), 'AuditPage'),
});
const outbox = createRoute({
  ...inShell,
  path: '/apps/outbox',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/outbox/OutboxPage.tsx'), 'OutboxPage'),
});
const caseReviews = createRoute({
  ...inShell,
  path: '/apps/casereviews',
  staticData: { clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/reviews/ReviewsPage.tsx'), 'ReviewsPage'),
});
const mailSubscriptions = createRoute({
  ...inShell,
  path: '/apps/mailsubscriptions',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(
    () => import('../features/mail-subscriptions/MailSubscriptionsPage.tsx'),
    'MailSubscriptionsPage',
  ),
});
const suppressions = createRoute({
  ...inShell,
  path: '/apps/suppressions',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/suppressions/SuppressionsPage.tsx'), 'SuppressionsPage'),
});
const events = createRoute({
  ...inShell,
  path: '/apps/events',
  staticData: { clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/events/EventsPage.tsx'), 'EventsPage'),
});
const sapphire = createRoute({
  ...inShell,
  path: '/apps/sapphire',
  staticData: { hidesTimeframe: true, clientInQuery: 'kept' },
  component: lazyRouteComponent(() => import('../features/sapphire/SapphirePage.tsx'), 'SapphirePage'),
});
const intelligence = createRoute({
  ...inShell,
  path: '/apps/intelligence',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/intelligence/IntelligencePage.tsx'), 'IntelligencePage'),
});

// One page a collector: the address alone says which.
const collectorConfigs = Object.values(configRoutes).map((route) =>
  createRoute({
    ...inShell,
    path: `/apps/${route}/{-$client}`,
    staticData: { hidesTimeframe: true },
    component: lazyRouteComponent(() => import('../features/collectors/CollectorPage.tsx'), 'CollectorPage'),
  }),
);

const notFound = createRoute({
  getParentRoute: () => shell,
  path: '/pages/errors/error-404',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/pages/NotFoundPage.tsx'), 'NotFoundPage'),
});
const faq = createRoute({
  getParentRoute: () => shell,
  path: '/pages/faq',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/pages/FaqPage.tsx'), 'FaqPage'),
});

/** Every part of the kit in every state, for those who build screens: in no built bundle. */
const kit = import.meta.env.DEV
  ? [
      createRoute({
        ...inShell,
        path: '/apps/kit',
        staticData: { hidesTimeframe: true },
        component: lazyRouteComponent(() => import('../features/kit/KitPage.tsx'), 'KitPage'),
      }),
    ]
  : [];

const routeTree = root.addChildren([
  home,
  login,
  singleSignOn,
  singleSignOnCallback,
  customerSuccess,
  passwordReset,
  register,
  caseAnswer,
  unsubscribe,
  logout,
  unknown,
  shell.addChildren([
    dashboard,
    alerts,
    alert,
    alertWithoutId,
    cases,
    oneCase,
    caseWithoutId,
    attackIndicators,
    vulnerability,
    reporting,
    riskScore,
    devices,
    device,
    deviceWithoutName,
    agents,
    responses,
    response,
    settings,
    users,
    profile,
    clientDetails,
    newClient,
    clientDetailsWithoutTab,
    audit,
    outbox,
    caseReviews,
    mailSubscriptions,
    suppressions,
    events,
    intelligence,
    sapphire,
    ...collectorConfigs,
    ...kit,
    notFound,
    faq,
  ]),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  caseSensitive: false,
  defaultPendingComponent: LoadingScreen,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: PageFailed,
  defaultPreloadStaleTime: 0,
});

/** Fetches the code of the page that comes, while the token is still being checked: the address's, or, without a token, the sign-in. */
export function warmUp(hasToken: boolean): void {
  const ids = hasToken ? router.matchRoutes(router.latestLocation).map((match) => match.routeId) : [login.id];
  for (const id of ids) {
    const route = (router.routesById as Record<string, AnyRoute | undefined>)[id];
    if (route) void router.loadRouteChunk(route)?.catch(() => {});
  }
}
