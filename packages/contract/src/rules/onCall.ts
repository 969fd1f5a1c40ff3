/** Turns of a rota: who is on call when, from spans of shifts and overrides. Times are milliseconds since 1970. */

/** People who are called one after the other. */
export const onCallPlaces = 3;
export const maxOnCallShifts = 100;
export const onCallPreviewDays = 7;
export const maxOverrideDays = 31;
/** Of an organisation, without those that are over. */
export const maxOverrides = 200;

export interface Span {
  place: number;
  userId: number;
  starts: number;
  ends: number;
}

export interface Turn {
  place: number;
  /** Null for a gap. */
  userId: number | null;
  isOverride: boolean;
  starts: number;
  ends: number;
}

/** The span that counts at a place. Overrides count before shifts, the last of the list first; of shifts the first of the list. */
export function onCallSpanAt(
  shifts: readonly Span[],
  overrides: readonly Span[],
  place: number,
  at: number,
): { span: Span | undefined; isOverride: boolean } {
  const covers = (span: Span): boolean => span.place === place && span.starts <= at && at < span.ends;
  const override = overrides.findLast(covers);
  return override ? { span: override, isOverride: true } : { span: shifts.find(covers), isOverride: false };
}

export function onCallAt(...given: Parameters<typeof onCallSpanAt>): Pick<Turn, 'userId' | 'isOverride'> {
  const { span, isOverride } = onCallSpanAt(...given);
  return { userId: span?.userId ?? null, isOverride };
}

/** Turns of a window, by place and time, without a gap between them; a place without any shift or override has none. */
export function onCallTurns(
  shifts: readonly Span[],
  overrides: readonly Span[],
  { from, until }: { from: number; until: number },
): Turn[] {
  const all = [...shifts, ...overrides];
  const places = [...new Set(all.map(({ place }) => place))].sort((one, other) => one - other);
  return places.flatMap((place) => {
    const bounds = all
      .filter((span) => span.place === place)
      .flatMap(({ starts, ends }) => [starts, ends])
      .filter((at) => at > from && at < until);
    const times = [...new Set([from, ...bounds])].sort((one, other) => one - other);
    const turns: Turn[] = [];
    for (const [index, starts] of times.entries()) {
      const now = { place, ...onCallAt(shifts, overrides, place, starts), starts, ends: times[index + 1] ?? until };
      const last = turns.at(-1);
      if (last && last.userId === now.userId && last.isOverride === now.isOverride) last.ends = now.ends;
      else turns.push(now);
    }
    return turns;
  });
}
