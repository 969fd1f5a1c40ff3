/** Reads of ClickHouse for the event store. Every statement reads the view of the scope’s organisations, without the moves that do not count. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { type Scope, TookTooLongError } from '../../../core/db/scope.ts';
import type { EventCounts, EventQuery, ScanQuery } from '../scanQuery.ts';
import type { Split } from '../split.ts';
import type { EventKey, StoredEvent } from '../storedEvent.ts';
import type { ClickHouse, Params } from './client.ts';
import { eventsOf, eventsTable, searched } from './schema.ts';

const rowsPerRead = 1_000;
const maxSubstrings = 3;
const asksPerQuery = 50;
const keysPerQuery = 1_000;
/** Bounds of an open range. */
const [earliest, latest] = [Date.UTC(-4_000, 0), Date.UTC(200_000, 0)];

interface Row {
  organisation_id: number;
  at: number;
  id: string;
  received_at: number;
  clock_skew: number;
  shape: string;
  device_name: string | null;
  user_name: string | null;
  text: string;
  document?: string;
}

const heads = 'organisation_id, at, id, received_at, clock_skew, shape, device_name, user_name, text';

class EventInRow implements StoredEvent {
  readonly organisationId: number;
  readonly at: number;
  readonly id: string;
  readonly receivedAt: number;
  readonly clockSkew: number;
  readonly shape: string;
  readonly deviceName: string | null;
  readonly userName: string | null;
  readonly text: string;
  readonly json: string;
  #document: Record<string, unknown> | undefined;

  constructor(row: Row) {
    this.organisationId = row.organisation_id;
    this.at = row.at;
    this.id = row.id;
    this.receivedAt = row.received_at;
    this.clockSkew = row.clock_skew;
    this.shape = row.shape;
    this.deviceName = row.device_name;
    this.userName = row.user_name;
    this.text = row.text;
    this.json = row.document ?? 'null';
  }

  get document(): Record<string, unknown> {
    this.#document ??= JSON.parse(this.json) as Record<string, unknown>;
    return this.#document;
  }
}

/**
 * Source of a statement: the view of the organisations that both the scope and the transaction allow; undefined for none. Ids are digits, so that
 * a list of any length fits into its text.
 */
function sourceOf(scope: Scope, { visible }: Split): string | undefined {
  const requested = scope === 'system' ? visible : scope.organisationIds;
  if (!requested) return eventsTable;
  const both = visible ? requested.filter((id) => visible.includes(id)) : requested;
  for (const id of both) if (!Number.isInteger(id) || id < 1) throw new TypeError(`${String(id)} is no organisation's id.`);
  return both.length > 0 ? `${eventsOf}(organisations=[${both.join(',')}])` : undefined;
}

const whole = (value: number): string => String(Math.trunc(Math.min(Math.max(value, earliest), latest)));
const counted = ({ last, hidden, before }: Split): string =>
  `at < ${whole(before)} and move <= ${whole(last)}${hidden.length > 0 ? ` and move not in (${hidden.map(whole).join(',')})` : ''}`;
const between = ({ start, end }: { start: number; end: number }): string =>
  `at >= ${whole(Math.ceil(start))} and at < ${whole(Math.ceil(end))}`;

const idPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
function quotedId(id: string): string {
  const text = id.toLowerCase();
  if (!idPattern.test(text)) throw new RangeError(`${id.slice(0, 50)} is no id of an event.`);
  return `'${text}'`;
}

interface Statement {
  conditions: string[];
  params: Params;
}

/** Conditions of a search within a time. */
function conditionsOf(split: Split, query: ScanQuery, name = ''): Statement {
  const params: Params = {};
  const behind = query.isOldestFirst ? '>' : '<';
  const conditions = [counted(split), between(query)];
  if (query.received)
    conditions.push(
      `received_at >= ${whole(Math.ceil(query.received.start))} and received_at < ${whole(Math.ceil(query.received.end))}`,
    );
  if (query.devices) {
    conditions.push(`device_name in {devices${name}:Array(String)}`);
    params[`devices${name}`] = query.devices.map((device) => device.toWellFormed());
  }
  for (const [index, substring] of (query.substrings ?? []).slice(0, maxSubstrings).entries()) {
    conditions.push(`${searched} like {text${name}${index}:String}`);
    params[`text${name}${index}`] = `%${substring.replace(/[\\%_]/g, '\\$&')}%`;
  }
  if (query.before)
    conditions.push(
      query.before.id === undefined
        ? `at ${behind} ${whole(query.before.at)}`
        : `(at, id) ${behind} (${whole(query.before.at)}, ${quotedId(query.before.id)})`,
    );
  return { conditions, params };
}

/** Reads page by page as a scan proceeds. */
export function listMoved(clickHouse: ClickHouse, scope: Scope, split: Split, query: ScanQuery) {
  const source = sourceOf(scope, split);
  const end = Math.min(query.end, split.before);
  const isOldestFirst = query.isOldestFirst === true;
  const none = isOldestFirst ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const order = isOldestFirst ? 'asc' : 'desc';
  let unread = !source || end <= query.start ? none : isOldestFirst ? query.start : end - 1;
  let before = query.before;
  let windowMs = hourMs;
  /** Times that the next page may have, and the time at which the unread rest begins behind them. */
  const windowTo = (time: number) => {
    if (isOldestFirst) {
      const to = Math.min(end, Math.max(time, unread + windowMs));
      return { start: unread, end: to, rest: to >= end ? none : to };
    }
    const start = Math.max(query.start, Math.min(time + 1, unread - windowMs));
    return { start, end: unread + 1, rest: start <= query.start ? none : start - 1 };
  };
  return {
    /** Time at or behind which unread rows are, in the order of the scan. */
    get unread(): number {
      return unread;
    },
    /** Matching rows of the next page, as far as a time and beyond; pages that are not full reach further each time. */
    async next(time: number): Promise<StoredEvent[]> {
      const { rest, ...window } = windowTo(time);
      const { conditions, params } = conditionsOf(split, { ...query, ...window, before });
      const pending = clickHouse.query<Row>(
        `select ${heads}${query.isOfHeads ? '' : ', document'} from ${source} where ${conditions.join(' and ')}
          order by at ${order}, id ${order} limit ${rowsPerRead}`,
        params,
        { deadline: query.deadline, signal: query.signal },
      );
      // The scan ends at its place, as it does between pages.
      const page = await pending.catch((error) => {
        if (query.signal?.aborted) return undefined;
        throw error;
      });
      if (!page) return [];
      const last = page.at(-1);
      if (page.length === rowsPerRead && last) {
        unread = last.at;
        before = { at: last.at, id: last.id };
      } else {
        unread = rest;
        windowMs *= 4;
      }
      const events = page.map((row) => new EventInRow(row));
      return query.fits ? events.filter(query.fits) : events;
    },
  };
}

/** The newest events of each ask, no fewer than it selects, in any order. */
export async function newestMoved(
  clickHouse: ClickHouse,
  scope: Scope,
  split: Split,
  queries: readonly EventQuery[],
  { isOfHeads = false, limit }: { isOfHeads?: boolean; limit: number },
): Promise<StoredEvent[]> {
  const source = sourceOf(scope, split);
  if (!source) return [];
  const found = new Map<string, StoredEvent>();
  const past = queries.filter(({ start }) => start < split.before);
  for (let from = 0; from < past.length; from += asksPerQuery) {
    const params: Params = {};
    const parts = past.slice(from, from + asksPerQuery).map((query, index) => {
      const own = conditionsOf(split, query, `${index}_`);
      Object.assign(params, own.params);
      return `(select ${heads}${isOfHeads ? '' : ', document'} from ${source} where ${own.conditions.join(' and ')}
        order by at desc, id desc limit ${Math.min(query.limit ?? limit, limit)})`;
    });
    for (const row of await clickHouse.query<Row>(parts.join(' union all '), params))
      found.set(`${row.organisation_id} ${row.at} ${row.id}`, new EventInRow(row));
    if (found.size > limit) throw new TookTooLongError(`More than ${limit} events were asked for at once.`);
  }
  return [...found.values()];
}

export async function findMoved(
  clickHouse: ClickHouse,
  organisationId: number,
  split: Split,
  keys: readonly EventKey[],
): Promise<StoredEvent[]> {
  const source = sourceOf({ organisationIds: [organisationId] }, split);
  const found: StoredEvent[] = [];
  if (!source) return found;
  for (let from = 0; from < keys.length; from += keysPerQuery) {
    const some = keys.slice(from, from + keysPerQuery);
    const rows = await clickHouse.query<Row>(
      `select ${heads}, document from ${source} where ${counted(split)}
        and at in (${[...new Set(some.map(({ at }) => whole(at)))].join(',')})
        and (at, id) in (${some.map(({ at, id }) => `(${whole(at)}, ${quotedId(id)})`).join(',')})`,
    );
    found.push(...rows.map((row) => new EventInRow(row)));
  }
  return found;
}

export async function countMoved(
  clickHouse: ClickHouse,
  scope: Scope,
  split: Split,
  { start, end, bucketMs }: EventCounts,
): Promise<[bar: number, count: number][]> {
  const source = sourceOf(scope, split);
  if (!source || start >= split.before) return [];
  const rows = await clickHouse.query<{ bar: number; count: number }>(
    `select toInt64(floor(at / ${whole(bucketMs)})) as bar, count() as count from ${source}
      where ${counted(split)} and ${between({ start, end })} group by bar`,
  );
  return rows.map(({ bar, count }) => [bar * bucketMs, count]);
}

/** Arrival of the first event of a device. */
export async function firstArrivalMoved(
  clickHouse: ClickHouse,
  scope: Scope,
  split: Split,
  organisationId: number,
  device: string,
): Promise<number | undefined> {
  const source = sourceOf(scope, split);
  if (!source) return undefined;
  const [row] = await clickHouse.query<{ first: number; count: number }>(
    `select min(received_at) as first, count() as count from ${source}
      where ${counted(split)} and organisation_id = ${whole(organisationId)} and device_name = {device:String}`,
    { device: device.toWellFormed() },
  );
  return row && row.count > 0 ? row.first : undefined;
}

export interface MovedSize {
  organisationId: number;
  events: number;
  oldest: number;
  firstReceived: number;
  /** Arrivals since a time. */
  recent: number;
}

/** Numbers by organisation; those without events are missing. */
export async function sizesMoved(clickHouse: ClickHouse, scope: Scope, split: Split, since: number): Promise<MovedSize[]> {
  const source = sourceOf(scope, split);
  if (!source) return [];
  return clickHouse.query<MovedSize>(
    `select organisation_id as organisationId, count() as events, min(at) as oldest, min(received_at) as firstReceived,
      countIf(received_at >= ${whole(since)}) as recent from ${source} where ${counted(split)} group by organisation_id`,
  );
}

/** Bytes of an event on its disk, with indexes. */
export async function bytesPerEvent(clickHouse: ClickHouse): Promise<number> {
  const [row] = await clickHouse.query<{ bytes: number; rows: number }>(
    `select sum(bytes_on_disk) as bytes, sum(rows) as rows from system.parts
      where active and database = currentDatabase() and table in ('${eventsTable}', '${eventsTable}_local')`,
  );
  return row && row.rows > 0 ? row.bytes / row.rows : 0;
}
