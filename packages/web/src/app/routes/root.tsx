/** The root of all routes: the open page, and Sapphire’s button on pages without the shell (spec §2.2). */
import { createRootRoute, Outlet, useMatches } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { paths } from '../../lib/paths.ts';

const withoutSapphire: readonly string[] = [paths.login(), paths.caseAnswer(), paths.logout()];
const SapphireCorner = lazy(() =>
  import('../shell/SapphireCorner.tsx').then(
    (module): { default: ComponentType } => ({ default: module.SapphireCorner }),
    // Without it the page is still whole.
    () => ({ default: () => null }),
  ),
);

export const root = createRootRoute({ component: Root });

function Root() {
  // The shell has its own button, with client and timeframe.
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
