/** Subtitles of lists: client and timeframe. */
import { allClients } from '@parapet/contract/access.ts';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import type { Scope } from './scope.ts';

export const timeShown = ({ period, timeframe }: Pick<Scope, 'period' | 'timeframe'>) =>
  period ? periodLabel(period) : timeframeLabel(timeframe);

/** "all clients", the client's name, or "your organisation" while that is unknown. */
export const clientLabel = ({ client, clientName }: Pick<Scope, 'client' | 'clientName'>) =>
  client === allClients ? 'all clients' : clientName || 'your organisation';

/** "Detections for Alder Manufacturing · This Month"; without a name for users of a single organisation. */
export function listSubtitle(
  what: string,
  portal: Pick<Scope, 'client' | 'clientName' | 'hasSelector' | 'period' | 'timeframe'>,
): string {
  const whose = !portal.hasSelector
    ? ''
    : portal.client === allClients
      ? ' for all clients'
      : portal.clientName && ` for ${portal.clientName}`;
  return `${what}${whose} · ${timeShown(portal)}`;
}

/** Account name without its domain: `DOGWOOD\erosenthal` and `erosenthal@dogwood.example` are both `erosenthal`. */
export const shortUser = (name: string) => /^[^\\]*\\(.+)$/.exec(name)?.[1] ?? /^([^@]+)@/.exec(name)?.[1] ?? name;
