/**
 * What the live stream means for the list on the screen, as pure steps: a repeat updates the row it belongs to, an alert that nobody here
 * has seen is counted, everything else is none of this list's business.
 */
import type { AlertRow } from '@parapet/contract/alerts.ts';
import type { AlertFilters } from './alertList.ts';
import type { AlertScope } from './alerts.queries.ts';

/** Beyond this the bar only says "999+"; ids are not kept without end. */
export const maxNew = 999;

/** A timeframe that ends now is given with an end that moves on every five minutes; what arrives just after it still belongs. */
const rollMs = 10 * 60_000;

const sameText = (a: string | null, b: string) => (a ?? '').toLowerCase() === b.toLowerCase();

/** Whether the alert belongs into this list, as the server would say (text search, a rule’s further techniques and what becomes of it are a guess; the server decides when the list is asked again). */
export function isInList(alert: AlertRow, scope: AlertScope, filters: AlertFilters): boolean {
  if (scope.client !== 0 && alert.clientOrganizationID !== scope.client) return false;
  const at = Date.parse(alert.createdTime);
  if (at < Date.parse(scope.start) || at >= Date.parse(scope.end) + rollMs) return false;
  const device = scope.device || filters.device;
  const has = <T>(list: readonly T[], value: T) => list.length === 0 || list.includes(value);
  if (!has(filters.severity, alert.severity) || !has(filters.rule, alert.ruleID)) return false;
  if (!has(filters.category, alert.category) || !has(filters.status, alert.status)) return false;
  if (!hasFate(filters.fate, alert)) return false;
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

/** What was raised just now stands in no case yet. */
const hasFate = (wanted: AlertFilters['fate'], { count }: AlertRow): boolean =>
  wanted.length === 0 || wanted.includes('shown') || (wanted.includes('folded') && count > 1);

function hasTechnique(wanted: readonly string[], id: string | null): boolean {
  if (wanted.length === 0) return true;
  if (id === null) return wanted.includes('NONE');
  return wanted.some((each) => each === 'ANY' || each === id || id.startsWith(`${each}.`));
}

/** Puts newer versions of visible rows in their place; the same array when nothing changed, so that nothing is drawn again. */
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
  /** The highest id on the screen, where the screen shows the newest: then a higher one was raised since. Else Infinity. */
  newest: number;
}

/** Ids that nobody here has seen. A count above 1 may be an old alert's repeat, unless its id is newer than all there was. */
export function newIds(arrived: Iterable<AlertRow>, known: Known): number[] {
  const ids: number[] = [];
  for (const alert of arrived) if (!known.ids.has(alert.id) && (alert.count === 1 || alert.id > known.newest)) ids.push(alert.id);
  return ids;
}
