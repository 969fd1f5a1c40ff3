/** Names, times and numbers of a question, for the queries that have a place for them (`filled.ts`). */
import type { QueryComparison, QueryTime } from '@parapet/contract/rules/query.ts';
import type { Option } from './items.ts';
import type { Segment } from './segments.ts';

export interface NumberMention {
  value: number;
  unit?: 'minutes' | 'percent';
  /** Comparison beside it: "more than 5". */
  compare?: QueryComparison;
  /** "Case 412" */
  isRecord?: boolean;
}

/** Of a question, besides its words. */
export interface Mentions {
  times: QueryTime[];
  names: { options: readonly Option[]; isDenied: boolean }[];
  numbers: NumberMention[];
}

const isNumbered = /^(?:case|alert)$/;

export const denies = ({ items }: Segment): boolean => Boolean(items.not ?? items.except);
const joins = ({ items }: Segment): boolean =>
  Boolean(
    items.preposition ??
      items.filler ??
      items.and ??
      items.or ??
      items.comma ??
      items.value ??
      items.entity ??
      items.that ??
      items.have,
  );
/** After a negation, with nothing but values and what joins them between. */
export function isDeniedAt(segments: readonly Segment[], at: number): boolean {
  let isAfterComma = false;
  for (let before = at - 1; before >= 0; before--) {
    const { items } = segments[before]!;
    // "Except Birch, Cedar", but "not silent, Cedar"
    if (denies(segments[before]!)) return items.except !== undefined || !isAfterComma;
    if (!joins(segments[before]!)) return false;
    isAfterComma ||= items.comma !== undefined;
  }
  return false;
}

const isNamed = ({ items: { value } }: Segment): boolean => value?.isName === true && !value.isGuess;

export function mentionsIn(segments: readonly Segment[]): Mentions {
  const mentioned: Mentions = { times: [], names: [], numbers: [] };
  for (const [at, segment] of segments.entries()) {
    const { time, value, number } = segment.items;
    if (time) {
      if (time.time.label !== 'all time') mentioned.times.push(time.time);
    } else if (isNamed(segment)) mentioned.names.push({ options: value!.options, isDenied: isDeniedAt(segments, at) });
    else if (number) {
      const [before, after] = [segments[at - 1]?.items, segments[at + 1]?.items];
      const compare = before?.compare ?? after?.compare;
      // "Two factor" counts nothing.
      if (/^[a-z]+$/i.test(segment.text) && !after?.entity && !compare) continue;
      // "10+ (more than ten)"
      if (mentioned.numbers.some(({ value: own, unit }) => own === number.value && unit === number.unit)) continue;
      mentioned.numbers.push({
        value: number.value,
        ...(before?.entity && isNumbered.test(before.entity.entity) && !number.unit && !after?.entity && { isRecord: true }),
        ...(number.unit && { unit: number.unit }),
        ...(compare && !compare.isAge && { compare: compare.comparison }),
      });
    }
  }
  return mentioned;
}

/** "30d", with nothing that it is a bound of: the time until now. */
export function durationIn({ times, numbers }: Mentions): NumberMention | undefined {
  const [duration, another] = numbers.filter(({ unit, compare }) => unit === 'minutes' && compare === undefined);
  return times.length === 0 && !another ? duration : undefined;
}

/** A length of time that has no place as a number is a time. */
export function withDurationAsTime(mentioned: Mentions, now: number): Mentions | undefined {
  const duration = durationIn(mentioned);
  if (!duration) return undefined;
  const { value } = duration;
  const label = `the last ${value % 1440 === 0 ? `${value / 1440} days` : `${value / 60} hours`}`;
  const [start, end] = [now - value * 60_000, now].map((at) => new Date(at).toISOString());
  return {
    ...mentioned,
    times: [{ start: start!, end: end!, label }],
    numbers: mentioned.numbers.filter((each) => each !== duration),
  };
}
