/** Columns of whole numbers without order, as ports, process ids and record numbers, as bits: as text they take a quarter more however they are compressed. */

/** Stands for a number that is packed. */
const packedMark = '\x05';
const packedByte = 5;
const lineFeed = 10;
const zero = 48;
/** Fewer gain nothing. */
const minNumbers = 64;
/** Of the values that are no mark: how many are numbers at least. */
const minShare = 0.8;
/** Repeated numbers compress well as they are. */
const [minDistinct, minDistinctOfMany, many] = [0.5, 0.25, 256];
const maxWidth = 30;
const maxNumber = 999_999_999;
const powers = Array.from({ length: maxWidth + 8 }, (_, exponent) => 2 ** exponent);

const whole = /^(?:0|[1-9]\d{0,8})$/;
const isWhole = (value: string): boolean => value.length < 10 && whole.test(value);
const isMark = (value: string): boolean => value.length === 1 && value.charCodeAt(0) < 32;

export interface PackedNumbers {
  /** The smallest number: the others are stored less it. */
  from: number;
  /** Bits of a number. */
  width: number;
  values: string[];
  bits: Buffer;
}

/** Undefined for a column that is better kept as text. */
export function packNumbers(values: readonly string[]): PackedNumbers | undefined {
  if (values.length < minNumbers) return undefined;
  let others = 0;
  const maxOthers = values.length * (1 - minShare);
  const numbers: number[] = [];
  const rest: string[] = [];
  for (const value of values) {
    if (isMark(value)) rest.push(value);
    else if (isWhole(value)) {
      numbers.push(Number(value));
      rest.push(packedMark);
    } else {
      if (++others > maxOthers) return undefined;
      rest.push(value);
    }
  }
  if (numbers.length < minNumbers || numbers.length < (numbers.length + others) * minShare) return undefined;
  const distinct = new Set(numbers).size;
  if (distinct < numbers.length * (distinct > many ? minDistinctOfMany : minDistinct)) return undefined;
  const from = numbers.reduce((a, b) => Math.min(a, b));
  const width = Math.ceil(Math.log2(numbers.reduce((a, b) => Math.max(a, b)) - from + 1));
  return { from, width, values: rest, bits: toBits(numbers, from, width) };
}

function toBits(numbers: readonly number[], from: number, width: number): Buffer {
  const bits = Buffer.alloc(Math.ceil((numbers.length * width) / 8));
  let [held, count, at] = [0, 0, 0];
  for (const number of numbers) {
    held += (number - from) * powers[count]!;
    for (count += width; count >= 8; count -= 8) {
      bits[at++] = held % 256;
      held = Math.floor(held / 256);
    }
  }
  if (count > 0) bits[at] = held;
  return bits;
}

/** The column's text; throws a RangeError if the bits do not fit. */
export function unpackNumbers(text: Buffer, from: number, width: number, bits: Buffer): Buffer {
  if (width < 1 || width > maxWidth || from > maxNumber) throw new RangeError('A number is too large.');
  const column = Buffer.allocUnsafe(text.length + 10 * Math.floor((bits.length * 8) / width));
  const values = powers[width]!;
  let [held, count, used, to] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== packedByte || (at > 0 && text[at - 1] !== lineFeed)) {
      column[to++] = text[at]!;
      continue;
    }
    for (; count < width; count += 8) {
      if (used === bits.length) throw new RangeError('Numbers of a column are missing.');
      held += bits[used++]! * powers[count]!;
    }
    const high = Math.floor(held / values);
    const number = from + held - high * values;
    held = high;
    count -= width;
    to = writeNumber(column, to, number);
  }
  if (used !== bits.length) throw new RangeError('Numbers of a column are left over.');
  return column.subarray(0, to);
}

function writeNumber(column: Buffer, at: number, number: number): number {
  let length = 1;
  for (let power = 10; power <= number; power *= 10) length++;
  let rest = number;
  for (let digit = at + length - 1; digit >= at; digit--) {
    const tens = Math.floor(rest / 10);
    column[digit] = zero + rest - tens * 10;
    rest = tens;
  }
  return at + length;
}
