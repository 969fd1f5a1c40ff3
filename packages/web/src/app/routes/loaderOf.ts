/** Loaders of routes: they send a page’s first queries beside the download of its code, and never hold the page back. */
import type { PageAddress, PageLoader } from '../../lib/pageLoader.ts';

interface Context {
  preload: boolean;
  location: { pathname: string; search: object };
  params: object;
  route: { fullPath: string };
}

/** `name`: the page’s function in its feature’s `<feature>.loader.ts`. A preload fetches the code alone. */
export function loaderOf<N extends string>(load: () => Promise<Record<N, PageLoader>>, name: N) {
  return {
    loader: ({ preload, location, params, route }: Context): void => {
      Promise.all([load(), import('../prefetch.ts')])
        .then(([loaders, { prefetch }]) => {
          if (preload) return;
          const { pathname, search } = location;
          prefetch(loaders[name], { fullPath: route.fullPath, pathname, search, params } as PageAddress);
        })
        // The page sends its queries itself.
        .catch(() => {});
    },
    shouldReload: ({ cause }: { cause: string }) => cause === 'enter',
  };
}
