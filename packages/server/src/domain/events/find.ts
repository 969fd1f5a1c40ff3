/** Events by their keys. */
import { sql } from 'kysely';
import { timeColumn, uuidColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { CorruptBlockError } from './block.format.ts';
import { holdIds, placesOf } from './blockIds.ts';
import { listBlocks } from './blockRows.ts';
import { clickHouse } from './clickhouse/connected.ts';
import { findMoved } from './clickhouse/read.ts';
import { idBytes } from './eventIds.ts';
import { columnsOfRows, hasEventRows, toStored } from './eventRows.ts';
import { openListed, setAside } from './openBlocks.ts';
import { readSplit } from './split.ts';
import { EventInBlock, type EventKey, type StoredEvent } from './storedEvent.ts';

export async function findEvents(tx: Tx, organisationId: number, keys: readonly EventKey[]): Promise<Map<string, StoredEvent>> {
  const found = new Map<string, StoredEvent>();
  if (keys.length === 0) return found;
  const scope = { organisationIds: [organisationId] };
  const moved = clickHouse();
  const split = await readSplit(tx);
  const times = keys.map(({ at }) => at).sort((a, b) => a - b);
  const blocks = await openListed(tx, scope, async () =>
    (await listBlocks(tx, scope, { start: times[0]!, end: times.at(-1)! + 1, split })).filter(({ firstAt, lastAt }) =>
      times.some((at) => at >= firstAt && at <= lastAt),
    ),
  );
  for (const open of blocks) {
    const inside = keys.filter(({ at, id }) => at >= open.firstAt && at <= open.lastAt && !found.has(id));
    const held = holdIds(open.id, open.ids);
    const places = inside.flatMap(({ at, id }) => placesOf(held, idBytes(id)).map((place) => ({ at, id, place })));
    if (places.length === 0) continue;
    try {
      const [heads, documents] = [await open.block.heads(), await open.block.documents()];
      for (const { at, id, place } of places)
        if (heads.at[place] === at) found.set(id, new EventInBlock(organisationId, open.ids, heads, documents, place));
    } catch (error) {
      if (!(error instanceof CorruptBlockError)) throw error;
      setAside(open, error);
    }
  }
  if (moved && split && found.size < keys.length)
    for (const event of await findMoved(
      moved,
      organisationId,
      split,
      keys.filter(({ id, at }) => at < split.before && !found.has(id)),
    ))
      found.set(event.id, event);
  if (found.size < keys.length && (await hasEventRows(tx))) {
    const { rows } = await sql<Parameters<typeof toStored>[0]>`
      select ${columnsOfRows} from event_rows e join unnest(${timeColumn(keys.map(({ at }) => at))}, ${uuidColumn(keys.map(({ id }) => id))}) as w (at, id)
        on e.at = w.at and e.id = w.id where e.organisation_id = ${organisationId}`.execute(tx);
    for (const row of rows) found.set(row.id, toStored(row));
  }
  return found;
}
