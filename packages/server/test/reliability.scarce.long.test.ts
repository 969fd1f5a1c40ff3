/**
 * F18: 256 MiB of heap and 64 file handles. Work beyond them is refused, and nothing is corrupted: what was acknowledged is stored once, and the portal serves
 * as before afterwards. `SCARCE_SECONDS` lengthens a run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { nodeFlags } from '../src/node-flags.ts';
import { type TestApp, testApp } from './app.ts';
import { freePort } from './ports.ts';
import { createLedger, type Ledger, ledgerFaults } from './reliability.ledger.ts';
import { eventRows } from './storedEvents.ts';

const seconds = Number(process.env.SCARCE_SECONDS ?? 8);
const heapMiB = 256;
const handles = 64;
const senders = 24;
const batch = 400;
const padding = 'x'.repeat(900);
/** As many can be read at once afterwards. */
const maxEvents = 30_000;

let t: TestApp;
let portal: ChildProcess | undefined;
let origin = '';
let log = '';
let organisationId = 0;
let key = '';

async function isReady(): Promise<boolean> {
  return fetch(`${origin}/readyz`, { headers: { connection: 'close' } }).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** The portal under a limit of its process; `exec` keeps its id. */
async function start(): Promise<void> {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const command = `ulimit -n ${handles}; exec "$0" "$@"`;
  portal = spawn('bash', ['-c', command, process.execPath, ...nodeFlags, `--max-old-space-size=${heapMiB}`, main], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: t.database.ownerUrl,
      PORTAL_DEMO: '0',
      PORTAL_ROLES: 'api,ingest',
      SECRET_KEY: 'a secret of the tests, long enough to be one',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [portal.stdout!, portal.stderr!])
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4_000);
    });
  for (let tries = 0; tries < 600; tries++) {
    if (await isReady()) return;
    if (portal.exitCode !== null) break;
    await pause(100);
  }
  throw new Error(`The portal did not become ready (exit code ${portal.exitCode}): ${log}`);
}

beforeAll(async () => {
  t = await testApp();
  organisationId = await t.organisation();
  key = await t.ingestKey(organisationId);
  await start();
}, 120_000);
afterAll(async () => {
  if (portal && portal.exitCode === null && portal.signalCode === null) {
    portal.kill('SIGTERM');
    await once(portal, 'exit');
  }
  await t.close();
}, 60_000);

/** Status of one batch; 0 where the connection failed, so that nothing is known of it. */
async function ship(ledger: Ledger, agent: Agent): Promise<number> {
  const marks = Array.from({ length: batch }, () => ledger.mark());
  const body = marks.map((mark) => `{"create":{}}\n${JSON.stringify({ message: `${mark} ${padding}` })}\n`).join('');
  const call = request(`${origin}/ingest/_bulk`, {
    method: 'POST',
    agent,
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    timeout: 20_000,
  });
  call.on('timeout', () => call.destroy(new Error('timeout')));
  try {
    call.end(body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const part of answer) text += part;
    if (answer.statusCode === 200) {
      const { items } = JSON.parse(text) as { items: { create: { status: number } }[] };
      for (const [index, { create }] of items.entries()) if (create.status < 300) ledger.acknowledged.add(marks[index] as string);
    }
    return answer.statusCode ?? 0;
  } catch {
    return 0;
  }
}

const textsOf = async () => (await scoped(t.db, 'system', (tx) => eventRows(tx, organisationId))).map(({ text }) => text);
const openHandles = async () => (await readdir(`/proc/${portal!.pid}/fd`)).length;

test('refuses work beyond its handles and its heap, and corrupts nothing', { timeout: 300_000 }, async () => {
  const ledger = createLedger('scarce');
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: senders });
  // Idle connections take the handles that are left.
  const idle: Socket[] = [];
  const port = Number(new URL(origin).port);
  for (let count = 0; count < 2 * handles; count++) idle.push(connect({ port, host: '127.0.0.1' }).on('error', () => {}));
  await pause(500);
  const crowded = await openHandles();
  const until = performance.now() + seconds * 1_000;
  const sending = Promise.all(
    Array.from({ length: senders }, async () => {
      while (performance.now() < until && ledger.acknowledged.size < maxEvents) {
        const status = await ship(ledger, agent);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 200) await pause(20);
      }
    }),
  );
  await pause((seconds * 1_000) / 2);
  // The second half is by the heap alone.
  for (const socket of idle) socket.destroy();
  await sending;
  agent.destroy();
  console.log(
    `F18: ${crowded} of ${handles} handles open beside ${idle.length} idle connections; statuses ${JSON.stringify([...statuses])}; ${ledger.acknowledged.size} events acknowledged`,
  );

  expect([portal?.exitCode, portal?.signalCode], log).toEqual([null, null]);
  expect(crowded).toBeGreaterThanOrEqual(handles - 8);
  expect([...statuses.keys()].filter((status) => ![0, 200, 429, 503].includes(status))).toEqual([]);
  expect((statuses.get(0) ?? 0) + (statuses.get(429) ?? 0) + (statuses.get(503) ?? 0)).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(0);
  // As before, once there is room.
  await expect.poll(isReady, { timeout: 10_000 }).toBe(true);
  const after = new Agent({ keepAlive: false });
  expect(await ship(ledger, after)).toBe(200);
  after.destroy();
  expect(ledgerFaults(ledger, await textsOf())).toEqual({ lost: [], double: [] });
});

test('notices a planted loss, a planted double and a process that ended', async () => {
  const ledger = createLedger('planted');
  const agent = new Agent({ keepAlive: false });
  expect(await ship(ledger, agent)).toBe(200);
  ledger.acknowledged.add('planted-zzzzzz.');
  const texts = (await textsOf()).filter((text) => text.startsWith('planted-'));
  expect(ledgerFaults(ledger, [...texts, texts[0] as string])).toEqual({
    lost: ['planted-zzzzzz.'],
    double: [texts[0]!.split(' ')[0]],
  });
  portal!.kill('SIGKILL');
  await once(portal!, 'exit');
  expect(await isReady()).toBe(false);
  expect(await ship(ledger, agent)).toBe(0);
}, 60_000);
