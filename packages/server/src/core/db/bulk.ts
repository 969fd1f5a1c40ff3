/**
 * Inserts of many rows in one statement. Row-level security forbids COPY, so columns are sent as arrays in PostgreSQL’s binary format, one argument
 * of `unnest` per column; parsing them costs no more than COPY (docs/decisions/0010-bulk-writes.md).
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';

const headerLength = 20;
const oids = { text: 25, timestamptz: 1184, integer: 23, uuid: 2950, date: 1082 };
/** PostgreSQL counts from 2000-01-01. */
const epochMs = Date.UTC(2000, 0, 1);

/** One dimension, counted from 1 (array_send in PostgreSQL's arrayfuncs.c). */
function writeHeader(buffer: Buffer, type: keyof typeof oids, count: number, hasNulls: boolean): Buffer {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4);
  buffer.writeInt32BE(oids[type], 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}

/** Elements of one size. */
function fixed<T>(
  type: keyof typeof oids,
  size: number,
  values: readonly T[],
  write: (buffer: Buffer, value: T, at: number) => void,
): RawBuilder<never[]> {
  const buffer = Buffer.allocUnsafe(headerLength + values.length * (4 + size));
  writeHeader(buffer, type, values.length, false);
  let at = headerLength;
  for (const value of values) {
    buffer.writeInt32BE(size, at);
    write(buffer, value, at + 4);
    at += 4 + size;
  }
  return sql<never[]>`${buffer}::${sql.raw(type)}[]`;
}

export interface TextColumnBuilder {
  add(value: string | null | undefined): void;
  column(): RawBuilder<string[]>;
}

/** For a column so long that it is built in turns; `expectedLength` in bytes. U+0000, which PostgreSQL cannot hold, becomes U+FFFD. */
export function textColumnBuilder(expectedLength = 1_024): TextColumnBuilder {
  let buffer = Buffer.allocUnsafe(headerLength + expectedLength);
  let at = headerLength;
  let count = 0;
  let hasNulls = false;
  return {
    add(value) {
      const most = 4 + 3 * (value?.length ?? 0);
      if (at + most > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, at + most));
        buffer.copy(larger, 0, 0, at);
        buffer = larger;
      }
      count++;
      if (value == null) {
        hasNulls = true;
        at = buffer.writeInt32BE(-1, at);
        return;
      }
      const length = buffer.write(value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value, at + 4);
      at = buffer.writeInt32BE(length, at) + length;
    },
    column: () => sql<string[]>`${writeHeader(buffer, 'text', count, hasNulls).subarray(0, at)}::text[]`,
  };
}

/** A column of text, of `null` where a value is missing; U+0000 becomes U+FFFD. */
export function textColumn(values: readonly (string | null | undefined)[]): RawBuilder<string[]> {
  const builder = textColumnBuilder();
  for (const value of values) builder.add(value);
  return builder.column();
}

/** A column of times, in milliseconds since 1970. Throws a RangeError for what is no time. */
export const timeColumn = (values: readonly number[]): RawBuilder<Date[]> =>
  fixed('timestamptz', 8, values, (buffer, value, at) => {
    const microseconds = (Math.trunc(value) - epochMs) * 1000;
    if (!Number.isSafeInteger(microseconds)) throw new RangeError(`${value} is not a time that can be stored.`);
    buffer.writeInt32BE(Math.floor(microseconds / 2 ** 32), at);
    buffer.writeUInt32BE(((microseconds % 2 ** 32) + 2 ** 32) % 2 ** 32, at + 4);
  });

/** Throws a RangeError beyond 32 bits. */
export const integerColumn = (values: readonly number[]): RawBuilder<number[]> =>
  fixed('integer', 4, values, (buffer, value, at) => buffer.writeInt32BE(value, at));

export const uuidColumn = (values: readonly string[]): RawBuilder<string[]> =>
  fixed('uuid', 16, values, (buffer, value, at) => {
    if (buffer.write(value.replaceAll('-', ''), at, 'hex') !== 16) throw new RangeError(`${value.slice(0, 50)} is no uuid.`);
  });

/** Days, each given by a time within it (UTC), in milliseconds since 1970. */
export const dateColumn = (values: readonly number[]): RawBuilder<string[]> =>
  fixed('date', 4, values, (buffer, value, at) => buffer.writeInt32BE(Math.floor((value - epochMs) / dayMs), at));
