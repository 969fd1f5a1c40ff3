/**
 * Incidents of vendors and their cases, both ways (docs/decisions/0097-incidents.md). Each account is worked on under a lease: alerts are linked to the incidents they
 * name, changes at the vendor are listed, and each incident that is due is read, compared with its cases and changed. A change is done once a new reading
 * shows it; a process that dies in between repeats the comparison, which finds what is left to do.
 */
import type { Connector } from '@parapet/connectors/connector.ts';
import { RefusedError, ThrottledError, VendorError } from '@parapet/connectors/errors.ts';
import type { IncidentRef, IncidentSupport, Incidents } from '@parapet/connectors/incidents.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { type Bus, onEach } from '../../core/bus.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { createSharedRun } from '../../core/sharedRun.ts';
import type { Accounts } from './connections.accounts.ts';
import { type CompareDeps, type Compared, compareIncident } from './connections.incidents.cases.ts';
import { missingOf } from './connections.incidents.rules.ts';
import * as store from './connections.incidents.store.ts';
import { retryMs } from './connections.turn.ts';

/** Longer than the requests for one incident take. */
export const syncLeaseMs = 3 * 60_000;
export const syncEveryMs = 60_000;
const maxPerRound = 200;
const maxAtOnce = 4;
/** Bounds of a turn; what is left waits behind the others. */
const maxIncidents = 100;
const maxTurnMs = 25_000;
const maxPages = 10;
/** Changes of cases within it are one. */
const gatherMs = 1_000;
/** Changes are read again that far back: lists may show them late. */
const overlapMs = 2 * 60_000;
/** Alerts of the last hours are looked through each time, those of the last days every hour: events may be late. */
const recentMs = 2 * hourMs;
const lateMs = 2 * dayMs;

export interface IncidentsDeps extends CompareDeps {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  connectors: readonly Connector[];
  /** Between 0 and 1. */
  random: () => number;
  log: Log;
}

/** The account was taken over or removed during a turn. */
class SupersededError extends Error {}

export type IncidentsWorker = ReturnType<typeof createIncidentsWorker>;

export function createIncidentsWorker(deps: IncidentsDeps) {
  const { db, clock, log } = deps;
  const kinds = deps.connectors.filter(({ incidents }) => incidents).map(({ id }) => id);
  const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(db, 'system', work);
  let changed = new Set<number>();
  let isWhole = false;

  /** @param incidents those to compare; undefined for a whole turn */
  const runOne = async (id: number, incidents?: readonly number[]): Promise<void> => {
    const now = clock.now();
    const sync = await system((tx) => store.claimSync(tx, id, new Date(now), new Date(now + syncLeaseMs)));
    if (!sync) return;
    const work = incidents ? shortTurn(deps, sync, incidents, rounds.signal) : turn(deps, sync, rounds.signal);
    const end = await work.catch((error): store.SyncEnd | undefined => {
      if (error instanceof SupersededError) return undefined;
      if (isDatabaseAway(error)) throw error;
      if (error instanceof RefusedError) deps.accounts.forget(id);
      if (!(error instanceof VendorError)) log.error({ err: error, connection: id }, 'incidents could not be compared');
      const failures = sync.failures + 1;
      const wait = error instanceof ThrottledError ? error.retryAfterMs : retryMs(sync.failures, deps.random());
      const words = error instanceof VendorError ? error.message : 'Incidents could not be compared. The portal tries again.';
      return { nextAt: new Date(clock.now() + wait), failures, error: words };
    });
    if (end) await system((tx) => store.endSync(tx, sync, end, new Date(clock.now())));
  };

  /** Work that was requested since the call before. */
  const listDue = async (): Promise<{ id: number; incidents?: number[] }[]> => {
    const cases = [...changed];
    const isEach = isWhole;
    changed = new Set();
    isWhole = false;
    const now = new Date(clock.now());
    return system(async (tx) => {
      const short = cases.length > 0 ? await store.listChangedIncidents(tx, now, cases, maxPerRound) : [];
      if (!isEach) return short;
      await store.addSyncs(tx, kinds);
      return [...short, ...(await store.listDueSyncs(tx, now, maxPerRound)).map((id) => ({ id }))];
    });
  };

  const rounds = createSharedRun(async (closing) => {
    const due = await listDue();
    const waiting = due.values();
    const runWaiting = async () => {
      for (const { id, incidents } of waiting) if (!closing.aborted) await runOne(id, incidents);
    };
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, due.length) }, runWaiting));
    return false;
  });

  return {
    runOne,
    /** Works on whatever is due, or on the incidents of changed cases alone. Calls during a run share it. */
    run(...caseIds: readonly number[]): Promise<void> {
      for (const id of caseIds) changed.add(id);
      if (caseIds.length === 0) isWhole = true;
      return rounds.run();
    },
    close: rounds.close,
  };
}

/** Runs the worker soon after changes of cases, for several together. Returns a function that stops it. */
export function startIncidentsWorker(bus: Pick<Bus, 'on'>, worker: IncidentsWorker, log: Log): () => Promise<void> {
  const run = (...ids: readonly number[]) =>
    void worker.run(...ids).catch((error) => log.error({ err: error }, 'incidents could not be compared'));
  const changed = new Set<number>();
  let timer: NodeJS.Timeout | undefined;
  const runChanged = () => {
    timer = undefined;
    const ids = [...changed];
    changed.clear();
    run(...ids);
  };
  const ends = [
    bus.on('case.changed', ({ caseIds }) => {
      for (const id of caseIds) changed.add(id);
      if (changed.size > 0) timer ??= setTimeout(runChanged, gatherMs);
    }),
    onEach(bus, 'connections.incidentsDue', () => run()),
  ];
  run();
  return async () => {
    for (const end of ends) end();
    clearTimeout(timer);
    await worker.close();
  };
}

interface Turn {
  deps: IncidentsDeps;
  sync: store.ClaimedSync;
  api: Incidents;
  who: string;
}

/** Undefined for a kind without incidents. */
async function openTurn(
  deps: IncidentsDeps,
  sync: store.ClaimedSync,
): Promise<(Turn & { support: IncidentSupport }) | undefined> {
  const connector = deps.connectors.find(({ id }) => id === sync.kind);
  const support = connector?.incidents;
  const api = support && (await deps.accounts.open(connector, sync)).incidents;
  return connector && support && api && { deps, sync, api, support, who: connector.title };
}

async function turn(deps: IncidentsDeps, sync: store.ClaimedSync, closing: AbortSignal): Promise<store.SyncEnd> {
  const { clock } = deps;
  const of = await openTurn(deps, sync);
  if (!of) return { nextAt: new Date(clock.now() + hourMs), failures: 0, error: null };
  const started = clock.now();
  const linkedAt = await link(of, of.support);
  const readUntil = await listChanges(of);
  let refusal: string | null = null;
  let count = 0;
  const due = await inTurn(of, (tx) => store.listDueIncidents(tx, sync, new Date(clock.now()), maxIncidents));
  for (const id of due) {
    if (closing.aborted || (count++ > 0 && clock.now() - started > maxTurnMs)) break;
    // Without a permission to write, the others are read nevertheless.
    refusal = (await settle(of, id)) ?? refusal;
  }
  const isOver = count >= due.length && due.length < maxIncidents;
  const nextAt = new Date(clock.now() + (isOver ? syncEveryMs : 0));
  return { nextAt, failures: refusal === null ? 0 : sync.failures + 1, error: refusal, readUntil, linkedAt };
}

/** Compares incidents whose cases changed; what changed at the vendor is left to the next whole turn. */
async function shortTurn(
  deps: IncidentsDeps,
  sync: store.ClaimedSync,
  incidents: readonly number[],
  closing: AbortSignal,
): Promise<store.SyncEnd> {
  const of = await openTurn(deps, sync);
  let refusal: string | null = null;
  if (of) for (const id of incidents) if (!closing.aborted) refusal = (await settle(of, id)) ?? refusal;
  return { nextAt: sync.nextAt, failures: refusal === null ? 0 : sync.failures + 1, error: refusal };
}

/** In a transaction that holds the lease. */
const inTurn = <T>(
  { deps, sync }: Turn,
  work: (tx: Tx, setting: NonNullable<Awaited<ReturnType<typeof store.holdSync>>>) => Promise<T>,
): Promise<T> =>
  scoped(deps.db, 'system', async (tx) => {
    const setting = await store.holdSync(tx, sync, new Date(deps.clock.now() + syncLeaseMs));
    if (setting === undefined) throw new SupersededError();
    return work(tx, setting);
  });

/** Links alerts to the incidents that their events name. Returns the time of a look at the last days; undefined for a short one. */
async function link(of: Turn, support: IncidentSupport): Promise<Date | undefined> {
  const { sync, deps } = of;
  const now = deps.clock.now();
  const isLong = sync.linkedAt === null || now - sync.linkedAt.getTime() > hourMs;
  const since = new Date(now - (isLong ? lateMs : recentMs));
  await inTurn(of, async (tx) => {
    const events = await store.listAlertEvents(tx, sync.organisationId, support, since);
    const links = events.flatMap(({ fields, ...alert }) => {
      const ref = support.ofEvent(fields, sync.account);
      return ref ? [{ ...alert, ref }] : [];
    });
    await store.saveLinks(tx, sync, links);
  });
  return isLong ? new Date(now) : undefined;
}

/** Marks incidents that changed at the vendor. Returns the time up to which they are known. */
async function listChanges(of: Turn): Promise<Date> {
  const { api, sync, deps } = of;
  const since = sync.readUntil.getTime() - overlapMs;
  const now = deps.clock.now();
  let newest = sync.readUntil.getTime();
  let page: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const { incidents, next } = await api.changed(since, page);
    const fresh = incidents.filter(({ changedAt }) => changedAt > 0);
    if (fresh.length > 0) await inTurn(of, (tx) => store.markChanged(tx, sync, fresh, new Date(now)));
    newest = Math.max(newest, ...fresh.map(({ changedAt }) => Math.min(changedAt, now)));
    if (next === undefined) break;
    page = next;
  }
  return new Date(newest);
}

/** Reads, compares and changes one incident. Returns the vendor's words where it refuses a change. Throws what concerns the whole account. */
async function settle(of: Turn, id: number): Promise<string | undefined> {
  const { deps, sync, api } = of;
  const row = await inTurn(of, (tx) => store.findIncident(tx, sync, id));
  if (!row) return undefined;
  const ref: IncidentRef = { kind: row.kind, id: row.vendorId };
  try {
    const now = await api.read(ref);
    if (!now) return await inTurn(of, (tx) => store.markGone(tx, id, new Date(deps.clock.now())).then(() => undefined));
    const { mergedInto } = now;
    if (mergedInto !== undefined && row.kind === 'incident')
      return await inTurn(of, (tx) => store.mergeIncident(tx, sync, id, mergedInto).then(() => undefined));
    const compared = await inTurn(of, async (tx, { mode: chosen, modeAt }) => {
      const current = await store.findIncident(tx, sync, id);
      // Changes from before the setting are taken as they are.
      const mode = current?.readAt && current.readAt < modeAt ? 'read' : chosen;
      const place = { organisationId: sync.organisationId, who: of.who, mode, readAt: new Date(deps.clock.now()) };
      return current && compareIncident(tx, deps, current, now, place);
    });
    if (compared) await send(of, id, ref, compared, now.comments);
    return undefined;
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof SupersededError || !(error instanceof VendorError)) throw error;
    const failures = row.failures + 1;
    const wait = error instanceof ThrottledError ? error.retryAfterMs : retryMs(row.failures, deps.random());
    const failed = { error: error.message, failures, nextAt: new Date(deps.clock.now() + wait) };
    await inTurn(of, (tx) => store.saveFailed(tx, id, failed));
    if (error instanceof ThrottledError) throw error;
    return error instanceof RefusedError ? error.message : undefined;
  }
}

/** An accepted change that the vendor does not show. */
class UnconfirmedError extends VendorError {}

async function send(of: Turn, id: number, ref: IncidentRef, { agreed, change, comment }: Compared, comments: readonly string[]) {
  const { deps, api, who } = of;
  if (change) await api.update(ref, change);
  const isLeft = (texts: readonly string[]) =>
    comment === undefined || texts.some((text) => referenceOf(text) === referenceOf(comment));
  if (comment !== undefined && !isLeft(comments)) await api.comment(ref, comment);
  const now = await api.read(ref);
  if (!now) throw new UnconfirmedError(`${who} no longer has the ${ref.kind}.`);
  const missing = [...(change ? missingOf(change, now) : []), ...(isLeft(now.comments) ? [] : ['comment'])];
  if (missing.length > 0)
    throw new UnconfirmedError(`${who} accepted the change but doesn’t show it: ${missing.join(', ')}. The portal tries again.`);
  const readAt = new Date(deps.clock.now());
  const nextAt = new Date(readAt.getTime() + hourMs);
  const set = { agreed: { ...agreed, state: now.state }, comment: null, isSending: false, failures: 0, error: null, nextAt };
  await inTurn(of, (tx) => store.saveIncident(tx, id, now, set, readAt));
}

/** Its last line. */
const referenceOf = (comment: string): string => comment.trim().split('\n').at(-1)!.trim();
