/** Turns of connections against simulated vendors, on a real database and the real intake, with a clock that the test moves. */
import { connectorOf } from '@parapet/connectors/all.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { sql } from 'kysely';
import { movableClock, systemClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { eventStore } from '../src/domain/events/eventStore.ts';
import { createAccounts } from '../src/features/connections/connections.accounts.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { insertConnection, newConnectionId, updateState } from '../src/features/connections/connections.store.ts';
import { createTurnsOfConnections, leaseMs } from '../src/features/connections/connections.turn.ts';
import { createConnectionsWorker } from '../src/features/connections/connections.worker.ts';
import { createIngestService, type IngestService } from '../src/features/ingest/ingest.service.ts';
import { createDetector } from '../src/pipeline/detector.ts';
import { createDeviceRegister } from '../src/pipeline/devices.ts';
import { createEventWriter } from '../src/pipeline/event-writer.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { keysOf } from './keys.ts';
import { builtInOf } from './rules.ts';

/** A death of the process in the middle of storing, before or after the commit; the lease stays. */
class Killed extends Error {
  code = '57P01';
}

export type ConnectionsFixture = Awaited<ReturnType<typeof connectionsFixture>>;

export async function connectionsFixture(vendors: readonly Vendor[], given?: TestDatabase) {
  const database = given ?? (await testDatabase());
  const { db } = database;
  const clock = movableClock(Date.now());
  await scoped(db, 'system', (tx) => sql`select make_partitions(current_date - 40, current_date + 40)`.execute(tx));
  const keys = await keysOf(db);
  const detector = await createDetector({ db, builtIn: await builtInOf() });
  const devices = createDeviceRegister(detector.sourcesOf);
  const eventWriter = createEventWriter({ db, clock, detector, devices, groupingWindowMs: hourMs, log: silentLog });
  const ingest = createIngestService({ eventWriter, detector, clock, eventRetentionMs: 30 * 24 * hourMs, counted: () => {} });
  /** Kills the next stores, one entry each. */
  const kills: ('before' | 'after')[] = [];
  let intervention: (() => Promise<unknown>) | undefined;
  const take: IngestService['take'] = async (organisationId, arrivals, unparseable, met, alongside) => {
    const kill = kills.shift();
    await intervention?.();
    intervention = undefined;
    const taken = await ingest.take(organisationId, arrivals, unparseable, met, async (tx, stored) => {
      await alongside?.(tx, stored);
      if (kill === 'before') throw new Killed('killed before the commit');
    });
    if (kill === 'after') throw new Killed('killed after the commit');
    return taken;
  };
  const outbound = openOutbound({
    allowsInsecure: false,
    alsoOrigins: vendors.map(({ url }) => url),
    timeoutMs: 5_000,
    maxBytes: 8 * 1024 * 1024,
  });
  const openTurns = (random = () => 0.5) =>
    createTurnsOfConnections({
      db,
      clock,
      accounts: createAccounts({ db, clock: systemClock, keys, http: createVendorHttp(outbound), log: silentLog }),
      ingest: { take, inTurn: ingest.inTurn },
      connectorOf,
      eventRetentionMs: 30 * 24 * hourMs,
      random,
      log: silentLog,
    });
  let turns = openTurns();
  let nextOrganisation = 700;

  const organisation = async (): Promise<number> => {
    const id = nextOrganisation++;
    await scoped(db, 'system', (tx) =>
      tx
        .insertInto('organisations')
        .values({ id, name: `Organisation ${id}`, is_partner: false, is_mfa_compulsory: false })
        .execute(),
    );
    return id;
  };

  const row = (id: number) =>
    scoped(db, 'system', (tx) => tx.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow());

  return {
    database,
    db,
    clock,
    kills,
    keys,
    http: createVendorHttp(outbound),
    organisation,
    row,
    /** Adds a connection to a vendor; returns its id. */
    async connect(organisationId: number, vendor: Vendor, more: Record<string, string> = {}): Promise<number> {
      const connector = connectorOf(vendor.kind)!;
      const values: Record<string, string> = { ...vendor.values, ...more };
      return scoped(db, 'system', async (tx) => {
        const id = await newConnectionId(tx);
        const pick = (isSecret: boolean) =>
          Object.fromEntries(
            connector.fields.filter((field) => field.isSecret === isSecret).map(({ name }) => [name, values[name] ?? '']),
          );
        const place = { organisationId, column: 'connections.secrets', id } as const;
        const secrets = await keys.seal(tx, place, JSON.stringify(pick(true)));
        const account = connector.accountOf(values);
        await insertConnection(tx, {
          id,
          organisationId,
          kind: vendor.kind,
          name: `${vendor.kind} ${id}`,
          account,
          settings: pick(false),
          secrets,
          mayAct: connector.actions.length > 0,
        });
        return id;
      });
    },
    /** Takes a turn at the time when the connection is due, as the next process does after a death. */
    async turn(id: number): Promise<void> {
      const { next_at: nextAt, leased_until: leasedUntil } = await row(id);
      clock.moveTo(Math.max(clock.now(), nextAt.getTime() + 1, (leasedUntil?.getTime() ?? 0) + 1));
      for (const connection of await turns.claim([id]))
        await turns.run(connection, new AbortController().signal).catch((error) => {
          if (!(error instanceof Killed)) throw error;
          // Another process has no access token.
          turns = openTurns();
        });
    },
    pause: (id: number) => scoped(db, 'system', (tx) => updateState(tx, 'system', id, true)),
    pauseAll: () => scoped(db, 'system', (tx) => tx.updateTable('connections').set({ state: 'paused' }).execute()),
    /** Runs once, before the next batch is stored. */
    beforeStore: (run: () => Promise<unknown>) => {
      intervention = run;
    },
    resume: (id: number) => scoped(db, 'system', (tx) => updateState(tx, 'system', id, false)),
    worker: () => createConnectionsWorker({ db, clock, turns: openTurns() }),
    /** The vendor's ids of the stored events. */
    async stored(organisationId: number): Promise<string[]> {
      const scope = { organisationIds: [organisationId] };
      const all = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
      const ids: string[] = [];
      // As rows of a statement, 18,000 documents take seconds.
      await scoped(
        db,
        scope,
        (tx) =>
          eventStore.scan(tx, scope, all, ({ shape, document }) => {
            if (shape !== 'ecs') ids.push(String((document.event as { id?: unknown }).id));
            return false;
          }),
        { isolation: 'repeatable read' },
      );
      return ids;
    },
    alerts: (organisationId: number) =>
      scoped(db, { organisationIds: [organisationId] }, (tx) =>
        tx
          .selectFrom('alerts')
          .innerJoin('rules', 'rules.id', 'alerts.rule_id')
          .select(['rules.title', 'alerts.device_name as device', 'alerts.user_name as user'])
          .orderBy('alerts.id')
          .execute(),
      ),
    async close(): Promise<void> {
      await outbound.close();
      if (!given) await database.close();
    },
  };
}

export { leaseMs };
