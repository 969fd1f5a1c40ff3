/** Leaves of a layout, as they are read event by event. */
import { byLayout, CorruptBlockError, headPlaces, predicted, same } from './block.format.ts';
import type { DocumentParts } from './block.parts.ts';
import { unquoted } from './shred.ts';

export interface Leaf {
  place: number;
  /** The head that its value may repeat; -1 for none. */
  head: number;
  /** The leaf before it that its value may repeat; -1 for none. */
  source: number;
  /** Its value is the same in all events of the layout. */
  isFixed: boolean;
  /** Its value is a repeated one in all events. */
  isRepeated: boolean;
  /** Its value is no text. */
  isLiteral: boolean;
}

type Parts = Pick<DocumentParts, 'places' | 'skeletons' | 'sources' | 'tables' | 'columnOf'>;

const lineFeed = 10;

/** @param counts of the values of each place */
export function leavesBy(
  { places: all, skeletons, sources, tables, columnOf }: Parts,
  counts: Uint32Array,
): (skeleton: number) => Leaf[] {
  const marks: (number | undefined)[] = [];
  /** The mark that all values of a place are; 0 for none. */
  const markOf = (place: number): number => {
    marks[place] ??= onlyMark(columnOf(place), counts[place]!);
    return marks[place];
  };
  const known: (Leaf[] | undefined)[] = [];
  const leavesOf = (places: readonly number[]): Leaf[] => {
    const last = new Map<number, number>();
    return places.map((place, leaf) => {
      const source = sources[place]! - 1;
      const from = last.get(source - headPlaces) ?? -1;
      last.set(place, leaf);
      const mark = markOf(place);
      return {
        place,
        head: source < headPlaces ? source : -1,
        source: from,
        isFixed: mark === predicted.charCodeAt(0) && tables[place]?.by === byLayout,
        isRepeated: mark === same.charCodeAt(0),
        isLiteral: all[place]!.kind !== 'string',
      };
    });
  };
  return (skeleton) => {
    known[skeleton] ??= leavesOf(skeletons[skeleton]!);
    return known[skeleton];
  };
}

function onlyMark(column: Buffer, count: number): number {
  const [mark = 0] = column;
  if (column.length !== 2 * count) return 0;
  for (let at = 0; at < column.length; at += 2) if (column[at] !== mark || column[at + 1] !== lineFeed) return 0;
  return mark;
}

interface LeafReads {
  /** Value of a leaf, by its position in the layout; undefined for one that repeats the leaf of its source. */
  own(event: number, position: number, leaf: Leaf): string | undefined;
  /** Value of a place that repeats this one. */
  derived(place: number, value: string): string;
  /** Text of JSON text without its quotes. */
  unquoted(value: string): string;
}

/** Values of the leaves of one event at a time, each read when it is first needed. */
export class LeafValues {
  event = -1;
  readonly #leaves: readonly Leaf[];
  readonly #reads: LeafReads;
  readonly #values: string[];
  /** Of each value: the event that it is of. */
  readonly #events: Int32Array;
  readonly #repeating: number[] = [];
  /** Made of values, with the event of each. */
  readonly #made: unknown[];
  readonly #madeOf: Int32Array;

  constructor(leaves: readonly Leaf[], reads: LeafReads) {
    this.#leaves = leaves;
    this.#reads = reads;
    this.#values = new Array<string>(leaves.length);
    this.#events = new Int32Array(leaves.length).fill(-1);
    this.#made = new Array<unknown>(leaves.length);
    this.#madeOf = new Int32Array(leaves.length).fill(-1);
  }

  at(position: number): string {
    if (this.#events[position] !== this.event) this.#read(position);
    return this.#values[position]!;
  }

  /** A value as JSON.parse makes it; throws a SyntaxError for one that is no JSON. */
  value(position: number): unknown {
    const text = this.at(position);
    return this.#leaves[position]!.isLiteral ? literalOf(text) : this.#reads.unquoted(text);
  }

  /** The same, made once an event, of a fixed value once for all. */
  made(position: number): unknown {
    const of = this.#madeOf[position]!;
    if (of !== this.event && (of < 0 || !this.#leaves[position]!.isFixed)) {
      this.#made[position] = this.value(position);
      this.#madeOf[position] = this.event;
    }
    return this.#made[position];
  }

  /** Makes one of several values from a position on, once an event. */
  once(position: number, make: () => unknown): unknown {
    if (this.#madeOf[position] !== this.event) {
      this.#made[position] = make();
      this.#madeOf[position] = this.event;
    }
    return this.#made[position];
  }

  /** Reads a value behind those that it repeats, of which there may be more than calls can be nested. */
  #read(position: number): void {
    const leaves = this.#leaves;
    let at = position;
    let waiting = 0;
    for (; this.#events[at] !== this.event; at = leaves[at]!.source) {
      const own = this.#reads.own(this.event, at, leaves[at]!);
      if (own !== undefined) {
        this.#note(at, own);
        break;
      }
      if (leaves[at]!.source < 0) throw new CorruptBlockError('A repeated value is missing.');
      this.#repeating[waiting++] = at;
    }
    while (waiting > 0) {
      at = this.#repeating[--waiting]!;
      this.#note(at, this.#reads.derived(leaves[at]!.place, this.#values[leaves[at]!.source]!));
    }
  }

  #note(position: number, value: string): void {
    this.#values[position] = value;
    this.#events[position] = this.event;
  }
}

const whole = /^[1-9]\d{0,14}$/;
const literalOf = (value: string): unknown =>
  value === 'true' ? true : value === 'false' ? false : whole.test(value) ? Number(value) : JSON.parse(value);

/** Texts of values, of those with escapes each once. */
export function unquoting(): (value: string) => string {
  const known = new Map<string, string>();
  return (value) => {
    if (!value.includes('\\')) return value;
    let text = known.get(value);
    if (text === undefined) {
      text = unquoted(value);
      known.set(value, text);
    }
    return text;
  };
}
