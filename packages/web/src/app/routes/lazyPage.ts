/** Page components whose code is fetched when they are first opened. */
import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a page could not be fetched: no connection, or an update removed it. */
export class PageNotFetched extends Error {
  constructor(cause: unknown) {
    super('The page could not be fetched.', { cause });
    this.name = 'PageNotFetched';
  }
}

/**
 * As `lazyRouteComponent`, which reloads the document when a file is missing: offline, that replaces the application by the browser’s
 * error page. Here the route’s error component is shown.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new PageNotFetched(cause);
      }),
    name,
  );
