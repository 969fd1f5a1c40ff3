/** Search through what was sent, whatever its shape. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { eventsApi } from '@parapet/contract/events.ts';
import type { z } from 'zod';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { listEvents } from './events.store.ts';

export type EventsService = ReturnType<typeof createEventsService>;

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
      const until = Math.min(Date.parse(end), query.before === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.before));
      const ask = {
        range: { start: Date.parse(start), end: until },
        text: query.text,
        device: query.device,
        limit: query.pageSize,
      };
      return { results: await scoped(db, scope, (tx) => listEvents(tx, scope, ask), { readOnly: true }) };
    },
  };
}
