/** Data sources, with the alerts that each had in a timeframe. */
import type { devicesApi } from '@parapet/contract/devices.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { z } from 'zod';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { findFirstMonth } from '../../core/db/figures.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { countAlerts, listDevices } from './devices.store.ts';

export type DevicesService = ReturnType<typeof createDevicesService>;

export function createDevicesService({ db, clock = systemClock }: { db: Database; clock?: Clock }) {
  return {
    async list(
      actor: Actor,
      client: number,
      start: string,
      end: string,
      query: z.output<typeof devicesApi.list.query>,
    ): Promise<AnswerOf<typeof devicesApi.list>> {
      const scope = scopeFor(actor, client);
      const { text, type: types, tag: tags, pageSize: limit } = query;
      return scoped(
        db,
        scope,
        async (tx) => {
          const { results, total } = await listDevices(tx, scope, { text, types, tags, limit, offset: (query.page - 1) * limit });
          const firstMonth = await findFirstMonth(tx);
          const horizon = { now: clock.now(), ...(firstMonth !== undefined && { firstMonth }) };
          const counts = await countAlerts(tx, scope, results, { start: Date.parse(start), end: Date.parse(end) }, horizon);
          return { results: results.map((device, index) => ({ ...device, alertCount: counts[index]! })), total };
        },
        { readOnly: true },
      );
    },
  };
}
