/** Cases of past alerts with and without a change, compared by the alerts that they hold. */
import type { PastCase } from './correlation.past.memory.ts';

export type PastKind = 'lost' | 'gained' | 'joined' | 'split';

export interface PastDifference {
  before: number;
  after: number;
  /** Cases of the first kind share no alert with the other side; `joined` are later cases of several earlier ones, `split` earlier ones of several later. */
  gained: PastCase[];
  lost: PastCase[];
  joined: PastCase[];
  split: PastCase[];
  /** Cases with the same counterpart and other alerts. */
  changed: number;
  /** Alerts that only one side has in a case. */
  alertsIn: number[];
  alertsOut: number[];
}

export function differenceOf(before: readonly PastCase[], after: readonly PastCase[]): PastDifference {
  const [caseBefore, caseAfter] = [byAlert(before), byAlert(after)];
  const others = ({ alertIds }: PastCase, map: ReadonlyMap<number, PastCase>) =>
    new Set(alertIds.flatMap((alertId) => map.get(alertId) ?? []));
  const countedBefore = before.map((each) => ({ each, met: others(each, caseAfter) }));
  const countedAfter = after.map((each) => ({ each, met: others(each, caseBefore) }));
  const withMet = (list: typeof countedBefore, isMeant: (count: number) => boolean) =>
    list.filter(({ met }) => isMeant(met.size)).map(({ each }) => each);
  const isChanged = ({ each, met }: (typeof countedBefore)[number]) => {
    const [other] = met;
    if (!other || met.size > 1 || others(other, caseBefore).size > 1) return false;
    return other.alertIds.length !== each.alertIds.length || each.alertIds.some((id) => caseAfter.get(id) !== other);
  };
  return {
    before: before.length,
    after: after.length,
    gained: withMet(countedAfter, (count) => count === 0),
    lost: withMet(countedBefore, (count) => count === 0),
    joined: withMet(countedAfter, (count) => count > 1),
    split: withMet(countedBefore, (count) => count > 1),
    changed: countedBefore.filter(isChanged).length,
    alertsIn: [...caseAfter.keys()].filter((id) => !caseBefore.has(id)),
    alertsOut: [...caseBefore.keys()].filter((id) => !caseAfter.has(id)),
  };
}

const byAlert = (cases: readonly PastCase[]): Map<number, PastCase> =>
  new Map(cases.flatMap((each) => each.alertIds.map((alertId) => [alertId, each] as const)));
