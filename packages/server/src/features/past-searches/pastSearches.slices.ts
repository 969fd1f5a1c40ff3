/** Slices of stored events of one client, and what is stored of each. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import { eventStore, type ScanQuery, type StoredEvent } from '../../domain/events/eventStore.ts';
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
  /** Waits milliseconds; tests count them. */
  wait?: (ms: number) => Promise<void>;
}

const sliceMs = 4_000;
/** Milliseconds that a slice may take when blocks overlap. */
export const limitMs = 120_000;
const maxPauseMs = 5_000;

/** Leaves others as much time as a slice took. */
export const rest = ({ wait = pause }: PastSearchDeps, began: number): Promise<void> =>
  wait(Math.min(maxPauseMs, performance.now() - began));

/** Events read, also where the turn then fails. */
export interface Turn {
  events: number;
}

/** Searches one client further; returns false when the search is left to another worker. */
export type SearchClient = (client: store.ClientRow, turn: Turn) => Promise<boolean>;

/** Visits the events of a client before a time; returns the place that the slice ended at, undefined at the end of the range. */
export const readSlice = (
  { db, sliceMs: ms = sliceMs }: PastSearchDeps,
  client: store.ClientRow,
  visit: (event: StoredEvent) => boolean,
  more: Pick<ScanQuery, 'texts' | 'onRuledOut'> = {},
): Promise<number | undefined> => {
  const scope = { organisationIds: [client.organisationId] };
  const now = performance.now();
  const query = { start: client.firstAt, end: client.searchedTo, stopAt: now + ms, deadline: now + limitMs, ...more };
  return readScoped(db, scope, (tx) => eventStore.scan(tx, scope, query, visit), {
    isolation: 'repeatable read',
    statementTimeoutMs: limitMs,
  });
};

/** Stores the progress of a client; at its end with the audit entry of the client, also of one that failed once events were read. */
export const saveClient = ({ db }: PastSearchDeps, search: store.SearchRow, progress: store.Progress): Promise<boolean> =>
  scoped(db, 'system', async (tx) => {
    if (!(await store.saveProgress(tx, search.id, progress))) return false;
    if (progress.state !== 'waiting') await recordSearched(tx, search, progress);
    return true;
  });

/** Takes the next search; those that have failed instead are recorded for clients whose events were read. */
export const takeSearch = ({ db, clock }: PastSearchDeps, maxDays: number): Promise<store.SearchRow | undefined> =>
  scoped(db, 'system', async (tx) => {
    const now = new Date(clock.now());
    for (const client of await store.failStopped(tx, now)) await recordSearched(tx, client, { ...client, state: 'waiting' });
    return store.takeSearch(tx, now, maxDays);
  });

async function recordSearched(
  tx: Tx,
  { id, kind, name }: Pick<store.SearchRow, 'id' | 'kind' | 'name'>,
  { organisationId, state }: Pick<store.Progress, 'organisationId' | 'state'>,
): Promise<void> {
  const counts = await store.countHits(tx, id, organisationId);
  if (state !== 'done' && counts.events === 0) return;
  const target = String(id);
  const after = { kind, name, ...counts };
  await recordAudit(tx, systemAuditor(organisationId), { action: 'pastSearch.searched', organisationId, target, after });
}
