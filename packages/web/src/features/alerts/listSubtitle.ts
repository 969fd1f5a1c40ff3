/** Whose alerts and of when, in words. */
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import type { Scope } from '../../lib/scope.ts';

export const timeShown = ({ period, timeframe }: Pick<Scope, 'period' | 'timeframe'>) =>
  period ? periodLabel(period) : timeframeLabel(timeframe);

/** "What the rules found for Alder Manufacturing · This Month"; whoever has only one organisation need not be told its name. */
export function listSubtitle(
  what: string,
  portal: Pick<Scope, 'client' | 'clientName' | 'hasSelector' | 'period' | 'timeframe'>,
): string {
  const whose = !portal.hasSelector
    ? ''
    : portal.client === 0
      ? ' for all clients'
      : portal.clientName && ` for ${portal.clientName}`;
  return `${what}${whose} · ${timeShown(portal)}`;
}

/** DOGWOOD\erosenthal and erosenthal@dogwood.example are known by the part that differs; the whole name is on hover and on the page. */
export const shortUser = (name: string) => /^[^\\]*\\(.+)$/.exec(name)?.[1] ?? /^([^@]+)@/.exec(name)?.[1] ?? name;
