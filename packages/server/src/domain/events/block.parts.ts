/** Parts of a block's documents: tables of predicted values and columns. */
import { byArrival, byDevice, byId, byLayout, CorruptBlockError, type Heads } from './block.format.ts';
import { unpackHex } from './block.hex.ts';
import { unpackNumbers } from './block.numbers.ts';
import { numberOf } from './block.positions.ts';
import type { Reader } from './bytes.ts';
import type { Place } from './shred.ts';

export function below(limit: number, value: number): number {
  if (value >= limit) throw new RangeError('A place is unknown.');
  return value;
}

/** Content of a block's documents, as it is stored. */
export interface DocumentParts {
  count: number;
  heads: Heads;
  places: readonly Place[];
  /** Numbers of the place or head that the values of each place mostly repeat, from 1. */
  sources: readonly number[];
  tables: readonly (Table | undefined)[];
  /** Places of the leaves of each layout, and the layout of each event. */
  skeletons: readonly (readonly number[])[];
  skeletonOf: Uint32Array;
  deviceOf(): Uint32Array;
  /** Values of a place, each with a line feed. */
  columnOf(place: number): Buffer;
}

export interface Table {
  by: number;
  readonly values: Map<number, string>;
}

/** Values by layout or device, taken apart at their first use. */
class ContextTable implements Table {
  readonly by: number;
  readonly #contexts: number[];
  readonly #text: Buffer;
  #values: Map<number, string> | undefined;

  constructor(by: number, reader: Reader) {
    this.by = by;
    this.#contexts = numbersOf(reader, reader.number());
    this.#text = reader.take(reader.number());
  }

  get values(): Map<number, string> {
    if (this.#values) return this.#values;
    const values = this.#text.toString('utf8').split('\n');
    if (values.length !== Math.max(this.#contexts.length, 1))
      throw new CorruptBlockError('A table has another number of values.');
    this.#values = new Map(this.#contexts.map((context, at) => [context, values[at]!]));
    return this.#values;
  }
}

function numbersOf(reader: Reader, count: number): number[] {
  const numbers: number[] = [];
  for (let left = count; left > 0; left--) numbers.push(reader.number());
  return numbers;
}

export function readTables(reader: Reader, places: number): (Table | undefined)[] {
  const kinds = [...reader.take(places)];
  return kinds.map((by) => {
    if (by === 0) return undefined;
    if (by === byId || by === byArrival) return { by, values: new Map() };
    if (by !== byLayout && by !== byDevice) throw new RangeError('A table is unknown.');
    return new ContextTable(by, reader);
  });
}

/** Columns of a block, their digits and numbers unpacked at their first use. */
export class Columns {
  readonly #columns: Buffer[];
  readonly #packed = new Map<number, ((column: Buffer) => Buffer)[]>();
  #joined: { bytes: Buffer; ends: number[] } | undefined;

  constructor(reader: Reader, lengths: readonly number[], isPacked: boolean, hasNumbers: boolean) {
    const digits = Array.from({ length: isPacked ? reader.number() : 0 }, () => ({
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
    this.#columns = lengths.map((length) => reader.take(length));
    for (const { place, isUpper, length, form } of digits) {
      const bytes = reader.take(length);
      this.#pack(place, (column) => unpackHex(column, form, isUpper, bytes));
    }
    for (const { place, from, width, length } of numbers) {
      const bytes = reader.take(length);
      this.#pack(place, (column) => unpackNumbers(column, from, width, bytes));
    }
  }

  #pack(place: number, unpack: (column: Buffer) => Buffer): void {
    this.#packed.set(place, [...(this.#packed.get(place) ?? []), unpack]);
  }

  of(place: number): Buffer {
    const packed = this.#packed.get(place);
    if (packed) {
      try {
        for (const unpack of packed) this.#columns[place] = unpack(this.#columns[place]!);
      } catch (error) {
        throw new CorruptBlockError('A column does not hold what was written.', { cause: error });
      }
      this.#packed.delete(place);
    }
    return this.#columns[place]!;
  }

  /** All, one behind the other, with the end of each. */
  joined(): { bytes: Buffer; ends: readonly number[] } {
    if (!this.#joined) {
      const columns = this.#columns.map((_, place) => this.of(place));
      let end = 0;
      this.#joined = { bytes: Buffer.concat(columns), ends: columns.map(({ length }) => (end += length)) };
    }
    return this.#joined;
  }
}

/** Number of each event’s device, in the order in which they first occur; events without one have that of the empty name. */
export function devicesOf(names: readonly (string | null)[]): Uint32Array {
  const known = new Map<string, number>();
  return Uint32Array.from(names, (name) => numberOf(known, name ?? ''));
}
