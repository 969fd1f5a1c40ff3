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

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Milliseconds since 1970 of a time that is written as `toISOString` writes it. */
export function timeOf(value: string): number | undefined {
  if (value.length !== 24 || !isoTime.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) || new Date(at).toISOString() !== value ? undefined : at;
}

/** A block whose bytes are not those that were written. */
export class CorruptBlockError extends Error {
  override name = 'CorruptBlockError';
}

/** Texts of events that are made of values of their documents (block.texts.ts). */
export interface MadeTexts {
  at(event: number): string;
  valueOf(event: number, place: number, isName: boolean): string | undefined;
  isCut(event: number): boolean;
  readonly hasCut: boolean;
  mayContain(literal: string): boolean;
}

export interface Heads {
  at: Float64Array;
  receivedAt: Float64Array;
  clockSkew: Int8Array;
  shape: string[];
  deviceName: (string | null)[];
  userName: (string | null)[];
  readonly text: string[];
  /** Of blocks whose documents lack the values that the texts have. */
  texts?: MadeTexts | undefined;
}
