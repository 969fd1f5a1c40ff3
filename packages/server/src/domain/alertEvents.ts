/**
 * Copies of the events that raised alerts: rows for the first minutes, then packs, which are blocks of one organisation's copies (block.write.ts). Only
 * statements that need a field of many rows read the table themselves, and add what is packed.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn, timeColumn } from '../core/db/bulk.ts';
import { byKey, type Scope, type Tx } from '../core/db/scope.ts';
import type { MatchExplanation } from '../core/db/tables.detection.ts';
import { within } from '../core/db/within.ts';
import { Block } from './events/block.read.ts';
import { type BlockEvent, type EncodedBlock, encodeBlock } from './events/block.write.ts';
import { idAt, idBytes, idsOf } from './events/eventIds.ts';
import { setAside } from './events/openBlocks.ts';

export interface AlertRef {
  id: number;
  at: Date;
}

export interface AlertEvent {
  alertId: number;
  eventId: string;
  /** Milliseconds since 1970. */
  at: number;
  text: string;
  why: MatchExplanation;
  document: Record<string, unknown>;
}

export interface AlertEventQuery {
  /** Of each alert; the oldest ones unless `isNewestFirst`. */
  most: number;
  isNewestFirst?: boolean;
}

const byTime = (a: AlertEvent, b: AlertEvent): number =>
  a.at - b.at || (a.eventId < b.eventId ? -1 : a.eventId > b.eventId ? 1 : 0);

/** Copies by alert, in the order of the query; alerts without one are missing. */
export async function readAlertEvents(
  tx: Tx,
  scope: Scope,
  alerts: readonly AlertRef[],
  query: AlertEventQuery,
): Promise<Map<number, AlertEvent[]>> {
  if (alerts.length === 0) return new Map();
  const order = sql.raw(query.isNewestFirst ? 'desc' : 'asc');
  // Before the packs: a copy that is packed in between is then seen in both.
  const { rows } = await sql<AlertEvent>`${byKey}
    select e.alert_id as "alertId", e.event_id as "eventId", (extract(epoch from e.event_at) * 1000)::float8 as at, e.text, e.why, e.document
    from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(alerts.map(({ at }) => at.getTime()))}) as q (id, at)
    cross join lateral (
      select * from alert_events e where ${within('e.organisation_id', scope)} and e.alert_id = q.id and e.alert_at = q.at
      order by e.event_at ${order}, e.event_id ${order} limit ${query.most}
    ) e`.execute(tx);
  const found = await readPackedEvents(tx, scope, alerts, query);
  if (rows.length === 0) return found;
  const all = new Map<number, Map<string, AlertEvent>>();
  for (const event of [...rows, ...[...found.values()].flat()]) {
    const known = all.get(event.alertId) ?? new Map<string, AlertEvent>();
    known.set(`${event.at} ${event.eventId}`, event);
    all.set(event.alertId, known);
  }
  return new Map([...all].map(([id, events]) => [id, chosen([...events.values()], query)]));
}

function chosen(events: AlertEvent[], { most, isNewestFirst }: AlertEventQuery): AlertEvent[] {
  events.sort(isNewestFirst ? (a, b) => byTime(b, a) : byTime);
  return events.slice(0, most);
}

interface PackRow {
  id: string;
  organisationId: number;
  firstAt: number;
  lastAt: number;
  count: number;
  eventIds: Buffer;
  body: Buffer;
}

/** Packs whose bodies one statement reads: some 100 KB each. */
const packsPerRead = 50;

const packColumns = sql`p.id, p.organisation_id as "organisationId", (extract(epoch from p.first_alert_at) * 1000)::float8 as "firstAt",
  (extract(epoch from p.last_alert_at) * 1000)::float8 as "lastAt", p.count, p.event_ids as "eventIds", p.body`;

/** The same of packs alone. */
export async function readPackedEvents(
  tx: Tx,
  scope: Scope,
  alerts: readonly AlertRef[],
  query: AlertEventQuery,
): Promise<Map<number, AlertEvent[]>> {
  const found = new Map<number, Map<string, AlertEvent>>();
  if (alerts.length === 0) return new Map();
  const times = alerts.map(({ at }) => at.getTime());
  const wanted = new Set(alerts.map(({ id }) => id));
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const { rows: near } = await sql<{ id: string; firstAt: Date; alertIds: number[] }>`
    select p.id, p.first_alert_at as "firstAt", p.alert_ids as "alertIds" from alert_event_packs p where ${within('p.organisation_id', scope)}
      and p.first_alert_at > ${new Date(first - dayMs)} and p.first_alert_at < ${new Date(last + 1)} and p.last_alert_at >= ${new Date(first)}`.execute(
    tx,
  );
  // PostgreSQL compares each id of one array with each of the other.
  const packs = near.filter(({ alertIds }) => alertIds.some((id) => wanted.has(id)));
  for (let from = 0; from < packs.length; from += packsPerRead) {
    const part = packs.slice(from, from + packsPerRead);
    const { rows } = await sql<PackRow>`
      select ${packColumns} from alert_event_packs p where ${within('p.organisation_id', scope)}
        and p.first_alert_at = any(${timeColumn(part.map(({ firstAt }) => firstAt.getTime()))}) and p.id = any(${part.map(({ id }) => id)}::uuid[])`.execute(
      tx,
    );
    for (const row of rows)
      for (const event of await eventsOfPack(row, (id) => wanted.has(id))) {
        const known = found.get(event.alertId) ?? new Map<string, AlertEvent>();
        known.set(`${event.at} ${event.eventId}`, event);
        found.set(event.alertId, known);
      }
  }
  return new Map([...found].map(([id, events]) => [id, chosen([...events.values()], query)]));
}

/** Ids of the copies by alert. */
export async function readAlertEventIds(tx: Tx, scope: Scope, alerts: readonly AlertRef[]): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ alertId: number; eventId: string }>`
    select e.alert_id as "alertId", e.event_id as "eventId"
    from unnest(${integerColumn(alerts.map(({ id }) => id))}, ${timeColumn(alerts.map(({ at }) => at.getTime()))}) as q (id, at)
    join alert_events e on ${within('e.organisation_id', scope)} and e.alert_id = q.id and e.alert_at = q.at`.execute(tx);
  const packed = await readPackedEvents(tx, scope, alerts, { most: Number.POSITIVE_INFINITY });
  const ids = new Map<number, string[]>();
  for (const { alertId, eventId } of [...rows, ...[...packed.values()].flat()])
    ids.set(alertId, [...(ids.get(alertId) ?? []), eventId]);
  return ids;
}

/** Alerts with a packed copy of an event, of packs of alerts that began within a time. */
export async function alertsOfPackedEvent(
  tx: Tx,
  scope: Scope,
  event: { id: string; at: number },
  alerts: { start: number; end: number },
): Promise<number[]> {
  const { rows } = await sql<PackRow>`
    select ${packColumns} from alert_event_packs p where ${within('p.organisation_id', scope)}
      and p.first_alert_at > ${new Date(alerts.start - dayMs)} and p.first_alert_at < ${new Date(alerts.end)}
      and position(${idBytes(event.id)} in p.event_ids) > 0 limit ${packsPerRead}`.execute(tx);
  const found = new Set<number>();
  for (const row of rows)
    for (const copy of await eventsOfPack(row, undefined, event.id)) if (copy.at === event.at) found.add(copy.alertId);
  return [...found];
}

/** A document of a pack. */
interface Packed {
  why: MatchExplanation;
  document: Record<string, unknown>;
}

async function eventsOfPack(
  row: PackRow,
  isWanted: ((alertId: number) => boolean) | undefined,
  eventId?: string,
): Promise<AlertEvent[]> {
  try {
    const block = new Block(row.body, row.eventIds);
    if (block.count !== row.count) throw new RangeError('A pack has another number of events.');
    const [heads, documents] = [await block.heads(), await block.documents()];
    const events: AlertEvent[] = [];
    for (let place = 0; place < block.count; place++) {
      // The shape of a copy is its alert.
      const alertId = Number.parseInt(heads.shape[place]!, 36);
      if (isWanted && !isWanted(alertId)) continue;
      const id = idAt(row.eventIds, place);
      if (eventId !== undefined && id !== eventId) continue;
      const { why, document } = JSON.parse(documents.text(place)) as Packed;
      events.push({ alertId, eventId: id, at: heads.at[place]!, text: heads.text[place]!, why, document });
    }
    return events;
  } catch (error) {
    setAside(row, error);
    return [];
  }
}

export interface EncodedPack {
  encoded: EncodedBlock;
  eventIds: Buffer;
}

/** Compression of what stays; a pack is small, so that a higher level costs little. */
const level = 12;

export async function encodePack(copies: readonly AlertEvent[]): Promise<EncodedPack> {
  const events = copies.map(({ alertId, eventId, at, text, why, document }): BlockEvent => {
    const packed: Packed = { why, document };
    return { id: eventId, at, receivedAt: at, clockSkew: 0, shape: alertId.toString(36), text, document: { ...packed } };
  });
  return { encoded: await encodeBlock(events, level), eventIds: idsOf(events) };
}
