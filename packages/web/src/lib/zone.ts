/** Milliseconds during which the zone is not looked up again: a look-up takes several, and a page needs the zone tens of times. */
const freshMs = 60_000;
/** Temporal, in browsers that have it, names the zone without the tables of a formatter, which take up to 50 ms to load. */
const { Temporal } = globalThis as { Temporal?: { Now: { timeZoneId(): string } } };
const lookUp = (): string => Temporal?.Now.timeZoneId() || Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
let known: { zone: string; at: number } | undefined;

/** The time zone of the browser; the settings may name another. */
export function browserTimeZone(): string {
  const at = performance.now();
  if (!known || at - known.at > freshMs) known = { zone: lookUp(), at };
  return known.zone;
}
