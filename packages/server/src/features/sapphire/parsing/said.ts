/** Names, times and numbers of a question, for the queries that have a place for them (`filled.ts`). */
import type { QueryComparison, QueryTime } from '@parapet/contract/rules/query.ts';
import type { Option } from './items.ts';
import type { Segment } from './segments.ts';

export interface NumberSaid {
  value: number;
  unit?: 'minutes' | 'percent';
  /** As said before it: "more than 5". */
  compare?: QueryComparison;
}

/** Of a question, besides its words. */
export interface Said {
  times: QueryTime[];
  names: { options: readonly Option[]; isDenied: boolean }[];
  numbers: NumberSaid[];
}

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

export function saidIn(segments: readonly Segment[]): Said {
  const said: Said = { times: [], names: [], numbers: [] };
  for (const [at, segment] of segments.entries()) {
    const { time, value, number } = segment.items;
    if (time) {
      if (time.time.label !== 'all time') said.times.push(time.time);
    } else if (isNamed(segment)) said.names.push({ options: value!.options, isDenied: isDeniedAt(segments, at) });
    else if (number) {
      const [before, after] = [segments[at - 1]?.items, segments[at + 1]?.items];
      const compare = before?.compare ?? after?.compare;
      // "Two factor" counts nothing.
      if (/^[a-z]+$/i.test(segment.text) && !after?.entity && !compare) continue;
      // "10+ (more than ten)"
      if (said.numbers.some(({ value: own, unit }) => own === number.value && unit === number.unit)) continue;
      said.numbers.push({
        value: number.value,
        ...(number.unit && { unit: number.unit }),
        ...(compare && !compare.isAge && { compare: compare.comparison }),
      });
    }
  }
  return said;
}

/** "30d", with nothing that it is a bound of: the time until now. */
export function durationIn({ times, numbers }: Said): NumberSaid | undefined {
  const [duration, another] = numbers.filter(({ unit, compare }) => unit === 'minutes' && compare === undefined);
  return times.length === 0 && !another ? duration : undefined;
}

/** A length of time that has no place as a number is a time. */
export function withDurationAsTime(said: Said, now: number): Said | undefined {
  const duration = durationIn(said);
  if (!duration) return undefined;
  const { value } = duration;
  const label = `the last ${value % 1440 === 0 ? `${value / 1440} days` : `${value / 60} hours`}`;
  const [start, end] = [now - value * 60_000, now].map((at) => new Date(at).toISOString());
  return { ...said, times: [{ start: start!, end: end!, label }], numbers: said.numbers.filter((each) => each !== duration) };
}
