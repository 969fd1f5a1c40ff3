/** SQL of events: newest first, along each organisation's index of time, until enough contain the text. */
import type { EventRow } from '@parapet/contract/events.ts';
import { type RawBuilder, sql } from 'kysely';
import { containing, containingInJson, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { dayMs, hourMs, type Range } from '../../core/ranges.ts';

export interface EventsAsk {
  range: Range;
  text: string;
  device: string | undefined;
  limit: number;
}

/** The contract's limit of one answer. */
const maxRows = 200;
const totalTimeMs = 5_000;
/** Several organisations' events lie in no common order: the newest hour is looked through in all of them before an older one in any. */
const windowsMs = [hourMs, 6 * hourMs, dayMs, 4 * dayMs];

interface Row {
  id: string;
  clientOrganizationID: number;
  clientOrganizationName: string;
  at: Date;
  receivedAt: Date;
  skew: number;
  shape: string;
  deviceName: string | null;
  userName: string | null;
  text: string;
  document: Record<string, unknown>;
}

/**
 * At least `limit` rows where there are so many: those of the last row's very instant come along, because the next page begins before it. Of
 * more than 200 events of one instant the rest is not reached. Runs into the statement's time limit when all takes longer than 5 s.
 */
export async function listEvents(tx: Tx, scope: Scope, { range, text, device, limit }: EventsAsk): Promise<EventRow[]> {
  const organisations = scope === 'system' ? [] : scope.organisationIds;
  const isSplit = organisations.length > 1 && text !== '';
  const conditions = [
    ...(device === undefined ? [] : [sql<boolean>`e.device_name = ${storable(device)}`]),
    ...(text === ''
      ? []
      : [sql<boolean>`(e.text ilike ${containing(text)} or e.document::text ilike ${containingInJson(text)})`]),
  ];
  const until = performance.now() + totalTimeMs;
  const found: Row[] = [];
  let { end } = range;
  for (const length of isSplit ? [...windowsMs, Number.POSITIVE_INFINITY] : [Number.POSITIVE_INFINITY]) {
    if (end <= range.start || found.length >= limit) break;
    const window = { start: Math.max(range.start, end - length), end };
    if (isSplit)
      await sql`set local statement_timeout = ${sql.lit(Math.max(1, Math.ceil(until - performance.now())))}`.execute(tx);
    const { rows } = await eventsOf(organisations, window, conditions, limit - found.length).execute(tx);
    found.push(...rows);
    end = window.start;
  }
  return found.slice(0, maxRows).map(toEventRow);
}

function eventsOf(
  organisations: readonly number[],
  { start, end }: Range,
  conditions: RawBuilder<boolean>[],
  limit: number,
): RawBuilder<Row> {
  const all = sql.join(
    [sql`e.organisation_id = h.organisation_id`, sql`e.at >= ${new Date(start)} and e.at < ${new Date(end)}`, ...conditions],
    sql` and `,
  );
  return sql<Row>`
    select e.id, e.organisation_id as "clientOrganizationID", (select name from organisations where id = e.organisation_id) as "clientOrganizationName",
      e.at, e.received_at as "receivedAt", e.clock_skew as skew, left(e.shape, 20) as shape, left(e.device_name, 2000) as "deviceName",
      left(e.user_name, 2000) as "userName", left(e.text, 2000) as text, e.document
    from (
      select e.* from unnest(${[...organisations]}::integer[]) h (organisation_id) cross join lateral (
        select e.* from events e where ${all} order by e.at desc fetch first ${limit} rows with ties
      ) e order by e.at desc fetch first ${limit} rows with ties
    ) e order by e.at desc, e.id desc limit ${maxRows}`;
}

const toEventRow = ({ skew, at, receivedAt, ...row }: Row): EventRow => ({
  ...row,
  at: at.toISOString(),
  receivedAt: receivedAt.toISOString(),
  clockSkew: skew > 0 ? 'future' : skew < 0 ? 'past' : 'none',
});
