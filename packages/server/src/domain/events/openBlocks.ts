/**
 * Recently opened blocks, with their heads. A block never changes, and its id is unique across databases; callers open only blocks
 * that their transaction listed.
 */
import type { Scope, Tx } from '../../core/db/scope.ts';
import { Block } from './block.read.ts';
import { type BlockRow, readBlocks } from './blockRows.ts';

export interface OpenBlock extends BlockRow {
  ids: Buffer;
  block: Block;
}

/** Events of the blocks held in memory; their heads take up to a kilobyte each. */
const maxEvents = 24_000;
/** Events whose blocks are read by one statement. */
const eventsPerRead = 10_000;

const opened = new Map<string, OpenBlock>();
let events = 0;

function hold(block: OpenBlock): void {
  if (opened.has(block.id)) return;
  opened.set(block.id, block);
  events += block.count;
  for (const [id, { count }] of opened) {
    if (events <= maxEvents) break;
    opened.delete(id);
    events -= count;
  }
}

const corrupt = new Set<string>();
let onUnreadable: (row: BlockRow, error: unknown) => void = () => {};

/** Passes each corrupt block on once. */
export const onCorruptBlock = (listener: (row: BlockRow, error: unknown) => void): void => {
  onUnreadable = listener;
};

/** Leaves a corrupt block out, so that the rest is found. */
export function setAside(row: BlockRow, error: unknown): void {
  if (corrupt.has(row.id)) return;
  corrupt.add(row.id);
  onUnreadable(row, error);
}

/** Blocks in the given order, without corrupt ones and those that were merged since they were listed. */
export async function openBlocks(tx: Tx, scope: Scope, rows: readonly BlockRow[]): Promise<OpenBlock[]> {
  const found = new Map<string, OpenBlock>();
  const missing = rows.filter((row) => {
    const known = opened.get(row.id);
    if (!known) return true;
    found.set(row.id, known);
    // The last used are the last to go.
    opened.delete(row.id);
    opened.set(row.id, known);
    return false;
  });
  for (let from = 0; from < missing.length; ) {
    let to = from;
    for (let sum = 0; to < missing.length && (to === from || sum + missing[to]!.count <= eventsPerRead); to++)
      sum += missing[to]!.count;
    const byId = new Map((await readBlocks(tx, scope, missing.slice(from, to))).map((bytes) => [bytes.id, bytes]));
    for (const row of missing.slice(from, to)) {
      const bytes = byId.get(row.id);
      if (!bytes) continue;
      try {
        const block = new Block(bytes.body, bytes.ids);
        if (block.count !== row.count) throw new RangeError('A block has another number of events.');
        const open = { ...row, ids: bytes.ids, block };
        found.set(row.id, open);
        hold(open);
      } catch (error) {
        setAside(row, error);
      }
    }
    from = to;
  }
  return rows.flatMap((row) => found.get(row.id) ?? []);
}

const maxTries = 5;

/** Blocks as listed, listed again while one was merged in between: a statement of a transaction may see what another has committed since. */
export async function openListed(tx: Tx, scope: Scope, list: () => Promise<BlockRow[]>): Promise<OpenBlock[]> {
  for (let attempt = 1; ; attempt++) {
    const rows = await list();
    const open = await openBlocks(tx, scope, rows);
    if (attempt >= maxTries || open.length === rows.filter(({ id }) => !corrupt.has(id)).length) return open;
  }
}
