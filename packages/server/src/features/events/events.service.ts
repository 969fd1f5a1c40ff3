/** Search through what was sent, whatever its shape. Each question leaves a row in the audit log: raw events show everything that people do. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import { problem } from '@parapet/contract/problem.ts';
import { maxEventHits, maxSearchDays } from '@parapet/contract/rules/values.ts';
import type { z } from 'zod';
import { recordAudit } from '../../core/audit.ts';
import type { Database } from '../../core/db/connect.ts';
import { isStatementTimeout, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { dayMs, type Range } from '../../core/ranges.ts';
import type { EventsFilter } from './events.filter.ts';
import { countEvents, listEvents, totalTimeMs } from './events.store.ts';

export type EventsService = ReturnType<typeof createEventsService>;

/** Minutes of a bar, the first that makes no more than 200 of them. */
const bucketsOfMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360];
const maxBars = 200;

function rangeOf(start: string, end: string): Range {
  const range = { start: Date.parse(start), end: Date.parse(end) };
  if (range.end - range.start > maxSearchDays * dayMs)
    throw problem.invalid({
      end: [`Events are searched over at most ${maxSearchDays} days at once. Choose a shorter timeframe.`],
    });
  return range;
}

/** A question that takes too long says what makes it shorter. */
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw problem.unavailable(
      `The search took longer than ${totalTimeMs / 1000} seconds. Name a device or user, or choose a shorter timeframe.`,
    );
  }
};

export function createEventsService({ db }: { db: Database }) {
  return {
    async search(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      query: z.output<typeof eventsApi.search.query>,
    ): Promise<AnswerOf<typeof eventsApi.search>> {
      const scope = scopeFor(actor, client);
      const range = rangeOf(start, end);
      const { pageSize, before, beforeID, ...filter } = query;
      // Before it is answered, so that a question that never ends is seen too.
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'events.searched',
          organisationId: client || actor.organisationId,
          after: { client, start, end, ...filter, ...(before && { before }) },
        }),
      );
      const at = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
      // The instant itself belongs to it where the id says which of its events were seen.
      const until = beforeID === undefined ? at : at + 1;
      const ask = {
        range: { ...range, end: Math.min(range.end, until) },
        filter,
        limit: pageSize,
        below: before !== undefined && beforeID !== undefined ? { at, id: beforeID } : undefined,
      };
      return {
        results: await inTime(
          scoped(db, scope, (tx) => listEvents(tx, scope, ask), { readOnly: true, statementTimeoutMs: totalTimeMs }),
        ),
      };
    },

    async timeline(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      filter: EventsFilter,
    ): Promise<AnswerOf<typeof eventsApi.timeline>> {
      const scope = scopeFor(actor, client);
      const range = rangeOf(start, end);
      const minutes = (range.end - range.start) / 60_000;
      // One bar more than fit: neither end needs to be where a bar begins.
      const bucketMinutes = bucketsOfMinutes.find((bucket) => minutes / bucket <= maxBars - 1) ?? 360;
      const ask = { range, filter, bucketMs: bucketMinutes * 60_000, limit: maxEventHits };
      const { bars, total } = await inTime(
        scoped(db, scope, (tx) => countEvents(tx, scope, ask), { readOnly: true, statementTimeoutMs: totalTimeMs }),
      );
      return {
        bucketMinutes,
        bars: [...bars].sort(([a], [b]) => a - b).map(([at, count]) => ({ at: new Date(at).toISOString(), count })),
        total: Math.min(total, maxEventHits),
        isAtLeast: total > maxEventHits,
      };
    },
  };
}
