/** Undo of a change of status by further changes, since a status can't always be followed by the one before. */
import { type CaseStatus, isClosed, nextStatuses } from '@parapet/contract/rules/cases.ts';

/**
 * The shortest way of permitted statuses from the present one back to an earlier one, which ends it. Undefined where that one is closed, which
 * needs its resolution stated again.
 */
export function statusesBack(now: CaseStatus, earlier: CaseStatus): CaseStatus[] | undefined {
  if (isClosed(earlier)) return undefined;
  const seen = new Set<CaseStatus>([now]);
  let ways: CaseStatus[][] = [[]];
  while (ways.length > 0) {
    const longer: CaseStatus[][] = [];
    for (const way of ways) {
      const last = way.at(-1) ?? now;
      if (last === earlier) return way;
      for (const next of nextStatuses[last]) {
        if (isClosed(next) || seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  return undefined;
}
