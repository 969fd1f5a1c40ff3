/**
 * Activity baseline of a source and the improbability of a gap. Learnt from the same hour of the week over the last four weeks, with less than a
 * week of history from the same hour of the day; so a laptop that is off at night is normal. Pure.
 */
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { dayMs, hourMs, weekMs } from '@parapet/contract/rules/duration.ts';

export const maxWeeks = 4;
/** History below this gives no baseline. */
const minDays = 2;
/**
 * Improbability of a gap, in nats (−ln of its probability): 1 in 50 is stale, 1 in 160,000 is silent. Gaps shorter than half an hour are never
 * reported.
 */
export const staleFrom = 4;
export const silentFrom = 12;
const shortestMs = hourMs / 2;
/** A source without a baseline is stale after a day. */
const unknownStaleMs = dayMs;
/** Daily cap in nats on a workstation’s silence score; users are away for days. */
const maxOfPersonsDay = 2.5;
/** A gap this many times as long as the longest before is silence, whatever its improbability; at least a week and at most four. */
const timesLongestGap = 3;
const patternMs = { least: weekMs, most: maxWeeks * weekMs };

/** Events by the beginning of their hour, in milliseconds since 1970. */
export type Hours = ReadonlyMap<number, number>;

export interface ActivityBaseline {
  /** Mean events of that hour. */
  expected(hour: number): number;
  /** Improbability of no event in this hour, in nats. */
  surprise(hour: number): number;
  /** Longest time without an event, to the hour. */
  longestGapMs: number;
}

const floorHour = (at: number): number => Math.floor(at / hourMs) * hourMs;

/** From the whole hours before `until`; undefined while there are too few. */
export function baselineOf(hours: Hours, until: number): ActivityBaseline | undefined {
  const end = floorHour(until);
  let first = end;
  for (const hour of hours.keys()) if (hour < first && hour >= end - maxWeeks * weekMs) first = hour;
  const weeks = Math.floor((end - first) / weekMs);
  const period = weeks > 0 ? weekMs : dayMs;
  const periods = weeks > 0 ? weeks : Math.floor((end - first) / dayMs);
  if (weeks === 0 && periods < minDays) return undefined;

  const slots = new Map<number, { events: number; active: number }>();
  const active: number[] = [];
  for (const [hour, events] of hours) {
    if (hour < end - periods * period || hour >= end || events <= 0) continue;
    const slot = slots.get(hour % period) ?? { events: 0, active: 0 };
    slot.events += events;
    slot.active++;
    active.push(hour);
    slots.set(hour % period, slot);
  }
  // Jeffreys’ estimate: bounds the certainty of n out of n by n. All hours together are the better estimate for always-on sources.
  const emptyAt = (active: number, of: number) => -Math.log((of - active + 0.5) / (of + 1));
  const always = emptyAt(active.length, (periods * period) / hourMs);
  active.sort((a, b) => a - b);
  return {
    longestGapMs: Math.max(0, ...active.map((hour, index) => hour - (active[index - 1] ?? hour))),
    expected: (hour) => (slots.get(hour % period)?.events ?? 0) / periods,
    surprise(hour) {
      const slot = slots.get(hour % period);
      if (!slot) return 0;
      // At most the Poisson improbability of the expected number of events.
      return Math.min(slot.events / periods, Math.max(emptyAt(slot.active, periods), always));
    },
  };
}

/** Events that were to be expected between two times. */
export function expectedBetween(usual: ActivityBaseline, from: number, to: number): number {
  let sum = 0;
  for (const { hour, share } of hoursBetween(from, to)) sum += usual.expected(hour) * share;
  return sum;
}

/** Times at which a gap that began at `from` becomes unusual, and silence: improbable, or far longer than any before. */
export function whenQuiet(
  usual: ActivityBaseline | undefined,
  from: number,
  type: DeviceType,
): { staleAt: number; silentAt: number } {
  const gapMs = timesLongestGap * (usual?.longestGapMs ?? 0);
  const latest = from + Math.min(Math.max(gapMs, patternMs.least), patternMs.most);
  if (!usual) return { staleAt: from + unknownStaleMs, silentAt: latest };
  const maxOfDay = type === 'workstation' ? maxOfPersonsDay : Number.POSITIVE_INFINITY;
  const reached: number[] = [];
  let sum = 0;
  let ofDay = 0;
  for (let hour = floorHour(from); hour < latest; hour += hourMs) {
    const share = hour < from ? (hour + hourMs - from) / hourMs : 1;
    if (hour % dayMs === 0) ofDay = 0;
    const surprise = Math.min(usual.surprise(hour) * share, maxOfDay - ofDay);
    for (const limit of [staleFrom, silentFrom].slice(reached.length)) {
      if (sum + surprise < limit) break;
      const within = surprise === 0 ? 0 : (limit - sum) / surprise;
      reached.push(Math.max(Math.round(Math.max(hour, from) + within * share * hourMs), from + shortestMs));
    }
    if (reached.length === 2) break;
    sum += surprise;
    ofDay += surprise;
  }
  const silentAt = Math.min(reached[1] ?? latest, latest);
  return { staleAt: Math.min(reached[0] ?? silentAt, silentAt), silentAt };
}

/** Each hour that is touched, and how much of it. */
function* hoursBetween(from: number, to: number): Generator<{ hour: number; share: number }> {
  for (let hour = floorHour(from); hour < to; hour += hourMs)
    yield { hour, share: (Math.min(to, hour + hourMs) - Math.max(from, hour)) / hourMs };
}
