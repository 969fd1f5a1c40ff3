/** Reads blocks: heads without documents, documents as JSON text, and the events that a text may occur in. */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { absent, CorruptBlockError, difference, headPlaces, same, version } from './block.format.ts';
import { Reader } from './bytes.ts';
import { bare, kindOf, type Place, piecesOf } from './shred.ts';

const decompressed = promisify(zstdDecompress);
/** Shorter input is read at once: handing it to a thread and back takes longer. */
const maxAtOnce = 16 * 1024;
/** Beyond the longest block: 16,384 events of 256 KiB would not be written. */
const maxOutputLength = 2 ** 31 - 1;

const decompress = async (bytes: Buffer): Promise<Buffer> =>
  bytes.length <= maxAtOnce ? zstdDecompressSync(bytes, { maxOutputLength }) : decompressed(bytes, { maxOutputLength });

export interface Heads {
  at: Float64Array;
  receivedAt: Float64Array;
  clockSkew: Int8Array;
  shape: string[];
  deviceName: (string | null)[];
  userName: (string | null)[];
  text: string[];
}

const corrupt = (cause: unknown): CorruptBlockError =>
  cause instanceof CorruptBlockError
    ? cause
    : new CorruptBlockError('A block of events does not hold what was written.', { cause });

export class Block {
  readonly count: number;
  readonly #head: Buffer;
  readonly #body: Buffer;
  #heads: Promise<Heads> | undefined;

  /** Throws CorruptBlockError, as all that reads it. */
  constructor(body: Buffer) {
    try {
      const reader = new Reader(body);
      if (reader.number() !== version) throw new RangeError('A block has another version.');
      this.count = reader.number();
      this.#head = reader.take(reader.number());
      this.#body = body.subarray(reader.at);
    } catch (error) {
      throw corrupt(error);
    }
  }

  heads(): Promise<Heads> {
    this.#heads ??= decompress(this.#head)
      .then((bytes) => readHeads(bytes, this.count))
      .catch((error: unknown) => {
        throw corrupt(error);
      });
    return this.#heads;
  }

  /** Not kept: they take many times the room of the heads. */
  async documents(): Promise<Documents> {
    try {
      const [heads, bytes] = await Promise.all([this.heads(), decompress(this.#body)]);
      return new Documents(heads, bytes, this.count);
    } catch (error) {
      throw corrupt(error);
    }
  }
}

const unquoted = (value: string): string => (value.includes('\\') ? (JSON.parse(`"${value}"`) as string) : value);

function readHeads(bytes: Buffer, count: number): Heads {
  const reader = new Reader(bytes);
  const column = () => {
    const values = reader.text().split('\n');
    if (values.length !== count) throw new RangeError('A column has another number of values.');
    return values;
  };
  const number = (value: string) => {
    const parsed = Number.parseInt(value, 36);
    if (Number.isNaN(parsed)) throw new RangeError('A value is no number.');
    return parsed;
  };
  let last = 0;
  const at = Float64Array.from(column(), (value) => {
    last += number(value);
    return last;
  });
  const receivedAt = Float64Array.from(column(), (value, index) => at[index]! + number(value));
  const clockSkew = Int8Array.from(column(), Number);
  // Few different ones: each is one string.
  const known = new Map<string, string | null>();
  const texts = (isShared: boolean) =>
    column().map((value) => {
      if (!isShared) return unquoted(value);
      let text = known.get(value);
      if (text === undefined) {
        text = value === absent ? null : unquoted(value);
        known.set(value, text);
      }
      return text;
    });
  const [shape, deviceName, userName] = [texts(true) as string[], texts(true), texts(true)];
  return { at, receivedAt, clockSkew, shape, deviceName, userName, text: texts(false) as string[] };
}

export class Documents {
  readonly #heads: Heads;
  readonly #count: number;
  readonly #places: Place[] = [];
  readonly #sources: number[] = [];
  readonly #skeletons: number[][] = [];
  readonly #pieces: (string[] | undefined)[] = [];
  readonly #skeletonOf: Uint32Array;
  /** Place of each event’s first leaf in `#ordinals`, which are the positions of values in their columns. */
  readonly #starts: Uint32Array;
  readonly #ordinals: Uint32Array;
  readonly #columns: Buffer;
  /** Ends of columns in `#columns`. */
  readonly #ends: number[] = [];
  readonly #values: (string[] | undefined)[] = [];
  readonly #current: string[];
  readonly #stamps: Int32Array;
  #lowered: string | undefined;

  constructor(heads: Heads, bytes: Buffer, count: number) {
    this.#heads = heads;
    this.#count = count;
    const reader = new Reader(bytes);
    const places = reader.number();
    for (let id = 0; id < places; id++) {
      const parent = reader.number() - 1;
      const kind = kindOf(reader.number());
      if (!kind || parent >= id) throw new RangeError('A place is unknown.');
      this.#places.push({ id, parent, kind, key: unquoted(reader.text()) });
    }
    for (let id = 0; id < places; id++) this.#sources.push(reader.short());
    const skeletons = reader.number();
    for (let at = 0; at < skeletons; at++) this.#skeletons.push(Array.from({ length: reader.number() }, () => reader.short()));
    this.#skeletonOf = Uint32Array.from({ length: count }, () => reader.number());
    const lengths = Array.from({ length: places }, () => reader.number());
    let end = 0;
    for (const length of lengths) {
      end += length;
      this.#ends.push(end);
    }
    this.#columns = reader.take(end);
    this.#starts = new Uint32Array(count + 1);
    for (let event = 0; event < count; event++)
      this.#starts[event + 1] = this.#starts[event]! + this.#skeletons[this.#skeletonOf[event]!]!.length;
    this.#ordinals = new Uint32Array(this.#starts[count]!);
    const counts = new Uint32Array(places);
    for (let event = 0, at = 0; event < count; event++)
      for (const place of this.#skeletons[this.#skeletonOf[event]!]!) this.#ordinals[at++] = counts[place]!++;
    this.#current = new Array<string>(places + headPlaces).fill('');
    this.#stamps = new Int32Array(places + headPlaces).fill(-1);
  }

  /** JSON text of an event’s document. */
  text(event: number): string {
    const skeleton = this.#skeletonOf[event]!;
    const places = this.#skeletons[skeleton]!;
    this.#pieces[skeleton] ??= piecesOf(this.#places, places);
    const pieces = this.#pieces[skeleton];
    for (const [place, value] of this.#headValues(event).entries()) this.#note(place, event, value);
    let text = '';
    for (let leaf = 0, at = this.#starts[event]!; leaf < places.length; leaf++, at++) {
      const place = places[leaf]!;
      const written = this.#valuesOf(place)[this.#ordinals[at]!];
      const value = written === same ? this.#repeated(place, event) : written;
      if (value === undefined) throw new CorruptBlockError('A column ends too early.');
      this.#note(place + headPlaces, event, value);
      text += pieces[leaf]! + value;
    }
    return text + pieces[places.length]!;
  }

  #headValues(event: number): string[] {
    const { at, text, deviceName, userName } = this.#heads;
    return [new Date(at[event]!).toISOString(), bare(text[event]!), bare(deviceName[event] ?? ''), bare(userName[event] ?? '')];
  }

  #note(place: number, event: number, value: string): void {
    this.#current[place] = value;
    this.#stamps[place] = event;
  }

  #repeated(place: number, event: number): string {
    const source = this.#sources[place]! - 1;
    if (source < 0 || this.#stamps[source] !== event) throw new CorruptBlockError('A repeated value is missing.');
    return this.#current[source]!;
  }

  #columnOf = (place: number): Buffer => this.#columns.subarray(place === 0 ? 0 : this.#ends[place - 1], this.#ends[place]);

  #valuesOf(place: number): string[] {
    const known = this.#values[place];
    if (known) return known;
    const text = this.#columnOf(place).toString('utf8');
    const values = text.split('\n');
    values.pop();
    if (text.includes(difference)) {
      let last = 0;
      for (const [index, value] of values.entries())
        if (value.startsWith(difference)) {
          last += Number.parseInt(value.slice(1), 36);
          values[index] = new Date(last).toISOString();
        }
    }
    this.#values[place] = values;
    return values;
  }

  /**
   * Events whose document may contain a text of `literals` (kql/literals.ts), in lower case, in a value or the name of a field; all others do not. 1
   * for each of them.
   */
  candidates(literal: string): Uint8Array {
    const found = new Uint8Array(this.#count);
    const needle = partWithinLine(literal);
    if (needle === '') return found.fill(1);
    const places = this.#placesWith(needle);
    const isInTime = couldBeInTime(needle);
    const times = isInTime ? this.#timePlaces() : undefined;
    const isHit = places.size > 0 || isInTime;
    if (!isHit) return found;
    for (let event = 0; event < this.#count; event++) {
      if (isInTime && new Date(this.#heads.at[event]!).toISOString().toLowerCase().includes(needle)) {
        found[event] = 1;
        continue;
      }
      const skeleton = this.#skeletons[this.#skeletonOf[event]!]!;
      for (let leaf = 0, at = this.#starts[event]!; leaf < skeleton.length && found[event] === 0; leaf++, at++) {
        const place = skeleton[leaf]!;
        const hits = places.get(place);
        if (hits === 'all' || hits?.has(this.#ordinals[at]!)) found[event] = 1;
        else if (times?.has(place) && this.#valuesOf(place)[this.#ordinals[at]!]?.toLowerCase().includes(needle))
          found[event] = 1;
      }
    }
    return found;
  }

  /** Positions of the values with a text, by place; 'all' for those whose name has it. */
  #placesWith(needle: string): Map<number, Set<number> | 'all'> {
    const places = new Map<number, Set<number> | 'all'>();
    // Names of fields and labels count as well; parents come before their children.
    const named = new Set<number>();
    for (const { id, parent, key } of this.#places)
      if (named.has(parent) || bare(key).toLowerCase().includes(needle)) {
        named.add(id);
        places.set(id, 'all');
      }
    // By bytes: other characters than ASCII do not matter to a text of ASCII.
    const text = this.#lowered ?? this.#columns.toString('latin1').toLowerCase();
    this.#lowered = text;
    let place = 0;
    let line = 0;
    let counted = 0;
    for (let at = text.indexOf(needle); at >= 0; ) {
      while (at >= this.#ends[place]!) {
        counted = this.#ends[place]!;
        place++;
        line = 0;
      }
      for (let feed = text.indexOf('\n', counted); feed >= 0 && feed < at; feed = text.indexOf('\n', feed + 1)) {
        line++;
        counted = feed + 1;
      }
      const known = places.get(place);
      if (known === undefined) places.set(place, new Set([line]));
      else if (known !== 'all') known.add(line);
      const feed = text.indexOf('\n', at);
      const end = feed < 0 ? this.#ends[place]! : Math.min(feed, this.#ends[place]!);
      at = text.indexOf(needle, Math.max(end, at + 1));
    }
    return places;
  }

  #timePlaces(): Set<number> {
    return new Set(this.#places.flatMap(({ id }) => (this.#columnOf(id).includes(difference) ? [id] : [])));
  }
}

/** The longest part of a text that lies within one line of a message and on one side of its label. */
function partWithinLine(literal: string): string {
  const parts = literal.split(': ').map((part) => part.replace(/^ +|:+$/g, ''));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

const timeForm = 'dddd-dd-ddtdd:dd:dd.dddz';
/** True if a time as `toISOString` writes it may contain the text. */
const couldBeInTime = (text: string): boolean =>
  timeForm.includes(text.replace(/\d/g, '0').replaceAll('d', 'x').replaceAll('0', 'd'));
