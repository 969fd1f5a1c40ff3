/**
 * Benign events as a stream: tables of `detections/benign/*.txt` say which events a source writes and how often, the fleet who writes them.
 * Rows are drawn by weight, sequences keep their order and their people, and the clock of all is one.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Document } from '../pairs.ts';
import { shapedDocument } from './documents.ts';
import { type Context, contextOf, gaps, type Host, hostsOf } from './fleet.ts';
import { pick, type Random, seeded, weighted } from './random.ts';
import { type Fill, splitOutside, templateOf } from './template.ts';

export interface BenignEvent {
  source: string;
  /** Milliseconds since 1970. */
  at: number;
  document: Document;
}

interface Row {
  shape: string;
  weight: number;
  fields: readonly (readonly [string, Fill<Context>])[];
}

interface Block {
  shape: string;
  weight: number;
  hosts: readonly Host[];
  rows: Row[];
  pickRow: (random: Random) => Row;
}

interface Step {
  after: number;
  every: number;
  times: number;
  row: Row;
}

interface Sequence {
  title: string;
  weight: number;
  hosts: readonly Host[];
  steps: Step[];
}

interface Table {
  source: string;
  blocks: Block[];
  sequences: Sequence[];
}

/** Share of each source in the stream, in percent. Process starts are part of Sysmon’s. */
export const shares: Readonly<Record<string, number>> = {
  'windows-sysmon': 32,
  'windows-security': 21,
  'windows-powershell': 7,
  'windows-system': 6,
  linux: 10,
  web: 8,
  network: 7,
  m365: 5,
  entra: 4,
};

const folder = fileURLToPath(new URL('../../benign', import.meta.url));
const processes = 'windows-processes';

/** SHA-256 of the tables and the fleet: which model was measured. */
export function modelHash(): string {
  const hash = createHash('sha256');
  const tables = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  for (const name of tables.sort()) hash.update(readFileSync(`${folder}/${name}`));
  hash.update(readFileSync(fileURLToPath(new URL('fleet.ts', import.meta.url))));
  return hash.digest('hex');
}

export const sources: readonly string[] = Object.keys(shares);

/** Events from the start on, oldest first, over the given number of days. The same seed gives the same events. */
export function* benignEvents(options: { seed: number; count: number; days: number; start: number }): Generator<BenignEvent> {
  const random = seeded(options.seed);
  const tables = readTables();
  const pickSource = weighted(sources, (source) => shares[source]!);
  const makers = new Map(sources.map((source) => [source, makerOf(tables.get(source)!)]));
  const gap = (options.days * dayMs) / options.count;
  const waiting = new Queue();
  let at = options.start;
  for (let sent = 0; sent < options.count; ) {
    at += -Math.log(1 - random()) * gap * pace(at);
    for (let next = waiting.first(); next !== undefined && next.at <= at && sent < options.count; next = waiting.first()) {
      yield waiting.shift()!.make();
      sent++;
    }
    // Sequences are part of the count: while they run, fewer single events are drawn.
    if (sent >= options.count) return;
    if (waiting.debt > 0) {
      waiting.debt--;
      continue;
    }
    const source = pickSource(random);
    const event = makers.get(source)!(random, at, waiting);
    if (event === undefined) continue;
    yield event;
    sent++;
  }
}

/** One event of every row and of every step, as a check of the tables. */
export function* oneOfEach(seed: number, at: number): Generator<BenignEvent> {
  const random = seeded(seed);
  for (const { source, blocks, sequences } of readTables().values()) {
    if (source === processes) continue;
    for (const { hosts, rows } of blocks)
      for (const row of rows) yield eventOf(source, row, random, contextOf(random, pick(random, hosts)), at);
    for (const { hosts, steps } of sequences)
      for (const { row } of steps) yield eventOf(source, row, random, contextOf(random, pick(random, hosts)), at);
  }
}

/** Working hours are busier than nights. */
function pace(at: number): number {
  const hour = new Date(at).getUTCHours();
  return hour >= 7 && hour < 18 ? 0.7 : 1.6;
}

type Maker = (random: Random, at: number, waiting: Queue) => BenignEvent | undefined;

function makerOf({ source, blocks, sequences }: Table): Maker {
  const choose = weighted<Block | Sequence>([...blocks, ...sequences], ({ weight }) => weight);
  return (random, at, waiting) => {
    const chosen = choose(random);
    const context = contextOf(random, pick(random, chosen.hosts));
    if ('rows' in chosen) return eventOf(source, chosen.pickRow(random), random, context, at);
    for (const { after, every, times, row } of chosen.steps)
      for (let index = 0; index < times; index++) {
        const due = at + (after + index * every) * 1_000;
        waiting.push({ at: due, make: () => eventOf(source, row, random, context, due) });
      }
    return undefined;
  };
}

function eventOf(source: string, row: Row, random: Random, context: Context, at: number): BenignEvent {
  const values: Record<string, string> = {};
  for (const [field, fill] of row.fields) values[field] = fill(random, context);
  try {
    return { source, at, document: shapedDocument(row.shape, values, context, at, random) };
  } catch (error) {
    throw new Error(`${source}: ${row.shape}: ${(error as Error).message} ${JSON.stringify(values)}`);
  }
}

/** Events of running sequences by their time. */
class Queue {
  private readonly heap: { at: number; make: () => BenignEvent }[] = [];
  /** Single events that are left out for those of sequences. */
  debt = 0;

  first() {
    return this.heap[0];
  }

  push(item: { at: number; make: () => BenignEvent }): void {
    this.debt++;
    const { heap } = this;
    let child = heap.push(item) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (heap[parent]!.at <= item.at) break;
      heap[child] = heap[parent]!;
      child = parent;
    }
    heap[child] = item;
  }

  shift() {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return top;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[parent] = heap[child]!;
      parent = child;
    }
    heap[parent] = last;
    return top;
  }
}

let read: Map<string, Table> | undefined;

export function readTables(): Map<string, Table> {
  read ??= new Map([processes, ...sources].map((source) => [source, tableOf(source)]));
  return read;
}

const earlier = new Map<string, Table>();

function tableOf(source: string): Table {
  const table: Table = { source, blocks: [], sequences: [] };
  let columns: string[] | undefined;
  let block: Block | undefined;
  let sequence: Sequence | undefined;
  const lines = readFileSync(`${folder}/${source}.txt`, 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    try {
      if (line === '' || line.startsWith('#')) continue;
      const head = /^@(seq)? ?(.+?) ([\d.]+) (\S+)$/.exec(line);
      if (head) {
        const [, kind, name, weight, roles] = head as unknown as [string, string | undefined, string, string, string];
        columns = undefined;
        block = undefined;
        sequence = undefined;
        if (kind) {
          sequence = { title: name, weight: Number(weight), hosts: hostsOf(roles), steps: [] };
          table.sequences.push(sequence);
        } else if (name.includes('<')) table.blocks.push(...derivedBlocks(name, Number(weight)));
        else {
          block = { shape: name, weight: Number(weight), hosts: hostsOf(roles), rows: [], pickRow: noRow };
          table.blocks.push(block);
        }
      } else if (sequence) sequence.steps.push(stepOf(line));
      else if (columns === undefined) columns = line.split(' ;; ');
      else block!.rows.push(rowOf(block!.shape, columns, line));
    } catch (error) {
      throw new Error(`${source}.txt:${index + 1}: ${(error as Error).message}`);
    }
  }
  for (const own of table.blocks) own.pickRow = weighted(own.rows, ({ weight }) => weight);
  earlier.set(source, table);
  return table;
}

const noRow = (): Row => {
  throw new Error('A block without rows.');
};

/** Blocks of another table in another shape, by their own weights: the same process starts as Security events. */
function derivedBlocks(name: string, weight: number): Block[] {
  const [shape, from] = name.split('<') as [string, string];
  const { blocks } = earlier.get(from)!;
  const sum = blocks.reduce((total, block) => total + block.weight, 0);
  return blocks.map((block) => ({
    ...block,
    shape,
    weight: (block.weight / sum) * weight,
    rows: block.rows.map((row) => ({ ...row, shape })),
  }));
}

function rowOf(shape: string, columns: readonly string[], line: string): Row {
  const [, weight = '1', rest = ''] = /^(?:([\d.]+)\* )?(.*)$/.exec(line) ?? [];
  const cells = splitOutside(rest, ' ;; ').map((cell) => cell.replace(/ ;;$/, ''));
  if (cells.length > columns.length) throw new Error(`${cells.length} cells for ${columns.length} columns.`);
  return {
    shape,
    weight: Number(weight),
    fields: columns.map((column, index) => [column, cellOf(cells[index] ?? '')] as const),
  };
}

function stepOf(line: string): Step {
  const [, after, every, times, shape, rest] = /^(\d+)\+(\d+)\*(\d+) (\S+) (.*)$/.exec(line) ?? [];
  if (rest === undefined) throw new Error('A step that is not `after+every*times shape field=value`.');
  const fields = splitOutside(rest, ' ;; ').map((cell) => {
    const at = cell.indexOf('=');
    return [cell.slice(0, at), cellOf(cell.slice(at + 1))] as const;
  });
  return { after: Number(after), every: Number(every), times: Number(times), row: { shape: shape!, weight: 1, fields } };
}

const cellOf = (cell: string): Fill<Context> => templateOf(cell.replaceAll(' `n ', '\n'), gaps);
