/** Events of the table before blocks (migration 0038), until the background has packed them. */
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { ScanQuery } from './scanQuery.ts';
import type { StoredEvent } from './storedEvent.ts';

const rowsPerRead = 1_000;

type Row = Omit<StoredEvent, 'at' | 'receivedAt' | 'json'> & { at: Date; receivedAt: Date };

export const columnsOfRows = sql`e.organisation_id as "organisationId", e.id, e.at, e.received_at as "receivedAt", e.clock_skew as "clockSkew",
  e.shape, e.device_name as "deviceName", e.user_name as "userName", e.text, e.document`;

export const toStored = (row: Row): StoredEvent => ({
  ...row,
  at: row.at.getTime(),
  receivedAt: row.receivedAt.getTime(),
  get json() {
    return JSON.stringify(row.document);
  },
});

export async function hasEventRows(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select has_event_rows() as has`.execute(tx);
  return rows[0]?.has === true;
}

/** In the order of the scan. */
export async function readEventRows(
  tx: Tx,
  scope: Scope,
  { start, end, received, devices, before, isOldestFirst = false }: ScanQuery,
  limit: number,
): Promise<StoredEvent[]> {
  const behind = isOldestFirst ? sql`>` : sql`<`;
  const order = isOldestFirst ? sql`asc` : sql`desc`;
  const conditions = [
    within('e.organisation_id', scope),
    sql`e.at >= ${new Date(Math.max(start, Date.UTC(-4000, 0)))} and e.at < ${new Date(Math.min(end, Date.UTC(200_000, 0)))}`,
    ...(received ? [sql`e.received_at >= ${new Date(received.start)} and e.received_at < ${new Date(received.end)}`] : []),
    ...(devices ? [sql`e.device_name = any(${textColumn(devices)})`] : []),
    ...(before
      ? [
          before.id === undefined
            ? sql`e.at ${behind} ${new Date(before.at)}`
            : sql`(e.at, e.id) ${behind} (${new Date(before.at)}, ${before.id}::uuid)`,
        ]
      : []),
  ];
  const { rows } = await sql<Row>`select ${columnsOfRows} from event_rows e where ${sql.join(conditions, sql` and `)}
    order by e.at ${order}, e.id ${order} limit ${limit}`.execute(tx);
  return rows.map(toStored);
}

/** Reads page by page as a scan proceeds. */
export function listEventRows(tx: Tx, scope: Scope, query: ScanQuery) {
  const isOldestFirst = query.isOldestFirst === true;
  const none = isOldestFirst ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  let unread = isOldestFirst ? query.start : query.end;
  let before = query.before;
  let hasRows: boolean | undefined;
  return {
    /** Time at or behind which unread rows are, in the order of the scan. */
    get unread(): number {
      return unread;
    },
    /** Matching rows of the next page. */
    async next(): Promise<StoredEvent[]> {
      hasRows ??= await hasEventRows(tx);
      const page = hasRows ? await readEventRows(tx, scope, { ...query, before }, rowsPerRead) : [];
      const last = page.at(-1);
      unread = page.length < rowsPerRead || !last ? none : last.at;
      if (last) before = { at: last.at, id: last.id };
      return query.fits ? page.filter(query.fits) : page;
    },
  };
}
