/**
 * Applies the live stream to the visible list, as pure steps: a repeat updates its row, an alert not seen yet is counted, everything
 * else is ignored.
 */
import { allClients } from '@parapet/contract/access.ts';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import type { ListScope } from '../../lib/useHeldList.ts';
import type { AlertFilters } from './alertList.ts';

/** Tolerance in ms after the end of the timeframe: the end of a running timeframe moves only every five minutes. */
const rollMs = 10 * 60_000;

const sameText = (a: string | null, b: string) => (a ?? '').toLowerCase() === b.toLowerCase();

/**
 * Matches an alert against the list's filters as the server does. Text search, further techniques of the rule and the outcome are
 * approximations until the list is fetched again.
 */
export function isInList(alert: AlertRow, scope: ListScope, filters: AlertFilters): boolean {
  // Only the server evaluates a query.
  if (filters.query !== undefined) return false;
  if (scope.client !== allClients && alert.clientOrganizationID !== scope.client) return false;
  const at = Date.parse(alert.createdTime);
  if (at < Date.parse(scope.start) || at >= Date.parse(scope.end) + rollMs) return false;
  const device = scope.device || filters.device;
  const has = <T>(list: readonly T[], value: T) => list.length === 0 || list.includes(value);
  if (!has(filters.severity, alert.severity) || !has(filters.rule, alert.ruleID)) return false;
  if (!has(filters.category, alert.category) || !has(filters.status, alert.status)) return false;
  if (!hasDisposition(filters.fate, alert)) return false;
  if (!hasTechnique(filters.technique, alert.mitreTechnique)) return false;
  if (device && !sameText(alert.deviceName, device)) return false;
  if (filters.user && !sameText(alert.userName, filters.user)) return false;
  const text = filters.text.toLowerCase();
  return (
    text === '' ||
    String(alert.id) === text.replace(/^#/, '') ||
    [alert.alertSummary, alert.rule, alert.deviceName, alert.userName].some((part) => part?.toLowerCase().includes(text))
  );
}

/** A new alert belongs to no case yet. */
const hasDisposition = (wanted: AlertFilters['fate'], { count }: AlertRow): boolean =>
  wanted.length === 0 || wanted.includes('shown') || (wanted.includes('folded') && count > 1);

function hasTechnique(wanted: readonly string[], id: string | null): boolean {
  if (wanted.length === 0) return true;
  if (id === null) return wanted.includes('NONE');
  return wanted.some((each) => each === 'ANY' || each === id || id.startsWith(`${each}.`));
}

/** Replaces visible rows by newer versions. Returns the same array when nothing changed, so that nothing is rendered again. */
export function withRepeats(rows: readonly AlertRow[], arrived: ReadonlyMap<number, AlertRow>): readonly AlertRow[] {
  let isChanged = false;
  const next = rows.map((row) => {
    const newer = arrived.get(row.id);
    if (!newer || (newer.count <= row.count && newer.status === row.status)) return row;
    isChanged = true;
    return { ...row, ...newer };
  });
  return isChanged ? next : rows;
}

export interface Known {
  /** Ids on the screen or counted already. */
  ids: ReadonlySet<number>;
  /** Highest visible id where the page shows the newest alerts, else Infinity. */
  newest: number;
}

/** Ids not seen yet. A count above 1 may be the repeat of an old alert, unless its id is above `newest`. */
export function newIds(arrived: Iterable<AlertRow>, known: Known): number[] {
  const ids: number[] = [];
  for (const alert of arrived) if (!known.ids.has(alert.id) && (alert.count === 1 || alert.id > known.newest)) ids.push(alert.id);
  return ids;
}
