/** Parts of a block's documents: tables of predicted values and columns. */
import { byArrival, byDevice, byId, byLayout } from './block.format.ts';
import { unpackHex } from './block.hex.ts';
import { unpackNumbers } from './block.numbers.ts';
import { numberOf } from './block.positions.ts';
import type { Reader } from './bytes.ts';

export function below(limit: number, value: number): number {
  if (value >= limit) throw new RangeError('A place is unknown.');
  return value;
}

export interface Table {
  by: number;
  values: Map<number, string>;
}

export function readTables(reader: Reader, places: number): (Table | undefined)[] {
  const kinds = [...reader.take(places)];
  return kinds.map((by) => {
    if (by === 0) return undefined;
    if (by === byId || by === byArrival) return { by, values: new Map() };
    if (by !== byLayout && by !== byDevice) throw new RangeError('A table is unknown.');
    const contexts = Array.from({ length: reader.number() }, () => reader.number());
    const values = reader.text().split('\n');
    if (values.length !== Math.max(contexts.length, 1)) throw new RangeError('A table has another number of values.');
    return { by, values: new Map(contexts.map((context, at) => [context, values[at]!])) };
  });
}

/** Texts of columns, with the digits and numbers of packed ones. */
export function readColumns(reader: Reader, lengths: readonly number[], hasNumbers: boolean): Buffer[] {
  const packed = Array.from({ length: reader.number() }, () => ({
    place: below(lengths.length, reader.number()),
    isUpper: reader.number() === 1,
    length: reader.number(),
    form: reader.text(),
  }));
  const numbers = Array.from({ length: hasNumbers ? reader.number() : 0 }, () => ({
    place: below(lengths.length, reader.number()),
    from: reader.number(),
    width: reader.number(),
    length: reader.number(),
  }));
  const columns = lengths.map((length) => reader.take(length));
  for (const { place, isUpper, length, form } of packed)
    columns[place] = unpackHex(columns[place]!, form, isUpper, reader.take(length));
  for (const { place, from, width, length } of numbers)
    columns[place] = unpackNumbers(columns[place]!, from, width, reader.take(length));
  return columns;
}

/** Number of each event’s device, in the order in which they first occur; events without one have that of the empty name. */
export function devicesOf(names: readonly (string | null)[]): Uint32Array {
  const known = new Map<string, number>();
  return Uint32Array.from(names, (name) => numberOf(known, name ?? ''));
}
