/** Reads blocks: heads without documents, and documents (block.documents.ts). */
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { Documents } from './block.documents.ts';
import { absent, CorruptBlockError, firstVersion, type Heads, secondVersion, thirdVersion, version } from './block.format.ts';
import { LayoutViews } from './block.objects.ts';
import { Texts } from './block.texts.ts';
import { Reader } from './bytes.ts';
import { unquoted } from './shred.ts';

const decompressed = promisify(zstdDecompress);
/** Shorter input is read at once: handing it to a thread and back takes longer. */
const maxAtOnce = 16 * 1024;
/** A frame that claims more is read in pieces. */
const maxPiece = 64 * 2 ** 20;
/** Beyond the longest block: 16,384 events of 256 KiB would not be written. */
const maxOutputLength = 2 ** 31 - 1;

/** Size of the output, which the head of a frame holds (RFC 8878, 3.1.1): read in one piece, as each further one is another turn of the thread pool. */
function sizeOf(frame: Buffer): number {
  const descriptor = frame[4]!;
  const isSingle = (descriptor & 0x20) > 0;
  const at = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  const kind = descriptor >> 6;
  if (kind === 0) return isSingle ? frame[at]! : 0;
  return kind === 1 ? frame.readUInt16LE(at) + 256 : kind === 2 ? frame.readUInt32LE(at) : Number(frame.readBigUInt64LE(at));
}

async function decompress(bytes: Buffer): Promise<Buffer> {
  if (bytes.length < 18) return zstdDecompressSync(bytes, { maxOutputLength });
  const chunkSize = Math.min(Math.max(sizeOf(bytes) + 64, 1_024), maxPiece);
  const options = { maxOutputLength, chunkSize };
  return bytes.length <= maxAtOnce ? zstdDecompressSync(bytes, options) : decompressed(bytes, options);
}

const corrupt = (cause: unknown): CorruptBlockError =>
  cause instanceof CorruptBlockError
    ? cause
    : new CorruptBlockError('A block of events does not hold what was written.', { cause });

const fieldsOfHeads = ['receivedAt', 'clockSkew', 'shape', 'deviceName', 'userName', 'texts'] as const;

export class Block {
  readonly count: number;
  readonly #version: number;
  readonly #ids: Buffer;
  readonly #head: Buffer;
  readonly #body: Buffer;
  #heads: Promise<Heads> | undefined;
  readonly #columns = new Map<string, Promise<(string | undefined)[]>>();

  /** With the ids of its events (eventIds.ts). Throws CorruptBlockError, as all that reads it. */
  constructor(body: Buffer, ids: Buffer) {
    this.#ids = ids;
    try {
      const reader = new Reader(body);
      this.#version = reader.number();
      if (![version, thirdVersion, secondVersion, firstVersion].includes(this.#version))
        throw new RangeError('A block has another version.');
      this.count = reader.number();
      this.#head = reader.take(reader.number());
      this.#body = body.subarray(reader.at);
    } catch (error) {
      throw corrupt(error);
    }
  }

  async heads(): Promise<Heads> {
    const heads = await this.lazyHeads();
    for (const field of fieldsOfHeads) void heads[field];
    if (!heads.texts) void heads.text;
    return heads;
  }

  /** Heads whose fields are taken apart, and throw CorruptBlockError, when they are first read. */
  lazyHeads(): Promise<Heads> {
    this.#heads ??= decompress(this.#head)
      .then((bytes) => readHeads(bytes, this.count, this.#version))
      .catch((error: unknown) => {
        throw corrupt(error);
      });
    return this.#heads;
  }

  /** Values of one string field by event (`Documents.column`), kept as the heads are. */
  column(path: readonly string[]): Promise<(string | undefined)[]> {
    const key = JSON.stringify(path);
    const column = this.#columns.get(key) ?? this.documents().then((documents) => documents.column(path));
    this.#columns.set(key, column);
    return column;
  }

  /** Not kept: they take many times the room of the heads. With the objects of layouts that a reader of several blocks has. */
  async documents(layouts = new LayoutViews()): Promise<Documents> {
    try {
      const [heads, bytes] = await Promise.all([this.lazyHeads(), decompress(this.#body)]);
      return new Documents({ heads, ids: this.#ids, layouts }, bytes, this.count, this.#version);
    } catch (error) {
      throw corrupt(error);
    }
  }
}

/** Times of arrival: those that occur, as differences, and the number of each event's, absent for the first event of one. */
function arrivalsOf(differences: readonly number[], places: readonly string[], number: (value: string) => number): Float64Array {
  let last = 0;
  const times = differences.map((difference) => {
    last += difference;
    return last;
  });
  let next = 0;
  return Float64Array.from(places, (place) => {
    const time = times[place === absent ? next++ : number(place)];
    if (time === undefined) throw new RangeError('A time of arrival is missing.');
    return time;
  });
}

function readHeads(bytes: Buffer, count: number, ofVersion: number): Heads {
  const reader = new Reader(bytes);
  const column = (): (() => string[]) => {
    const text = reader.take(reader.number());
    return () => {
      const values = text.toString('utf8').split('\n');
      if (values.length !== count) throw new CorruptBlockError('A column has another number of values.');
      return values;
    };
  };
  const number = (value: string) => {
    const parsed = Number.parseInt(value, 36);
    if (Number.isNaN(parsed)) throw new CorruptBlockError('A value is no number.');
    return parsed;
  };
  // Few different ones: each is one string.
  const known = new Map<string, string | null>();
  const shared = (value: string): string | null => {
    let text = known.get(value);
    if (text === undefined) {
      text = value === absent ? null : unquoted(value);
      known.set(value, text);
    }
    return text;
  };
  let last = 0;
  const at = Float64Array.from(column()(), (value) => {
    last += number(value);
    return last;
  });
  const differences = ofVersion > secondVersion ? reader.text().split('\n') : undefined;
  const [places, skews, shapes, devices, users] = [column(), column(), column(), column(), column()];
  const receivedAt = lazy(() =>
    differences
      ? arrivalsOf(differences.map(number), places(), number)
      : Float64Array.from(places(), (value, index) => at[index]! + number(value)),
  );
  const clockSkew = lazy(() => Int8Array.from(skews(), Number));
  const shape = lazy(() => shapes().map(shared) as string[]);
  const deviceName = lazy(() => devices().map(shared));
  const userName = lazy(() => users().map(shared));
  const lines = ofVersion <= thirdVersion ? column() : undefined;
  const texts = lines ? () => undefined : lazy(() => new Texts(reader, count, [deviceName(), userName()]));
  const text = lazy(() => lines?.().map(unquoted) ?? texts()!.all);
  return {
    at,
    get receivedAt() {
      return receivedAt();
    },
    get clockSkew() {
      return clockSkew();
    },
    get shape() {
      return shape();
    },
    get deviceName() {
      return deviceName();
    },
    get userName() {
      return userName();
    },
    get texts() {
      return texts();
    },
    get text() {
      return text();
    },
  };
}

/** Value that is made at its first use; what fails is a CorruptBlockError. */
function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    try {
      made ??= make();
    } catch (error) {
      throw corrupt(error);
    }
    return made;
  };
}
