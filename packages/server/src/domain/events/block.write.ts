/**
 * Events as one compressed block: columns of the heads (time, device, user, summary), then columns of the documents. A value that repeats another one
 * of its event is a mark, times and counters are differences.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { absent, difference, headPlaces, same, timeOf, version } from './block.format.ts';
import { Writer } from './bytes.ts';
import { bare, kindNumber, type Place, Places, shred } from './shred.ts';
import { TokenFilter } from './tokens.ts';

const compress = promisify(zstdCompress);

export interface BlockEvent {
  id: string;
  at: number;
  receivedAt: number;
  clockSkew: number;
  shape: string;
  deviceName?: string | null | undefined;
  userName?: string | null | undefined;
  text: string;
  document: Record<string, unknown>;
}

const headFields = ['shape', 'deviceName', 'userName', 'text'] as const;
/** Documents are taken apart in turns: one costs some 30 µs. */
const documentsPerTurn = 64;

const signed = (value: number): string => value.toString(36);

/** Writes the values of a column one after the other. */
class Column {
  readonly values: string[] = [];
  readonly times = new Set<string>();
  #last = 0;

  add(value: string): void {
    const at = timeOf(value);
    if (at === undefined) this.values.push(value);
    else {
      this.values.push(difference + signed(at - this.#last));
      this.#last = at;
      this.times.add(value);
    }
  }
}

export interface EncodedBlock {
  body: Buffer;
  /** Filter of its words (tokens.ts). */
  tokens: Buffer;
}

interface Shredded {
  skeleton: number;
  values: string[];
}

/** Body of a block, of events in their order. */
export async function encodeBlock(events: readonly BlockEvent[], level = 3): Promise<EncodedBlock> {
  const places = new Places();
  const skeletons = new Map<string, number>();
  const lists: number[][] = [];
  const shredded: Shredded[] = [];
  for (const [index, { document }] of events.entries()) {
    const leaves = shred(places, document);
    const key = leaves.places.join();
    let skeleton = skeletons.get(key);
    if (skeleton === undefined) {
      skeleton = lists.push(leaves.places) - 1;
      skeletons.set(key, skeleton);
    }
    shredded.push({ skeleton, values: leaves.values });
    if (index % documentsPerTurn === documentsPerTurn - 1) await yieldToEventLoop();
  }
  const filter = new TokenFilter();
  const heads = headsOf(events, filter);
  const sources = sourcesOf(places.all.length, lists, shredded, events);
  const columns = await columnsOf(events, places.all.length, lists, shredded, sources);
  const writer = new Writer();
  writePlaces(writer, places.all, sources);
  writeSkeletons(writer, lists, shredded);
  const start = writeColumns(writer, columns);
  filter.addText(writer.bytes().subarray(start));
  for (const { kind, key } of places.all) if (kind === 'string') filter.addText(Buffer.from(bare(key)));
  for (const { times } of columns) filter.addText(Buffer.from([...times].join('\n')));
  const [head, body] = await Promise.all([packed(heads, level), packed(writer.bytes(), level)]);
  const opening = new Writer();
  for (const part of [version, events.length, head.length]) opening.number(part);
  return { body: Buffer.concat([opening.bytes(), head, body]), tokens: filter.bytes() };
}

/** Shorter input is compressed at once: handing it to a thread and back takes longer. */
const maxAtOnce = 128 * 1024;

async function packed(bytes: Buffer, level: number): Promise<Buffer> {
  const options = {
    pledgedSrcSize: bytes.length,
    chunkSize: Math.min(Math.max(bytes.length >> 2, 16 * 1024), 2 ** 20),
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      ...(bytes.length > 2 ** 20 && { [constants.ZSTD_c_windowLog]: 23 }),
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  };
  return bytes.length <= maxAtOnce ? zstdCompressSync(bytes, options) : compress(bytes, options);
}

function headsOf(events: readonly BlockEvent[], filter: TokenFilter): Buffer {
  const writer = new Writer();
  let last = 0;
  const times = events.map(({ at }) => {
    const value = signed(at - last);
    last = at;
    return value;
  });
  writeColumn(writer, times);
  writeColumn(
    writer,
    events.map(({ at, receivedAt }) => signed(receivedAt - at)),
  );
  writeColumn(
    writer,
    events.map(({ clockSkew }) => String(clockSkew)),
  );
  for (const field of headFields) {
    const values = events.map((event) => headValue(event[field]));
    if (field !== 'shape') filter.addText(Buffer.from([...new Set(values)].join('\n')));
    writeColumn(writer, values);
  }
  return writer.bytes();
}

const headValue = (value: string | null | undefined): string => (value == null ? absent : bare(value));

const writeColumn = (writer: Writer, values: readonly string[]): void => writer.text(values.join('\n'));

const headValuesOf = (event: BlockEvent): string[] => [
  new Date(event.at).toISOString(),
  bare(event.text),
  event.deviceName == null ? '' : bare(event.deviceName),
  event.userName == null ? '' : bare(event.userName),
];

const samplesPerSkeleton = 6;
/** Shorter values are equal by chance. */
const minRepeated = 2;

/** For each place the earlier one whose value it mostly repeats, counted from 1 with the heads first; 0 for none. */
function sourcesOf(
  count: number,
  lists: readonly number[][],
  shredded: readonly Shredded[],
  events: readonly BlockEvent[],
): number[] {
  const votes = Array.from({ length: count }, () => new Map<number, number>());
  const seen = new Array<number>(count).fill(0);
  const sampled = new Array<number>(lists.length).fill(0);
  for (const [index, { skeleton, values }] of shredded.entries()) {
    if (sampled[skeleton]! >= samplesPerSkeleton && index % 50 > 0) continue;
    sampled[skeleton]!++;
    const first = new Map<string, number>();
    for (const [place, value] of headValuesOf(events[index]!).entries()) if (!first.has(value)) first.set(value, place);
    const places = lists[skeleton]!;
    for (const [leaf, value] of values.entries()) {
      const place = places[leaf]! + headPlaces;
      seen[place - headPlaces]!++;
      if (value.length < minRepeated) continue;
      const source = first.get(value);
      if (source === undefined || source > place) first.set(value, place);
      if (source !== undefined && source < place) {
        const of = votes[place - headPlaces]!;
        of.set(source, (of.get(source) ?? 0) + 1);
      }
    }
  }
  return votes.map((of, place) => {
    const [best] = [...of].sort((a, b) => b[1] - a[1]);
    return best && best[1] * 4 >= seen[place]! ? best[0] + 1 : 0;
  });
}

async function columnsOf(
  events: readonly BlockEvent[],
  count: number,
  lists: readonly number[][],
  shredded: readonly Shredded[],
  sources: readonly number[],
): Promise<Column[]> {
  const columns = Array.from({ length: count }, () => new Column());
  // The value of each place in the current event; stamps name the event.
  const current = new Array<string>(count + headPlaces).fill('');
  const stamps = new Int32Array(count + headPlaces).fill(-1);
  for (const [index, { skeleton, values }] of shredded.entries()) {
    for (const [place, value] of headValuesOf(events[index]!).entries()) {
      current[place] = value;
      stamps[place] = index;
    }
    const places = lists[skeleton]!;
    for (const [leaf, value] of values.entries()) {
      const place = places[leaf]!;
      // Of a place that occurs several times in an event, the last value; readers proceed in the same order.
      const source = sources[place]! - 1;
      const isSame = source >= 0 && stamps[source] === index && current[source] === value;
      if (isSame) columns[place]!.values.push(same);
      else columns[place]!.add(value);
      current[place + headPlaces] = value;
      stamps[place + headPlaces] = index;
    }
    if (index % documentsPerTurn === documentsPerTurn - 1) await yieldToEventLoop();
  }
  return columns;
}

function writePlaces(writer: Writer, places: readonly Place[], sources: readonly number[]): void {
  writer.number(places.length);
  for (const { parent, kind, key } of places) {
    writer.number(parent + 1);
    writer.number(kindNumber(kind));
    // As JSON: a name may hold half a character.
    writer.text(bare(key));
  }
  for (const source of sources) writer.short(source);
}

function writeSkeletons(writer: Writer, lists: readonly number[][], shredded: readonly Shredded[]): void {
  writer.number(lists.length);
  for (const list of lists) {
    writer.number(list.length);
    for (const place of list) writer.short(place);
  }
  for (const { skeleton } of shredded) writer.number(skeleton);
}

/** Lengths, then the values of each column with a line feed after each; returns where these begin. */
function writeColumns(writer: Writer, columns: readonly Column[]): number {
  const texts = columns.map(({ values }) => (values.length === 0 ? '' : `${values.join('\n')}\n`));
  for (const text of texts) writer.number(Buffer.byteLength(text));
  const start = writer.length;
  for (const text of texts) writer.raw(text);
  return start;
}
