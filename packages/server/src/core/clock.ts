/** The demo replays its year on a clock of its own. */
import type { Clock } from '@parapet/contract/rules/clock.ts';

export { type Clock, systemClock } from '@parapet/contract/rules/clock.ts';

/** A clock that stands where it was put. */
export function movableClock(start: number): Clock & { moveTo(now: number): void } {
  let current = start;
  return {
    now: () => current,
    moveTo: (now) => {
      current = now;
    },
  };
}
