/**
 * Events as one compressed block: columns of the heads (time, device, user, summary), then columns of the documents. A value that repeats another one
 * of its event is a mark, times and counters are differences.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { type Column, columnsOf, documentsPerTurn, signed } from './block.columns.ts';
import { absent, byLayout, version } from './block.format.ts';
import { packHex } from './block.hex.ts';
import { packNumbers } from './block.numbers.ts';
import { numberOf } from './block.positions.ts';
import { type Source, sourcesOf } from './block.sources.ts';
import { TextWriter } from './block.texts.ts';
import { Writer } from './bytes.ts';
import { bare, kindNumber, type Place, Places, type Shredded, shred } from './shred.ts';
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

/** Of an event, before compression; others take up to twice as many. */
const expectedBytes = 512;

const headFields = ['shape', 'deviceName', 'userName'] as const;

export interface EncodedBlock {
  body: Buffer;
  /** Filter of its words (tokens.ts). */
  tokens: Buffer;
}

/** Body of a block, of events in their order. */
export async function encodeBlock(events: readonly BlockEvent[], level = 3): Promise<EncodedBlock> {
  const places = new Places();
  const { lists } = places;
  const shredded: Shredded[] = [];
  for (const [index, { document }] of events.entries()) {
    shredded.push(shred(places, document));
    if (index % documentsPerTurn === documentsPerTurn - 1) await yieldToEventLoop();
  }
  const filter = new TokenFilter();
  const devices = new Map<string, number>();
  const deviceOf = Uint32Array.from(events, ({ deviceName }) => numberOf(devices, deviceName ?? ''));
  const { sources, predictors } = sourcesOf(places.all.length, lists, shredded, events, deviceOf);
  const texts = new TextWriter(lists, (place) => predictors[place] === byLayout);
  const { columns, tables, own } = await columnsOf(events, lists, shredded, { texts, sources, predictors, deviceOf });
  const heads = headsOf(events, texts, filter);
  const writer = new Writer(4_096 + events.length * expectedBytes);
  writePlaces(writer, places.all, sources);
  writeTables(writer, predictors, tables);
  writeSkeletons(writer, lists, shredded);
  writeColumns(writer, events.length, columns, filter);
  for (const table of tables) if (table) filter.addText(Buffer.from(table.join('\n')));
  const keys = places.all.flatMap(({ kind, key }) => (kind === 'string' ? [bare(key)] : []));
  filter.addText(Buffer.from([...keys, ...own].join('\n')));
  const [head, body] = await Promise.all([packed(heads, level), packed(writer.bytes(), level)]);
  const opening = new Writer();
  for (const part of [version, events.length, head.length]) opening.number(part);
  return { body: Buffer.concat([opening.bytes(), head, body]), tokens: filter.bytes() };
}

/** Shorter input is compressed at once: handing it to a thread and back takes longer. */
const maxAtOnce = 128 * 1024;
/** Of levels above 3, whose own tables are many times as large: with those blocks are no smaller, and take a third longer. */
const tablesLog = 19;

async function packed(bytes: Buffer, level: number): Promise<Buffer> {
  const options = {
    pledgedSrcSize: bytes.length,
    chunkSize: Math.min(Math.max(bytes.length >> 2, 16 * 1024), 2 ** 20),
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      ...(bytes.length > 2 ** 20 && { [constants.ZSTD_c_windowLog]: 23 }),
      ...(level > 3 && { [constants.ZSTD_c_hashLog]: tablesLog, [constants.ZSTD_c_chainLog]: tablesLog }),
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  };
  return bytes.length <= maxAtOnce ? zstdCompressSync(bytes, options) : compress(bytes, options);
}

function headsOf(events: readonly BlockEvent[], texts: TextWriter, filter: TokenFilter): Buffer {
  const writer = new Writer();
  let last = 0;
  const times = events.map(({ at }) => {
    const value = signed(at - last);
    last = at;
    return value;
  });
  writeColumn(writer, times);
  writeArrivals(
    writer,
    events.map(({ receivedAt }) => receivedAt),
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
  texts.write(writer);
  filter.addText(Buffer.from(texts.words().join('\n')));
  return writer.bytes();
}

/** The times that occur, as differences in the order of their first events, and the number of each event's, absent for the first event of one. */
function writeArrivals(writer: Writer, arrivals: readonly number[]): void {
  const known = new Map<number, number>();
  const differences: string[] = [];
  let last = 0;
  const places = arrivals.map((at) => {
    const place = known.get(at);
    if (place !== undefined) return signed(place);
    known.set(at, known.size);
    differences.push(signed(at - last));
    last = at;
    return absent;
  });
  writeColumn(writer, differences);
  writeColumn(writer, places);
}

const headValue = (value: string | null | undefined): string => (value == null ? absent : bare(value));

const writeColumn = (writer: Writer, values: readonly string[]): void => writer.text(values.join('\n'));

function writePlaces(writer: Writer, places: readonly Place[], sources: readonly Source[]): void {
  writer.number(places.length);
  for (const { parent, kind, key } of places) {
    writer.number(parent + 1);
    writer.number(kindNumber(kind));
    // As JSON: a name may hold half a character.
    writer.text(bare(key));
  }
  for (const { place } of sources) writer.short(place + 1);
  for (const { form } of sources) writer.number(form);
}

function writeTables(writer: Writer, predictors: readonly number[], tables: readonly (string[] | undefined)[]): void {
  for (const by of predictors) writer.number(by);
  for (const table of tables) {
    if (!table) continue;
    const contexts = [...table.keys()].filter((context) => table[context] !== undefined);
    writer.number(contexts.length);
    for (const context of contexts) writer.number(context);
    writer.text(contexts.map((context) => table[context]).join('\n'));
  }
}

function writeSkeletons(writer: Writer, lists: readonly number[][], shredded: readonly Shredded[]): void {
  writer.number(lists.length);
  for (const list of lists) {
    writer.number(list.length);
    for (const place of list) writer.short(place);
  }
  for (const { skeleton } of shredded) writer.number(skeleton);
}

const textOf = (values: readonly string[]): string => (values.length === 0 ? '' : `${values.join('\n')}\n`);

/** Lengths, the forms of packed columns, then the values of each column with a line feed after each, and the packed digits and numbers. */
function writeColumns(writer: Writer, events: number, columns: readonly Column[], filter: TokenFilter): void {
  const hex = columns.map(({ values }) => packHex(values));
  const numbers = columns.map(({ values }, place) => (hex[place] ? undefined : packNumbers(values)));
  const texts = new Writer(4_096 + events * expectedBytes);
  for (const [place, { values }] of columns.entries()) {
    const start = texts.length;
    const own = (hex[place] ?? numbers[place])?.values ?? values;
    if (own.length > 0) texts.raw(`${own.join('\n')}\n`);
    writer.number(texts.length - start);
  }
  const ofDigits = hex.flatMap((column, place) => (column ? [{ ...column, place }] : []));
  writer.number(ofDigits.length);
  for (const { place, isUpper, digits, form } of ofDigits) {
    writer.number(place);
    writer.number(isUpper ? 1 : 0);
    writer.number(digits.length);
    writer.text(form);
  }
  const ofNumbers = numbers.flatMap((column, place) => (column ? [{ ...column, place }] : []));
  writer.number(ofNumbers.length);
  for (const { place, from, width, bits } of ofNumbers) for (const part of [place, from, width, bits.length]) writer.number(part);
  writer.buffer(texts.bytes());
  filter.addText(texts.bytes());
  for (const { place } of [...ofDigits, ...ofNumbers]) filter.addText(Buffer.from(textOf(columns[place]!.values)));
  for (const { digits } of ofDigits) writer.buffer(digits);
  for (const { bits } of ofNumbers) writer.buffer(bits);
}
