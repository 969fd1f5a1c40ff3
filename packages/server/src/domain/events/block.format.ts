import { minuteMs } from '@parapet/contract/rules/duration.ts';

/** Constants of writer and reader of blocks. */
export const version = 4;
/** Texts stand as they are, apart from the documents. */
export const thirdVersion = 3;
/** Also without times of arrival by number, and without ids and arrivals as predicted values; read as long as blocks of before exist. */
export const secondVersion = 2;
/** Also without predicted values and packed digits. */
export const firstVersion = 1;
/** Bytes that no JSON text without quotes holds: a repeated value, a difference of times, an absent value (and packed digits, block.hex.ts). */
export const same = '\x01';
export const difference = '\x02';
export const absent = '\x03';
/** A value that the event’s layout, device, id or arrival determines. */
export const predicted = '\x04';
/** A value that stands in the event's text; what follows is the rest of one whose beginning stands there. */
export const inText = '\x06';
/** A path whose name stands in the event's text, before the rest of it. */
export const nameInText = '\x07';
/** Determines the values of a place: the layout of the document (its skeleton) or the device. */
export const byLayout = 1;
export const byDevice = 2;
/** The event’s id or the time of its arrival is the value: they need no table. */
export const byId = 3;
export const byArrival = 4;
/** Head values that those of documents repeat: time, text, device and user. Their numbers come before the places of documents. */
export const headPlaces = 4;
export const textPlace = 1;
export const devicePlace = 2;
export const userPlace = 3;

const zero = 48;
/** The number of `length` digits at a place; NaN for other characters. */
function digitsAt(value: string, at: number, length: number): number {
  let number = 0;
  for (let end = at + length; at < end; at++) {
    const digit = value.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = 10 * number + digit;
  }
  return number;
}

const timeLength = 24;
const separators = [
  [4, '-'],
  [7, '-'],
  [10, 'T'],
  [13, ':'],
  [16, ':'],
  [19, '.'],
  [23, 'Z'],
] as const;
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Minutes that were written last, by their last bits. */
const known = Array.from({ length: 64 }, () => ({ minute: Number.NaN, text: '' }));

/** As `toISOString` writes it; events of a block follow each other in time, and have few times each, so most of it is known. */
export function isoTime(at: number): string {
  const rest = at % minuteMs;
  if (!Number.isInteger(at) || rest < 0) return new Date(at).toISOString();
  const minute = known[((at - rest) / minuteMs) & 63]!;
  if (minute.minute !== at - rest) Object.assign(minute, { minute: at - rest, text: new Date(at).toISOString().slice(0, -7) });
  const digits = String(100_000 + rest);
  return `${minute.text}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}

/** Milliseconds since 1970 of a time that is written as `toISOString` writes it. Without Date, which takes ten times as long to read and write it. */
export function timeOf(value: string): number | undefined {
  if (value.length !== timeLength) return undefined;
  for (const [at, separator] of separators) if (value[at] !== separator) return undefined;
  const [year, month, day] = [digitsAt(value, 0, 4), digitsAt(value, 5, 2), digitsAt(value, 8, 2)];
  const [hour, minute, second] = [digitsAt(value, 11, 2), digitsAt(value, 14, 2), digitsAt(value, 17, 2)];
  const milliseconds = digitsAt(value, 20, 3);
  const days = daysOf[month - 1];
  if (days === undefined || !(day >= 1 && day <= days + (month === 2 && isLeap(year) ? 1 : 0))) return undefined;
  // Comparisons with NaN are false. Of years below 100 `Date.UTC` takes the century to be the 20th.
  if (!(year >= 100 && hour < 24 && minute < 60 && second < 60 && milliseconds >= 0)) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
}

/** A block whose bytes are not those that were written. */
export class CorruptBlockError extends Error {
  override name = 'CorruptBlockError';
}

/** Values of a slot, of a place of the documents. */
export interface TextColumn {
  place: number;
  values: readonly string[];
  /** The end of some may stand in the place's column. */
  isCut: boolean;
  /** By value. */
  events(): Uint32Array;
}

/** Texts of events that are made of values of their documents (block.texts.ts). */
export interface MadeTexts {
  at(event: number): string;
  valueOf(event: number, place: number, isName: boolean): string | undefined;
  isCut(event: number): boolean;
  readonly hasCut: boolean;
  mayContain(literal: string): boolean;
  columns(): Iterable<TextColumn>;
}

export interface Heads {
  readonly at: Float64Array;
  readonly receivedAt: Float64Array;
  readonly clockSkew: Int8Array;
  readonly shape: string[];
  readonly deviceName: (string | null)[];
  readonly userName: (string | null)[];
  readonly text: string[];
  /** Of blocks whose documents lack the values that the texts have. */
  readonly texts?: MadeTexts | undefined;
}
