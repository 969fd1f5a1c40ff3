/** Loaders of routes: they send a page’s first queries beside the download of its code, and hold no page back but the first. */
import { fetchGrid } from '../../kit/loadGrid.ts';
import type { PageAddress, PageLoader } from '../../lib/pageLoader.ts';

interface Context {
  preload: boolean;
  location: { pathname: string; search: object };
  params: object;
  route: { fullPath: string };
}
type Send = (page: PageAddress) => Promise<unknown>;

const addressOf = ({ location: { pathname, search }, params, route: { fullPath } }: Context): PageAddress =>
  ({ fullPath, pathname, search, params }) as PageAddress;

/** Milliseconds for which the first page waits for its data: rendering placeholders first would take longer on a slow machine. */
const firstWaitMs = 150;
let isFirst = true;

/** `name`: the page’s function in its feature’s `<feature>.loader.ts`. A preload fetches the code alone. */
export function loaderOf<N extends string>(load: () => Promise<Record<N, PageLoader>>, name: N) {
  let fetched: Send | undefined;
  const fetchCode = async (): Promise<Send> => {
    if (name === 'list') fetchGrid();
    const [loaders, { prefetch }] = await Promise.all([load(), import('../prefetch.ts')]);
    fetched = (page) => prefetch(loaders[name], page);
    return fetched;
  };
  return {
    loader: (context: Context): Promise<unknown> | undefined => {
      if (context.preload) return fetchCode().catch(() => {});
      const waitMs = isFirst ? firstWaitMs : 0;
      isFirst = false;
      // Even a fetched module is imported in a task of its own, behind the rendering of the page.
      const sent = fetched
        ? fetched(addressOf(context))
        : fetchCode().then(
            (send) => send(addressOf(context)),
            // The page sends its queries itself.
            () => {},
          );
      return waitMs > 0 ? Promise.race([sent, new Promise((resolve) => setTimeout(resolve, waitMs))]) : undefined;
    },
    shouldReload: ({ cause }: { cause: string }) => cause === 'enter',
  };
}
