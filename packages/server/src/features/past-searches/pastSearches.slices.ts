/** Slices of stored events of one client, and what is stored of each. */
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { eventStore, type StoredEvent } from '../../domain/events/eventStore.ts';
import type { Detector } from '../../pipeline/detector.ts';
import './pastSearches.audit.ts';
import * as store from './pastSearches.store.ts';

export interface PastSearchDeps {
  db: Database;
  clock: Clock;
  log: Log;
  detector: Detector;
  groupingWindowMs: number;
  /** Days of events by the portal’s default. */
  eventRetentionDays: number;
  /** Milliseconds of one slice; tests take fewer. */
  sliceMs?: number;
}

const sliceMs = 4_000;
/** Milliseconds that a slice may take when blocks overlap. */
const limitMs = 120_000;

/** Searches one client further; returns false when another worker has the search. */
export type SearchClient = (client: store.ClientRow) => Promise<boolean>;

/** Visits the events of a client before a time; returns the place that the slice ended at, undefined at the end of the range. */
export const readSlice = (
  { db, sliceMs: ms = sliceMs }: PastSearchDeps,
  client: store.ClientRow,
  visit: (event: StoredEvent) => boolean,
): Promise<number | undefined> => {
  const scope = { organisationIds: [client.organisationId] };
  const now = performance.now();
  const ask = { start: client.firstAt, end: client.searchedTo, stopAt: now + ms, deadline: now + limitMs };
  return readScoped(db, scope, (tx) => eventStore.scan(tx, scope, ask, visit), {
    isolation: 'repeatable read',
    statementTimeoutMs: limitMs,
  });
};

/** Stores the progress of a client; at its end with the audit entry of the client. */
export const saveClient = ({ db }: PastSearchDeps, search: store.SearchRow, progress: store.Progress): Promise<boolean> =>
  scoped(db, 'system', async (tx) => {
    if (!(await store.saveProgress(tx, search.id, progress))) return false;
    if (progress.state !== 'done') return true;
    const { organisationId } = progress;
    const after = { kind: search.kind, name: search.name, ...(await store.countHits(tx, search.id, organisationId)) };
    await recordAudit(tx, systemAuditor(organisationId), {
      action: 'pastSearch.searched',
      organisationId,
      target: String(search.id),
      after,
    });
    return true;
  });
