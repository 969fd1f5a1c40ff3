/** Rejects events reserved for the portal: a shipper could otherwise report sources as silent or hide that they are. */
import type { Event } from '../event.ts';
import { isObject } from '../normalise/doc.ts';
import { dead, ok, type Result } from '../result.ts';

const ownPrefix = /^\s*portal\./i;

export function reserve({ arrival, document }: Event): Result {
  if (arrival.isPortals) return ok;
  const dataset = isObject(document.event) ? document.event.dataset : undefined;
  const isOwn = [dataset].flat().some((name) => typeof name === 'string' && ownPrefix.test(name));
  return isOwn
    ? dead('reserved', 'Datasets that begin with "portal." are the portal’s own. Give event.dataset another name.')
    : ok;
}
