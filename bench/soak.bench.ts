/**
 * A verb of its own (`npm run bench -- soak`): 1,000,000 events over HTTP as fast as they are taken, into the whole server as it is started.
 * Watched meanwhile: the server's memory, how long its event loop stands still, and what a signed-in reader waits. SOAK_EVENTS makes it shorter.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { connect } from '@parapet/server/core/db/connect.ts';
import { attachEmbedded } from '@parapet/server/core/db/embedded.ts';
import { appUrl } from '@parapet/server/core/db/migrate.ts';
import { scoped } from '@parapet/server/core/db/scope.ts';
import { sharedSecret } from '@parapet/server/core/secrets.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import { createIngestKeysService } from '@parapet/server/features/ingest-keys/ingest-keys.service.ts';
import { nodeFlags } from '@parapet/server/node-flags.ts';
import { fleet } from './events.ts';
import { percentile } from './figures.ts';
import type { Result } from './run.ts';

const events = Number(process.env.SOAK_EVENTS ?? 1_000_000);
const eventsABody = 1_000;
const senders = 3;
const mostMemory = 512 * 2 ** 20;
const longestStallMs = 50;
const organisationId = 5000;
const secretKey = 'a secret of the benchmark, long enough';

export async function run(): Promise<Result[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parapet-soak-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [...nodeFlags, fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))],
    {
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        PORTAL_DEMO: '0',
        SECRET_KEY: secretKey,
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  try {
    while (
      !(await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    )
      await pause(100);
    const { key, token } = await prepare(dataDir);
    let isDone = false;
    const watched = watch(url, token, child.pid as number, () => isDone);
    const started = performance.now();
    const stored = await sendAll(url, key);
    const seconds = (performance.now() - started) / 1000;
    isDone = true;
    const { memory, stallMs, readMs } = await watched;
    if (stored !== events) throw new Error(`${stored} of ${events} events were acknowledged as new`);
    return [
      { name: 'soak.memory', unit: 'MiB', value: memory / 2 ** 20, limit: mostMemory / 2 ** 20, ratio: memory / mostMemory },
      { name: 'soak.stall', unit: 'ms p99', value: stallMs, limit: longestStallMs, ratio: stallMs / longestStallMs },
      { name: 'soak.taken', unit: 'events/s', value: events / seconds, limit: events / seconds, ratio: 1 },
      { name: 'soak.read', unit: 'ms p95', value: readMs, limit: 1_000, ratio: readMs / 1_000 },
    ];
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

async function prepare(dataDir: string): Promise<{ key: string; token: string }> {
  const db = connect({ url: appUrl(await attachEmbedded({ dataDir })), applicationName: 'soak', poolSize: 2 });
  const sessionId = randomUUID();
  const userId = await scoped(db, 'system', async (tx) => {
    await tx
      .insertInto('organisations')
      .values({ id: organisationId, name: 'Soak', is_partner: false, parent_id: null })
      .execute();
    const user = {
      organisation_id: organisationId,
      email: 'soak@bench.example',
      first_name: 'S',
      last_name: 'S',
      role: 'Analyst',
    };
    const { id } = await tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
    const expires = new Date(Date.now() + 3_600_000);
    await tx
      .insertInto('sessions')
      .values({ id: sessionId, organisation_id: organisationId, user_id: id, expires_at: expires })
      .execute();
    return id;
  });
  const key = await createIngestKeysService({ db }).createUnattended(organisationId, 'soak');
  const token = await createTokens(await sharedSecret(db, 'access tokens', secretKey)).issue(userId, sessionId);
  await db.close();
  return { key, token };
}

/** Answers how many events were acknowledged as new. */
async function sendAll(url: string, key: string): Promise<number> {
  const take = await fleet();
  let left = events;
  let stored = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (left > 0) {
        const count = Math.min(eventsABody, left);
        left -= count;
        const lines = take(count, Date.now() - 2_000).map(
          ({ id, index, line }) => `{"create":{"_index":"${index}","_id":"${id}"}}\n${line}\n`,
        );
        const body = gzipSync(lines.join(''), { level: 1 });
        for (;;) {
          const answer = await fetch(`${url}/ingest/_bulk`, {
            method: 'POST',
            body,
            headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
          });
          if (answer.status === 429 || answer.status === 503) {
            await answer.text();
            await pause(200);
            continue;
          }
          const { items } = (await answer.json()) as { items: { create: { status: number } }[] };
          stored += items.filter((item) => item.create.status === 201).length;
          break;
        }
      }
    }),
  );
  return stored;
}

/** The highest memory, the longest p99 of the event loop that the server told, and p95 of a reader's page. */
async function watch(
  url: string,
  token: string,
  pid: number,
  isDone: () => boolean,
): Promise<{ memory: number; stallMs: number; readMs: number }> {
  let memory = 0;
  const stalls: number[] = [];
  const reads: number[] = [];
  while (!isDone()) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    memory = Math.max(memory, Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    stalls.push(Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000);
    const end = new Date(Date.now() + 60_000).toISOString();
    const started = performance.now();
    const page = await fetch(
      `${url}/api/v1/alerts/alertList/${organisationId}/${new Date(Date.now() - 30 * 86_400_000).toISOString()}/${end}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
    await page.arrayBuffer();
    if (!page.ok) throw new Error(`the list answered ${page.status}`);
    reads.push(performance.now() - started);
    await pause(1_000);
  }
  // The first seconds compile.
  return { memory, stallMs: percentile(stalls.slice(5), 0.5), readMs: percentile(reads.slice(5), 0.95) };
}
