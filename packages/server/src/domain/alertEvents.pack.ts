/** Packs the copies of alerts' events: some hundred of one client and day become one compressed block, encoded outside of the transaction that stores it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { integerColumn, timeColumn, uuidColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { readScoped, scoped } from '../core/db/scope.ts';
import { type AlertEvent, encodePack } from './alertEvents.ts';

/** Copies of a client and day that are worth a pack while more come: of one of 64 each copy takes about twice the bytes. */
const manyCopies = 512;
/** The same once none has come for a while. */
const someCopies = 64;
const quietMs = 5_000;
const maxWait = "interval '1 hour'";
/** More cost a reader of one alert. */
const maxCopiesPerPack = manyCopies;
const groupsPerRun = 200;

interface Group {
  organisationId: number;
  day: Date;
}

/** Returns how many copies were packed until the time was over; with `fewest`, of each client and day with as many, while more come as well. */
export async function packAlertEvents(db: Database, now: number, timeMs: number, fewest?: number): Promise<number> {
  const until = performance.now() + timeMs;
  const groups = await readScoped(db, 'system', async (tx) => {
    const { rows } = await sql<Group>`
      select organisation_id as "organisationId", date_trunc('day', alert_at, 'UTC') as day from alert_events where is_recent
      group by 1, 2 having count(*) >= ${sql.lit(fewest ?? manyCopies)} or min(copied_at) < ${new Date(now)}::timestamptz - ${sql.raw(maxWait)}
        or count(*) >= ${sql.lit(someCopies)} and max(copied_at) < ${new Date(now - quietMs)}
      order by count(*) desc limit ${sql.lit(groupsPerRun)}`.execute(tx);
    return rows;
  });
  let packed = 0;
  for (const group of groups) {
    for (let copies = maxCopiesPerPack; copies === maxCopiesPerPack && performance.now() < until; packed += copies)
      copies = await packGroup(db, group);
  }
  return packed;
}

type WaitingCopy = AlertEvent & { alertAt: number };

async function packGroup(db: Database, { organisationId, day }: Group): Promise<number> {
  const waiting = await readScoped(db, { organisationIds: [organisationId] }, async (tx) => {
    const { rows } = await sql<WaitingCopy>`
      select alert_id as "alertId", event_id as "eventId", (extract(epoch from event_at) * 1000)::float8 as at, (extract(epoch from alert_at) * 1000)::float8 as "alertAt",
        text, why, document
      from alert_events where is_recent and organisation_id = ${organisationId} and alert_at >= ${day} and alert_at < ${day}::timestamptz + interval '1 day'
      order by alert_id, event_at, event_id limit ${sql.lit(maxCopiesPerPack)}`.execute(tx);
    return rows;
  });
  // A block counts milliseconds.
  const copies = waiting.filter(({ at, alertAt }) => Number.isInteger(at) && Number.isInteger(alertAt));
  if (copies.length === 0) return 0;
  const { encoded, eventIds } = await encodePack(copies);
  const times = copies.map(({ alertAt }) => alertAt);
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const id = randomUUID();
  await scoped(db, 'system', async (tx) => {
    await sql`
      insert into alert_event_packs (id, organisation_id, first_alert_at, last_alert_at, count, alert_ids, event_ids, body)
      values (${id}, ${organisationId}, ${new Date(first)}, ${new Date(last)}, ${copies.length},
        ${integerColumn([...new Set(copies.map(({ alertId }) => alertId))])}, ${eventIds}, ${encoded.body})`.execute(tx);
    await sql`
      select remove_packed_copies(${organisationId}, ${integerColumn(copies.map(({ alertId }) => alertId))}, ${timeColumn(copies.map(({ at }) => at))},
        ${uuidColumn(copies.map(({ eventId }) => eventId))}, ${id})`.execute(tx);
  });
  return copies.length;
}
