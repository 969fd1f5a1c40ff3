/** The time, as something that can be handed in: the demo world replays its year on a clock of its own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

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
