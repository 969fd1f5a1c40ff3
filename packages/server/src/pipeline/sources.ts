/**
 * Log sources per device, by the names that rules use, to determine which rules receive data. Recorded in memory and written
 * at most hourly, so that a busy device costs nothing.
 */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Database } from '../core/db/connect.ts';
import { retrying, scoped } from '../core/db/scope.ts';
import type { Document, Event } from './event.ts';

/** Log sources of the rules that an event feeds, as in "windows / process_creation". */
export type SourcesOf = (document: Document) => readonly string[];

const maxRemembered = 200_000;
const rowsPerStatement = 5_000;

interface PendingSource {
  organisationId: number;
  name: string;
  source: string;
  at: number;
}

export function createSourceRegister(sourcesOf: SourcesOf) {
  const written = new Map<string, number>();
  let waiting = new Map<string, PendingSource>();

  return {
    note(organisationId: number, events: readonly Event[]): void {
      for (const { arrival, deviceName: name, document, at } of events) {
        if (name === undefined || arrival.isPortals) continue;
        for (const source of sourcesOf(document)) {
          const key = `${organisationId}\n${source}\n${name}`;
          if (at - (written.get(key) ?? Number.NEGATIVE_INFINITY) < hourMs) continue;
          const known = waiting.get(key);
          if (known) known.at = Math.max(known.at, at);
          else if (waiting.size < maxRemembered) waiting.set(key, { organisationId, name, source, at });
        }
      }
    },

    async flush(db: Database): Promise<void> {
      const rows = [...waiting];
      waiting = new Map();
      for (let from = 0; from < rows.length; from += rowsPerStatement) {
        const part = rows.slice(from, from + rowsPerStatement);
        const pending = part.map(([, row]) => row);
        try {
          await retrying(() =>
            scoped(
              db,
              'system',
              (tx) =>
                // Duplicates count for the device that they were merged into.
                sql`insert into device_sources (organisation_id, device_id, log_source, last_at)
                  select d.organisation_id, coalesce(d.merged_into, d.id), n.source, max(n.at)
                  from unnest(${integerColumn(pending.map((row) => row.organisationId))}, ${textColumn(pending.map((row) => row.name))},
                    ${textColumn(pending.map((row) => row.source))}, ${timeColumn(pending.map((row) => row.at))}) as n (organisation_id, name, source, at)
                  join devices d on d.organisation_id = n.organisation_id and d.name = n.name
                  group by 1, 2, 3 order by 1, 2, 3
                  on conflict (device_id, log_source) do update
                    set last_at = greatest(device_sources.last_at, excluded.last_at)`.execute(tx),
              { statementTimeoutMs: 30_000 },
            ),
          );
        } catch (error) {
          for (const [key, row] of rows.slice(from)) if (!waiting.has(key)) waiting.set(key, row);
          throw error;
        }
        if (written.size > maxRemembered) written.clear();
        for (const [key, { at }] of part) written.set(key, at);
      }
    },
  };
}
