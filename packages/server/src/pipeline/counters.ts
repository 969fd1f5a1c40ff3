/** How many events met which fate (received, stored, duplicate, a reason), by the UTC day of their arrival: what people see of the intake. */
import { dateOf } from '../domain/ranges.ts';

/** Day → outcome → events. */
export type Tally = Map<string, Map<string, number>>;

export function addTo(tally: Tally, at: number, outcome: string, count = 1): void {
  const date = dateOf(at);
  const ofDay = tally.get(date);
  if (ofDay) ofDay.set(outcome, (ofDay.get(outcome) ?? 0) + count);
  else tally.set(date, new Map([[outcome, count]]));
}

export const copyOf = (tally: Tally): Tally => new Map([...tally].map(([date, outcomes]) => [date, new Map(outcomes)]));
