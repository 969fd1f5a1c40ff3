/**
 * Issue M: 10,000 deliveries to 50 targets, of which 5 are dead (they take the connection and never respond) and 5 slow (3 s): time from a healthy
 * target's event to its confirmation, and memory. Events come at a steady rate, one for every target at once.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { targetKindOf } from '@parapet/connectors/out/all.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { openOutbound } from '@parapet/server/core/outbound.ts';
import { queueDeliveries } from '@parapet/server/domain/causes.ts';
import { insertRule } from '@parapet/server/features/deliveries/deliveries.rules.store.ts';
import { insertTarget, newTargetId } from '@parapet/server/features/deliveries/deliveries.store.ts';
import { createTurns } from '@parapet/server/features/deliveries/deliveries.turn.ts';
import { createVault, rotated } from '@parapet/server/features/deliveries/deliveries.vault.ts';
import { createDeliveriesWorker, startDeliveriesWorker } from '@parapet/server/features/deliveries/deliveries.worker.ts';
import { sql } from 'kysely';
import { everything, testBrand } from '../packages/server/test/deliveries.fixture.ts';
import { keysOf } from '../packages/server/test/keys.ts';
import { percentile } from './figures.ts';
import type { Options, Result } from './run.ts';
import { temporaryDatabase } from './temporary-database.ts';

const [targets, dead, slow] = [50, 5, 5];
const slowMs = 3_000;
/** Of 50 deliveries each. */
const everyMs = 500;
const limitMs = 2_000;
const organisationId = 5000;

/** Responds by the path: /dead/… never, /slow/… late, others at once. */
async function openReceiver() {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url?.startsWith('/dead')) return;
    const answer = () => response.writeHead(200).end();
    if (request.url?.startsWith('/slow')) setTimeout(answer, slowMs).unref();
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

export async function run(_isCi: boolean, { small }: Options): Promise<Result[]> {
  const rounds = small ? 20 : 200;
  const { db, bus, session, close } = await temporaryDatabase();
  const receiver = await openReceiver();
  const outbound = openOutbound({ allowsInsecure: false, alsoOrigins: [receiver.url], timeoutMs: 10_000 });
  try {
    await session(organisationId);
    const vault = createVault(db, await keysOf(db));
    const kind = targetKindOf('webhook')!;
    const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(db, 'system', work);
    const healthy: number[] = [];
    for (let number = 0; number < targets; number++) {
      const name = number < dead ? 'dead' : number < dead + slow ? 'slow' : 'healthy';
      const id = await system(newTargetId);
      if (name === 'healthy') healthy.push(id);
      const secrets = await vault.seal(organisationId, id, rotated(kind, {}, Date.now())!.secrets);
      const settings = { url: `${receiver.url}/${name}/${number}` };
      await system((tx) =>
        insertTarget(tx, { id, organisationId, kind: 'webhook', name: `${name} ${number}`, settings, secrets, follows: false }),
      );
      await system((tx) => insertRule(tx, organisationId, everything(id)));
    }
    const call = async () => ({ kind: 'refused', words: '' }) as const;
    const push = () => Promise.reject(new Error('No target is a browser.'));
    const turnDeps = {
      db,
      clock: systemClock,
      vault,
      brand: testBrand,
      outbound,
      kindOf: targetKindOf,
      call,
      push,
      log: silentLog,
    };
    const turns = createTurns({ ...turnDeps, fileOf: async () => Buffer.from('file'), random: Math.random });
    const stop = startDeliveriesWorker(bus, createDeliveriesWorker({ db, clock: systemClock, turns, log: silentLog }));
    const memory: number[] = [];
    const started = Date.now();
    for (let round = 0; round < rounds; round++) {
      await pause(Math.max(0, started + round * everyMs - Date.now()));
      const cause = { organisationId, event: 'report.ready' as const, objectId: round + 1, facts: { month: '2026-10' } };
      await scoped(db, { organisationIds: [organisationId] }, (tx) => queueDeliveries(tx, [{ ...cause, at: new Date() }]));
      memory.push(process.memoryUsage().rss);
    }
    const left = () =>
      system(async (tx) => {
        const { rows } = await sql<{ count: number }>`select count(*)::integer as count from deliveries
          where target_id = any (${healthy}::integer[]) and state <> 'accepted'`.execute(tx);
        return rows[0]!.count;
      });
    while ((await left()) > 0) await pause(200);
    await stop();
    const { rows } = await system((tx) =>
      sql<{ ms: number }>`select extract(epoch from accepted_at - event_at)::float8 * 1000 as ms from deliveries
        where target_id = any (${healthy}::integer[])`.execute(tx),
    );
    const times = rows.map(({ ms }) => ms);
    const p95 = percentile(times, 0.95);
    const part = Math.floor(memory.length / 4);
    const [early, late] = [Math.max(...memory.slice(part, 2 * part)), Math.max(...memory.slice(-part))];
    console.log(
      `${rounds * targets} deliveries, ${times.length} to healthy targets: p50 ${Math.round(percentile(times, 0.5))} ms, p95 ${Math.round(p95)} ms, worst ${Math.round(Math.max(...times))} ms`,
    );
    return [
      { name: 'deliveries.healthy-p95', unit: 'ms', value: p95, limit: limitMs, ratio: p95 / limitMs },
      { name: 'deliveries.memory', unit: 'MiB', value: late / 2 ** 20, limit: early / 2 ** 20, ratio: late / early },
    ];
  } finally {
    await outbound.close();
    await receiver.close();
    await close();
  }
}
