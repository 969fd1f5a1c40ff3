/** Page components whose code is fetched when they are first opened. */
import { lazyRouteComponent } from '@tanstack/react-router';

/** The code of a page could not be fetched: no connection, or an update removed it. */
export class PageNotFetched extends Error {
  constructor(cause: unknown) {
    super('The page could not be fetched.', { cause });
    this.name = 'PageNotFetched';
  }
}

const reloadKey = 'reloadedAt';
const reloadPauseMs = 10_000;

/** Reloads the document once while the portal responds: an update removed the file, or its fetch was cut off. */
async function reloadOrThrow(cause: unknown): Promise<never> {
  const isReachable = await fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  const isRecent = Date.now() - Number(sessionStorage.getItem(reloadKey) ?? 0) < reloadPauseMs;
  if (!isReachable || isRecent) throw new PageNotFetched(cause);
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
  return new Promise(() => {});
}

/**
 * As `lazyRouteComponent`, which reloads the document whenever a file is missing: offline, that replaces the application by the browser’s
 * error page. Here the route’s error component is shown instead.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => load().catch(reloadOrThrow), name);
