/** Page components whose code is fetched when they are first opened. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type CodeNotFetched, fetchCode } from '../../kit/fetchCode.ts';

const reloadKey = 'reloadedAt';
const reloadPauseMs = 10_000;

/** Reloads the document once while the portal responds: an update removed the file, or its fetch was cut off. */
async function reloadOrThrow(error: CodeNotFetched): Promise<never> {
  const isRecent = Date.now() - Number(sessionStorage.getItem(reloadKey) ?? 0) < reloadPauseMs;
  if (!error.isReachable || isRecent) throw error;
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
  return new Promise(() => {});
}

/**
 * As `lazyRouteComponent`, which reloads the document whenever a file is missing: offline, that replaces the application by the browser’s
 * error page. Here the route’s error component is shown instead.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => fetchCode(load).catch(reloadOrThrow), name);
