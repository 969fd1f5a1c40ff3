/** Intake counters: events per outcome (received, stored, duplicate, or a reason) and UTC day of arrival. */
import { dateOf } from '../domain/ranges.ts';

/** Day → outcome → events. */
export type IntakeCounters = Map<string, Map<string, number>>;

export function addToCounter(counters: IntakeCounters, at: number, outcome: string, count = 1): void {
  const date = dateOf(at);
  const ofDay = counters.get(date);
  if (ofDay) ofDay.set(outcome, (ofDay.get(outcome) ?? 0) + count);
  else counters.set(date, new Map([[outcome, count]]));
}

export const copyCounters = (counters: IntakeCounters): IntakeCounters =>
  new Map([...counters].map(([date, outcomes]) => [date, new Map(outcomes)]));
