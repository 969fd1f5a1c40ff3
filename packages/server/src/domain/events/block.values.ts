/** Values of the columns of a block, taken apart as far as they are read. */
import { difference, isoTime } from './block.format.ts';

/** Values that the tail of a column holds: those of a page of events. */
const tailValues = 128;
/** Values of a column that are read one by one; of more, taking the column apart is faster. */
const maxSingle = 16;
const lineFeed = 10;
const differenceByte = difference.charCodeAt(0);

interface Cursor {
  /** Number of a value, and the place of its first byte. */
  line: number;
  at: number;
  reads: number;
}

export class Values {
  /** Each value with a line feed behind it. */
  readonly #columnOf: (place: number) => Buffer;
  /** As they are written: times as differences. */
  readonly #all: (string[] | undefined)[] = [];
  readonly #times: (Float64Array | undefined)[] = [];
  /** The last values of places whose others were not read. */
  readonly #tails: (string[] | undefined)[] = [];
  readonly #cursors: (Cursor | undefined)[] = [];

  constructor(columnOf: (place: number) => Buffer) {
    this.#columnOf = columnOf;
  }

  /** With the number of values of the place; undefined where the column ends too early. A page of the newest events needs the last values alone. */
  at(place: number, ordinal: number, count: number): string | undefined {
    const all = this.#all[place];
    if (all) return this.#timed(all, place, ordinal);
    const fromEnd = count - ordinal;
    if (fromEnd <= tailValues) {
      this.#tails[place] ??= this.#tailOf(place);
      const tail = this.#tails[place];
      if (tail.length >= fromEnd) return tail[tail.length - fromEnd];
    } else {
      this.#cursors[place] ??= this.#cursorOf(place);
      const cursor = this.#cursors[place];
      if (cursor.reads-- > 0) return this.#single(place, cursor, ordinal);
    }
    return this.#timed(this.#taken(place), place, ordinal);
  }

  #timed(all: readonly string[], place: number, ordinal: number): string | undefined {
    const value = all[ordinal];
    const times = this.#times[place];
    return times && value?.startsWith(difference) ? isoTime(times[ordinal]!) : value;
  }

  /** Times need all before them. */
  #cursorOf(place: number): Cursor {
    return { line: 0, at: 0, reads: this.#columnOf(place).includes(differenceByte) ? 0 : maxSingle };
  }

  #single(place: number, cursor: Cursor, ordinal: number): string | undefined {
    const column = this.#columnOf(place);
    let { line, at } = cursor;
    for (; line < ordinal && at < column.length; at++) if (column[at] === lineFeed) line++;
    for (; line > ordinal; line--) {
      at--;
      while (at > 0 && column[at - 1] !== lineFeed) at--;
    }
    [cursor.line, cursor.at] = [line, at];
    const end = column.indexOf(lineFeed, at);
    return line < ordinal || end < 0 ? undefined : column.toString('utf8', at, end);
  }

  /** None if times are among them. */
  #tailOf(place: number): string[] {
    const column = this.#columnOf(place);
    let from = column.length - 1;
    for (let left = tailValues; from > 0; from--) if (column[from - 1] === lineFeed && --left === 0) break;
    const text = column.toString('utf8', Math.max(from, 0));
    if (text.includes(difference)) return [];
    const values = text.split('\n');
    values.pop();
    return values;
  }

  #taken(place: number): string[] {
    const text = this.#columnOf(place).toString('utf8');
    const values = text.split('\n');
    values.pop();
    this.#all[place] = values;
    if (text.includes(difference)) {
      let last = 0;
      this.#times[place] = Float64Array.from(values, (value) => {
        if (value.startsWith(difference)) last += Number.parseInt(value.slice(1), 36);
        return last;
      });
    }
    return values;
  }
}
