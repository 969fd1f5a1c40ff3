/** Arithmetic of the reconciliation. Pure; the only place where separate counts are added up. */
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Range } from '../../domain/ranges.ts';

/** Counts as recorded: events by outcome at ingest and in the pipeline, alerts when raised, suppressed or added to a case. */
export interface Counted {
  /** Outcome → events: received, stored, duplicate, a reason of dead letters, any other reason. */
  intake: Readonly<Record<string, number>>;
  /** Alerts of the day, as in lists and figures. */
  alerts: number;
  /** raised, folded, suppressed, inCase, autoClosed. */
  dispositions: Readonly<Record<string, number>>;
}

export type Sums = Omit<ReconciliationDay, 'date' | 'clientOrganizationID' | 'clientOrganizationName'>;

export const emptySums: Sums = {
  received: 0,
  stored: 0,
  duplicate: 0,
  dropped: [],
  dead: 0,
  raised: 0,
  shown: 0,
  folded: 0,
  suppressed: 0,
  autoClosed: 0,
  inCase: 0,
  isBalanced: true,
};

const total = (counts: readonly { count: number }[]): number => counts.reduce((sum, { count }) => sum + count, 0);

/** True when both sums balance; nothing is adjusted. */
const agrees = (sums: Sums): boolean =>
  sums.received === sums.stored + sums.duplicate + total(sums.dropped) + sums.dead &&
  sums.raised === sums.shown + sums.folded + sums.suppressed + sums.autoClosed + sums.inCase &&
  sums.shown >= 0;

/** Shows negative counts as 0; `isBalanced` reports them. */
const shownCount = (count: number): number => Math.max(0, count);
const maxReasons = 50;

export function sumsOf({ intake, alerts, dispositions }: Counted, deadReasons: ReadonlySet<string>): Sums {
  const { received = 0, stored = 0, duplicate = 0, ...reasons } = intake;
  const entries = Object.entries(reasons).map(([reason, count]) => ({ reason, count }));
  const dropped = entries.filter(({ reason }) => !deadReasons.has(reason));
  const { raised = 0, folded = 0, suppressed = 0, inCase = 0, autoClosed = 0 } = dispositions;
  const sums: Sums = {
    received,
    stored,
    duplicate,
    dropped: topOf(dropped),
    dead: total(entries.filter(({ reason }) => deadReasons.has(reason))),
    raised,
    shown: alerts - suppressed - inCase - autoClosed,
    folded,
    suppressed,
    autoClosed,
    inCase,
    isBalanced: true,
  };
  return {
    ...sums,
    shown: shownCount(sums.shown),
    suppressed: shownCount(suppressed),
    autoClosed: shownCount(autoClosed),
    inCase: shownCount(inCase),
    isBalanced: agrees(sums),
  };
}

/** Most frequent first; reasons beyond the limit form one entry, so that the sum stays. */
function topOf(dropped: readonly { reason: string; count: number }[]): Sums['dropped'] {
  const sorted = [...dropped].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  if (sorted.length <= maxReasons) return sorted;
  const rest = sorted.slice(maxReasons - 1);
  return [...sorted.slice(0, maxReasons - 1), { reason: 'other reasons', count: total(rest) }];
}

/** Sum of several days or organisations. */
export function addUp(all: readonly Sums[]): Sums {
  const reasons = new Map<string, number>();
  for (const { dropped } of all) for (const { reason, count } of dropped) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  const sum = (of: (sums: Sums) => number) => all.reduce((result, sums) => result + of(sums), 0);
  return {
    received: sum((each) => each.received),
    stored: sum((each) => each.stored),
    duplicate: sum((each) => each.duplicate),
    dropped: topOf([...reasons].map(([reason, count]) => ({ reason, count }))),
    dead: sum((each) => each.dead),
    raised: sum((each) => each.raised),
    shown: sum((each) => each.shown),
    folded: sum((each) => each.folded),
    suppressed: sum((each) => each.suppressed),
    autoClosed: sum((each) => each.autoClosed),
    inCase: sum((each) => each.inCase),
    isBalanced: all.every(({ isBalanced }) => isBalanced),
  };
}

/**
 * Rounds a timeframe to UTC days: a month of any zone becomes that month’s days, part of a day that day, and a timeframe up to now includes
 * today. Returns the first day and the one after the last.
 */
export function daysNear({ start, end }: Range, now: number): Range {
  const first = Math.min(Math.round(start / dayMs), Math.floor((end - 1) / dayMs));
  const last = end > now ? Math.ceil(Math.min(end, now + dayMs) / dayMs) : Math.round(end / dayMs);
  return { start: first * dayMs, end: Math.max(last, first + 1) * dayMs };
}
