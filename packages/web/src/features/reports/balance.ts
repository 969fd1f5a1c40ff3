/** Sums of the reconciliation by day or by client. */
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';

export type Sums = Omit<ReconciliationDay, 'date' | 'clientOrganizationID' | 'clientOrganizationName'>;
export interface Group {
  key: string;
  /** First day of the group; names its client or date. */
  first: ReconciliationDay;
  sums: Sums;
}

const counts = [
  'received',
  'stored',
  'duplicate',
  'dead',
  'raised',
  'shown',
  'folded',
  'suppressed',
  'autoClosed',
  'inCase',
] as const;
export type Count = (typeof counts)[number];

export const droppedOf = ({ dropped }: Pick<Sums, 'dropped'>): number => dropped.reduce((sum, { count }) => sum + count, 0);

export function addUp(days: readonly Sums[]): Sums {
  const sums = Object.fromEntries(counts.map((name) => [name, days.reduce((sum, day) => sum + day[name], 0)])) as Record<
    Count,
    number
  >;
  const reasons = new Map<string, number>();
  for (const { dropped } of days)
    for (const { reason, count } of dropped) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  const dropped = [...reasons].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
  return { ...sums, dropped, isBalanced: days.every(({ isBalanced }) => isBalanced) };
}

/** Groups in order of first appearance. */
export function groupsOf(days: readonly ReconciliationDay[], keyOf: (day: ReconciliationDay) => string): Group[] {
  const groups = new Map<string, ReconciliationDay[]>();
  for (const day of days) {
    const key = keyOf(day);
    const group = groups.get(key);
    if (group) group.push(day);
    else groups.set(key, [day]);
  }
  return [...groups].map(([key, group]) => ({ key, first: group[0]!, sums: addUp(group) }));
}

export const byDay = (days: readonly ReconciliationDay[]): Group[] =>
  groupsOf(days, ({ date }) => date).sort((a, b) => (a.key < b.key ? 1 : -1));
export const byClient = (days: readonly ReconciliationDay[]): Group[] =>
  groupsOf(days, ({ clientOrganizationID }) => String(clientOrganizationID)).sort((a, b) => b.sums.received - a.sums.received);
