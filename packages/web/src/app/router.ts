/** The router over the routes of spec §2.1. */
import { type AnyRoute, createRouter } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../lib/address.ts';
import { LoadingScreen } from './LoadingScreen.tsx';
import { PageFailed } from './PageFailed.tsx';
import { login, openRoutes } from './routes/open.ts';
import { shellRoutes } from './routes/pages.ts';
import { root } from './routes/root.tsx';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

export const router = createRouter({
  routeTree: root.addChildren([...openRoutes, shellRoutes]),
  parseSearch,
  stringifySearch,
  caseSensitive: false,
  defaultPendingComponent: LoadingScreen,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: PageFailed,
  defaultPreloadStaleTime: 0,
});

/**
 * Fetches the code of the first page and its loader during the token check: the address’s, or without a token the sign-in’s. Fulfils when the
 * loader, the smaller one, is there or cannot be fetched: the page's calls leave before its code has come.
 */
export async function warmUp(hasToken: boolean): Promise<void> {
  const ids = hasToken ? router.matchRoutes(router.latestLocation).map((match) => match.routeId) : [login.id];
  const routes = ids.flatMap((id) => (router.routesById as Record<string, AnyRoute | undefined>)[id] ?? []);
  const loaders = routes.map((route) => route.options.loader?.({ preload: true }));
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => {});
  await Promise.allSettled(loaders);
}
