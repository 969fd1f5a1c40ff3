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
} from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../lib/address.ts';
import { paths } from '../lib/paths.ts';
import { roleHolderOf, session } from '../lib/session.ts';
import { guard, redirects } from './guard.ts';
import { LoadingScreen } from './LoadingScreen.tsx';
import { Logout } from './Logout.tsx';
import { PageFailed } from './PageFailed.tsx';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page has no timeframe selector (spec §2.2). */
    hidesTimeframe?: true;
    /** The client segment may be a device's name (decision 20). */
    takesDevice?: true;
    /** Where a change of client leads, when the page is about one thing. */
    listAt?: 'alerts';
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

const root = createRootRoute({ component: Outlet });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: needs('onlyGuest'),
  component: lazyRouteComponent(() => import('../features/auth/LoginPage.tsx'), 'LoginPage'),
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
const devices = createRoute({
  ...inShell,
  path: '/apps/devices/{-$client}',
  staticData: { hidesTimeframe: true },
  component: lazyRouteComponent(() => import('../features/devices/DevicesPage.tsx'), 'DevicesPage'),
});

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

const routeTree = root.addChildren([
  home,
  login,
  logout,
  unknown,
  shell.addChildren([dashboard, alerts, alert, alertWithoutId, devices, notFound, faq]),
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
