/** Constants of writer and reader of blocks. */
export const version = 1;
/** Bytes that no JSON text without quotes holds: a repeated value, a difference of times, an absent value. */
export const same = '\x01';
export const difference = '\x02';
export const absent = '\x03';
/** Head values that those of documents repeat: time, text, device and user. Their numbers come before the places of documents. */
export const headPlaces = 4;

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

export interface Heads {
  at: Float64Array;
  receivedAt: Float64Array;
  clockSkew: Int8Array;
  shape: string[];
  deviceName: (string | null)[];
  userName: (string | null)[];
  text: string[];
}
