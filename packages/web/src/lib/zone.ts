/** Milliseconds during which the zone is not looked up again: a look-up takes several, and a page needs the zone tens of times. */
const freshMs = 60_000;
let known: { zone: string; at: number } | undefined;

/** The time zone of the browser; the settings may name another. */
export function browserTimeZone(): string {
  const at = performance.now();
  if (!known || at - known.at > freshMs) known = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC', at };
  return known.zone;
}
