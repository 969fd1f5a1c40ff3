/** Counts of a search, added up over its slices. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';

export type TimelineSlice = AnswerOf<typeof eventsApi.timeline>;
export type Counts = Pick<TimelineSlice, 'bars' | 'bucketMinutes' | 'total'>;

export const totalOf = (found: readonly TimelineSlice[]): number => found.reduce((sum, { total }) => sum + total, 0);

/** Bars oldest first; a bar in which a slice ended has both parts. */
export function countsOf(found: readonly TimelineSlice[]): Counts {
  const bars = new Map<string, number>();
  for (const slice of found) for (const { at, count } of slice.bars) bars.set(at, (bars.get(at) ?? 0) + count);
  return {
    bucketMinutes: found[0]?.bucketMinutes ?? 0,
    bars: [...bars].map(([at, count]) => ({ at, count })).sort((a, b) => (a.at < b.at ? -1 : 1)),
    total: totalOf(found),
  };
}
