/** Ids of the events of blocks, read without their bodies, to find an event by its id. Recently used ones are held in memory, as blocks never change. */
import type { Scope, Tx } from '../../core/db/scope.ts';
import { type BlockRow, readIds } from './blockRows.ts';

interface Held {
  ids: Buffer;
  /** First six bytes of the ids as numbers, in ascending order. */
  prefixes: Float64Array;
}

const idLength = 16;
const prefixLength = 6;
/** Of the blocks held in memory, at 24 bytes each. */
const maxEvents = 500_000;

const held = new Map<string, Held>();
let events = 0;

const countOf = ({ ids }: Held): number => ids.length / idLength;

/** Holds the ids of a block, also of one that is being written. */
export function holdIds(block: string, ids: Buffer): Held {
  const known = held.get(block);
  if (known) return known;
  const prefixes = Float64Array.from({ length: ids.length / idLength }, (_, at) =>
    ids.readUIntBE(at * idLength, prefixLength),
  ).sort();
  const own = { ids, prefixes };
  held.set(block, own);
  events += countOf(own);
  for (const [id, oldest] of held) {
    if (events <= maxEvents) break;
    held.delete(id);
    events -= countOf(oldest);
  }
  return own;
}

/** Ids of the blocks that still exist, in their order. */
export async function idsOfBlocks<T extends BlockRow>(tx: Tx, scope: Scope, rows: readonly T[]): Promise<[row: T, ids: Held][]> {
  const missing = rows.filter(({ id }) => !held.has(id));
  const found = new Map(rows.flatMap(({ id }): [string, Held][] => (held.has(id) ? [[id, held.get(id)!]] : [])));
  for (const { id, ids } of await readIds(tx, scope, missing)) found.set(id, holdIds(id, ids));
  return rows.flatMap((row): [T, Held][] => (found.has(row.id) ? [[row, found.get(row.id)!]] : []));
}

/** Places of an id in a block; more than one if its events differ in time. */
export function placesOf({ ids, prefixes }: Held, id: Buffer): number[] {
  const wanted = id.readUIntBE(0, prefixLength);
  let [from, to] = [0, prefixes.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (prefixes[middle]! < wanted) from = middle + 1;
    else to = middle;
  }
  if (prefixes[from] !== wanted) return [];
  const places: number[] = [];
  for (let at = ids.indexOf(id); at >= 0; at = ids.indexOf(id, at + 1)) if (at % idLength === 0) places.push(at / idLength);
  return places;
}
