/** The bus over a connection that can be cut: it reconnects with growing pauses and signals possible loss. */
import { createServer, connect as dial, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../../test/database.ts';
import { openBus, publish } from './bus.ts';
import { scoped } from './db/scope.ts';
import { silentLog } from './log.ts';

const database = useTestDatabase();

test('reconnects after a lost connection, without a storm while the database is unavailable', async () => {
  const wire = await openWire(database.url);
  const bus = await openBus({ url: wire.url, log: silentLog });
  const seen: string[] = [];
  bus.on('alert.raised', ({ alertIds }) => seen.push(`alerts ${alertIds.join()}`));
  bus.on('bus.reconnected', () => seen.push('reconnected'));
  const raise = (id: number) =>
    scoped(database.db, 'system', (tx) => publish(tx, 'alert.raised', { organisationId: 1, alertIds: [id] }));

  await raise(1);
  await expect.poll(() => seen).toEqual(['alerts 1']);
  wire.cut();
  await expect.poll(() => bus.isListening()).toBe(false);
  await expect.poll(() => wire.attempts().length, { timeout: 10_000 }).toBeGreaterThan(2);
  // After 0.2, 0.6 and 1.4 s, and never two for one that failed.
  const [first, , third] = wire.attempts();
  expect(third! - first!).toBeGreaterThan(1_000);
  wire.repair();
  await expect.poll(() => bus.isListening(), { timeout: 5_000 }).toBe(true);
  await raise(2);
  await expect.poll(() => seen).toEqual(['alerts 1', 'reconnected', 'alerts 2']);
  await bus.close();
  wire.close();
});

test('publishes nothing of an unwatched database', async () => {
  const bus = await openBus({ url: database.url, log: silentLog });
  const seen: number[][] = [];
  bus.on('alert.raised', ({ alertIds }) => seen.push(alertIds));
  for (const [id, isUnwatched] of [
    [1, true],
    [2, false],
  ] as const)
    await scoped({ ...database.db, isUnwatched }, 'system', (tx) =>
      publish(tx, 'alert.raised', { organisationId: 1, alertIds: [id] }),
    );
  await expect.poll(() => seen).toEqual([[2]]);
  await bus.close();
});

/** A relay before the database that can be cut. */
async function openWire(url: string) {
  const target = new URL(url);
  const folder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  let isWhole = true;
  let attempts: number[] = [];
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    attempts.push(performance.now());
    socket.on('error', () => {});
    if (!isWhole) {
      socket.destroy();
      return;
    }
    const beyond = folder ? dial(`${folder}/.s.PGSQL.${port}`) : dial(port, target.hostname);
    beyond.on('error', () => {});
    sockets.add(socket);
    socket.pipe(beyond).pipe(socket);
    socket.on('close', () => beyond.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  target.hostname = '127.0.0.1';
  target.port = String((relay.address() as { port: number }).port);
  target.searchParams.delete('host');
  return {
    url: target.href,
    attempts: () => attempts,
    cut: () => {
      isWhole = false;
      attempts = [];
      for (const socket of sockets) socket.destroy();
    },
    repair: () => {
      isWhole = true;
    },
    close: () => relay.close(),
  };
}
