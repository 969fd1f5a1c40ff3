/** Responses that simulated vendors execute: the real ledger and worker, on a clock that the test moves. */
import { connectorOf } from '@parapet/connectors/all.ts';
import type { Account, Connector } from '@parapet/connectors/connector.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import type { Vendor } from '@parapet/world/vendors/vendor.ts';
import { expect } from 'vitest';
import { movableClock, systemClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { openOutbound } from '../src/core/outbound.ts';
import { createAccounts } from '../src/features/connections/connections.accounts.ts';
import { createActionsWorker } from '../src/features/connections/connections.actions.ts';
import { createVendorHttp } from '../src/features/connections/connections.http.ts';
import { readInventory } from '../src/features/connections/connections.inventory.ts';
import { responsesServiceOn, responsesWorld } from './responses.fixture.ts';

/** A death of the process in the middle of an attempt; the lease stays. */
class Killed extends Error {
  code = '57P01';
}

export type VendorActionsFixture = Awaited<ReturnType<typeof vendorActionsFixture>>;

export async function vendorActionsFixture(vendors: readonly Vendor[]) {
  const origins = vendors.map(({ url }) => url);
  const world = await responsesWorld({ CONNECTION_ORIGINS: origins.join(',') });
  const { t, system } = world;
  const clock = movableClock(Date.now());
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: origins, timeoutMs: 5_000, maxBytes: 8 * 1024 * 1024 });
  const kills: ('before' | 'after')[] = [];

  /** Dies before or after the request that starts an action. */
  const mortal = (connector: Connector): Connector => ({
    ...connector,
    open(values, http, clock): Account {
      const account = connector.open(values, http, clock);
      const { actions } = account;
      if (!actions) return account;
      return {
        ...account,
        actions: {
          ...actions,
          async act(request) {
            const kill = kills.shift();
            if (kill === 'before') throw new Killed('killed before the request');
            const handle = await actions.act(request);
            if (kill === 'after') throw new Killed('killed after the request');
            return handle;
          },
        },
      };
    },
  });
  const openWorker = () => {
    const accounts = createAccounts({
      db: t.db,
      clock: systemClock,
      keys: t.keys,
      http: createVendorHttp(outbound),
      log: silentLog,
    });
    const { onVendorOutcome } = responsesServiceOn(t.db, clock);
    const find = (kind: string) => {
      const connector = connectorOf(kind);
      return connector && mortal(connector);
    };
    const worker = createActionsWorker({
      db: t.db,
      clock,
      accounts,
      connectorOf: find,
      onOutcome: onVendorOutcome,
      random: () => 0.5,
      log: silentLog,
    });
    return { worker, accounts };
  };

  const tasks = (responseId: number) =>
    system((tx) => tx.selectFrom('connection_tasks').selectAll().where('response_id', '=', responseId).orderBy('id').execute());

  return {
    ...world,
    clock,
    kills,
    tasks,
    /** Adds a connection that may respond, and reads its devices. Returns its id. */
    async connect(organisationId: number, vendor: Vendor, more: { mayAct?: boolean; name?: string } = {}): Promise<number> {
      const { mayAct = true, name = `${vendor.kind} ${world.newName('')}` } = more;
      const body = { kind: vendor.kind, name, values: vendor.values, mayAct };
      const answer = await t.call(connectionsApi.create, { params: { client: organisationId }, body }, world.admin);
      expect(answer.statusCode, answer.body).toBe(200);
      const id = answer.json().id as number;
      await this.readDevices(id);
      return id;
    },
    async readDevices(id: number): Promise<void> {
      const row = await system((tx) => tx.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
      const connection = { id, organisationId: row.organisation_id, settings: row.settings, secrets: row.secrets };
      const account = await openWorker().accounts.open(connectorOf(row.kind)!, connection);
      await readInventory(
        { db: t.db, clock, log: silentLog },
        account,
        { ...connection, inventoryAt: null, failures: 0 },
        'Vendor',
      );
    },
    /** Attempts all tasks of a response until they ended, or `most` times, each when it is due. */
    async work(responseId: number, most = 10): Promise<void> {
      for (let attempt = 0; attempt < most; attempt++) {
        const open = (await tasks(responseId)).filter(({ next_at }) => next_at !== null);
        if (open.length === 0) return;
        const times = open.map(({ next_at, leased_until }) => Math.max(next_at!.getTime(), leased_until?.getTime() ?? 0));
        clock.moveTo(Math.max(clock.now(), Math.min(...times) + 1));
        const { worker } = openWorker();
        await worker.run().catch((error) => {
          if (!(error instanceof Killed)) throw error;
        });
        await worker.close();
      }
    },
    audit: (action: string) =>
      scoped(t.db, 'system', (tx) => tx.selectFrom('audit').selectAll().where('action', '=', action).orderBy('id').execute()),
    async close(): Promise<void> {
      await outbound.close();
      await t.close();
    },
  };
}
