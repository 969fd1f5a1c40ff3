/**
 * One turn of a connection: pulls page by page, and stores each page with its cursor in one transaction. A crash repeats at most the page in
 * progress, whose events the event store recognises by the vendor's ids.
 */
import type { Account, Connector, Pulled, VendorEvent } from '@parapet/connectors/connector.ts';
import { RefusedError, ThrottledError, VendorError } from '@parapet/connectors/errors.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit, systemAuditor } from '../../domain/audit.ts';
import type { IngestService } from '../ingest/ingest.service.ts';
import type { Accounts } from './connections.accounts.ts';
import { readInventory } from './connections.inventory.ts';
import { sourceOf } from './connections.names.ts';
import { createQuietSaves, isQuiet } from './connections.quiet.ts';
import { type Claimed, claim, type Progress, saveFailure, saveProgress, silenceSource } from './connections.work.store.ts';

/** Longer than any pull takes. */
export const leaseMs = 3 * 60_000;
/** Bounds of a turn; what is left waits behind the others. */
const maxPulls = 20;
const maxTurnMs = 20_000;
/** Age of the oldest events that a new connection reads. */
const firstWindowMs = dayMs;
/** Time that a consent may take to reach all parts of the vendor; until then refusals are tried again. */
const consentSpreadsMs = 15 * 60_000;
const firstRetryMs = 15_000;
const maxRetryMs = 30 * 60_000;

type Arrival = Parameters<IngestService['take']>[1][number];

export interface TurnDeps {
  db: Database;
  clock: Clock;
  accounts: Accounts;
  ingest: Pick<IngestService, 'take' | 'inTurn'>;
  connectorOf: (kind: string) => Connector | undefined;
  eventRetentionMs: number;
  /** Between 0 and 1. */
  random: () => number;
  log: Log;
}

type PullDeps = TurnDeps & { saveQuietly: ReturnType<typeof createQuietSaves> };

/** The connection was changed, removed or taken over during a pull. */
class SupersededError extends Error {}

/** Wait before the next attempt after so many failures, with jitter, in milliseconds. */
export const retryMs = (failures: number, random: number): number =>
  Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(failures, 20)) * (0.5 + random / 2);

export type Turns = ReturnType<typeof createTurnsOfConnections>;

export function createTurnsOfConnections(deps: TurnDeps) {
  const { db, clock, accounts } = deps;
  const saveQuietly = createQuietSaves(db);
  return {
    /** Leases those of some connections that are still due. */
    claim(ids: readonly number[]): Promise<Claimed[]> {
      const now = clock.now();
      return scoped(db, 'system', (tx) => claim(tx, ids, new Date(now), new Date(now + leaseMs)));
    },

    /** Pulls a connection that was leased. Never throws but while the database is away. */
    async run(connection: Claimed, closing: AbortSignal): Promise<void> {
      const connector = deps.connectorOf(connection.kind);
      try {
        if (!connector) throw new RefusedError('This version of the portal doesn’t have this kind of connection.');
        const account = await accounts.open(connector, connection);
        await readInventory(deps, account, connection, sourceOf(connector, connection.account));
        await pullAll({ ...deps, saveQuietly }, account, connector, connection, closing);
      } catch (error) {
        if (error instanceof SupersededError) return;
        if (isDatabaseAway(error)) throw error;
        if (error instanceof RefusedError) accounts.forget(connection.id);
        await fail(deps, connection, connector, error).catch((failure) => {
          if (isDatabaseAway(failure)) throw failure;
          // The lease ends, and the connection is pulled again.
          deps.log.error({ err: failure, connection: connection.id }, 'a failed pull could not be recorded');
        });
      }
    },
  };
}

/** Pulls until the end is reached or the turn is used up. `connection` follows what is stored. */
async function pullAll(
  deps: PullDeps,
  account: Account,
  connector: Connector,
  connection: Claimed,
  closing: AbortSignal,
): Promise<void> {
  const { clock, log } = deps;
  const started = clock.now();
  for (let pulls = 1; ; pulls++) {
    const from = clock.now() - Math.min(firstWindowMs, deps.eventRetentionMs);
    const pulled = await account.pull({ from, to: clock.now() }, connection.cursor ?? undefined);
    const now = clock.now();
    const isOver = !pulled.hasMore || pulls >= maxPulls || now - started > maxTurnMs || closing.aborted;
    const lastEventAt = newestOf(connection.lastEventAt, pulled.events);
    await store(deps, connection, sourceOf(connector, connection.account), pulled, {
      now: new Date(now),
      cursor: pulled.nextCursor,
      lastEventAt,
      lagMs: pulled.lag,
      warning: pulled.warning === undefined ? null : storable(pulled.warning).slice(0, 500),
      nextAt: isOver ? new Date(pulled.hasMore ? now : now + connector.everyMs) : undefined,
      leasedUntil: new Date(now + leaseMs),
    });
    Object.assign(connection, { version: connection.version + 1, cursor: pulled.nextCursor, lastEventAt });
    await pulled.acknowledge?.().catch((error) => log.warn({ err: error, connection: connection.id }, 'a queue was not emptied'));
    if (isOver) return;
  }
}

/** Stores events and cursor in one transaction. */
async function store(
  { db, ingest, saveQuietly }: PullDeps,
  { id, organisationId, version, kind }: Claimed,
  source: string,
  { events }: Pulled,
  next: Omit<Progress, 'id' | 'organisationId' | 'version' | 'stored'>,
): Promise<void> {
  const alongside = async (tx: Tx, stored: number) => {
    if (!(await saveProgress(tx, { ...next, id, organisationId, version, stored }))) throw new SupersededError();
  };
  const quiet = { ...next, id, organisationId, version, stored: 0 };
  if (events.length === 0 && isQuiet(quiet)) {
    if (!(await saveQuietly(quiet))) throw new SupersededError();
    return;
  }
  if (events.length === 0) return scoped(db, { organisationIds: [organisationId] }, (tx) => alongside(tx, 0));
  const arrivals = events.map((event) => arrivalOf(event, kind, source));
  await ingest.inTurn(() => ingest.take(organisationId, arrivals, [], undefined, alongside), organisationId);
}

/** Ends a turn by an error: waits, or stops when only a person can help. */
async function fail(deps: TurnDeps, connection: Claimed, connector: Connector | undefined, error: unknown): Promise<void> {
  const { id, organisationId } = connection;
  const now = deps.clock.now();
  const isStopped = error instanceof RefusedError && !isSpreading(connection, now);
  const isThrottled = error instanceof ThrottledError;
  if (!(error instanceof VendorError)) deps.log.warn({ err: error, connection: id }, 'a connection could not be pulled');
  const failures = isThrottled ? connection.failures : connection.failures + 1;
  const wait = isThrottled ? error.retryAfterMs * (1 + deps.random() / 10) : retryMs(connection.failures, deps.random());
  const nextAt = new Date(now + wait);
  const failure = { error: textOf(error), now: new Date(now), nextAt, failures, isStopped, isLimited: isThrottled };
  const after = { error: failure.error };
  const isSaved = await scoped(deps.db, { organisationIds: [organisationId] }, async (tx) => {
    if (!(await saveFailure(tx, connection, failure))) return false;
    const entry = { action: 'connection.stopped', organisationId, target: String(id), after } as const;
    if (!isStopped) return true;
    await recordAudit(tx, systemAuditor(organisationId), entry);
    if (connector) await silenceSource(tx, connection, sourceOf(connector, connection.account), failure.now);
    return true;
  });
  if (isSaved && isStopped && connector)
    await deps.ingest.take(organisationId, [stoppedEvent(connection, connector, failure.error, now)]);
}

/** True for a consent of some minutes that has not worked yet. */
const isSpreading = ({ pulledAt, consentedAt }: Claimed, now: number): boolean =>
  consentedAt !== null && now - consentedAt.getTime() < consentSpreadsMs && (pulledAt === null || pulledAt < consentedAt);

const arrivalOf = ({ id, raw, isOfDevice }: VendorEvent, kind: string, source: string): Arrival => ({
  raw,
  // The vendor's id is unique per kind: two connections to one account deliver the same events.
  index: `connection-${kind}`,
  documentId: id,
  ...(!isOfDevice && { deviceName: source }),
});

function newestOf(before: Date | null, events: readonly VendorEvent[]): Date | null {
  let newest = before?.getTime() ?? 0;
  for (const { at = 0 } of events) newest = Math.max(newest, at);
  return newest > 0 && newest < maxTime ? new Date(newest) : before;
}

/** Year 9999. */
const maxTime = 253_402_300_799_000;

const textOf = (error: unknown): string =>
  error instanceof VendorError
    ? storable(error.message).slice(0, 500)
    : 'The events could not be stored. The portal tries again.';

/** Raises an alert by a rule: the account is no longer watched. */
const stoppedEvent = ({ id, name, version, account }: Claimed, connector: Connector, error: string, now: number): Arrival => ({
  raw: {
    '@timestamp': new Date(now).toISOString(),
    message: `The connection ${name} was stopped. ${error}`,
    logsource: { product: 'portal', service: 'connections' },
    event: { dataset: 'portal.connections', kind: 'event', category: ['host'], action: 'connection-stopped', reason: error },
    host: { name: sourceOf(connector, account) },
  },
  index: 'portal-connections',
  documentId: `${id} ${version}`,
  receivedAt: now,
  isPortals: true,
});
