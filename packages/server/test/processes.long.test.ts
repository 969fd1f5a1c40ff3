/** Several processes: two api, one ingest and two workers on one PostgreSQL. Live updates reach both, and no job runs twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { openJobs } from '../src/core/jobs.ts';
import { silentLog } from '../src/core/log.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { freePort } from './ports.ts';

interface Process {
  url: string;
  child: ChildProcess;
}

let t: TestApp;
let processes: Record<'api1' | 'api2' | 'ingest' | 'worker1' | 'worker2', Process>;
let user: TestUser;
let key: string;

async function start(roles: string): Promise<Process> {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../src/main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: t.database.ownerUrl,
      PORTAL_DEMO: '0',
      PORTAL_ROLES: roles,
      SECRET_KEY: 'a secret of the tests, long enough to be one',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-2_000);
    });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 900; tries++) {
    if (
      await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return { url, child };
    if (child.exitCode !== null) break;
    await pause(100);
  }
  throw new Error(`${roles} did not become ready (exit code ${child.exitCode}): ${log}`);
}

beforeAll(async () => {
  t = await testApp();
  const [api1, api2, ingest, worker1, worker2] = await Promise.all(['api', 'api', 'ingest', 'worker', 'worker'].map(start));
  processes = { api1, api2, ingest, worker1, worker2 } as typeof processes;
  const organisationId = await t.organisation();
  user = await t.user({ organisationId, role: 'Analyst' });
  key = await t.ingestKey(organisationId);
}, 120_000);

afterAll(async () => {
  for (const { child } of Object.values(processes ?? {})) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  }
  await t.close();
}, 60_000);

/** Follows the live stream and collects the alerts’ summaries. */
function follow(
  url: string,
  headers: Record<string, string> = {},
): { seen: { id: number; deviceName: string }[]; opened: Promise<void>; lastId: () => string; stop: () => void } {
  const abort = new AbortController();
  const seen: { id: number; deviceName: string }[] = [];
  const opened = Promise.withResolvers<void>();
  let lastId = '';
  void (async () => {
    const answer = await fetch(`${url}/api/v1${alertsApi.live.path.replace(':client', String(user.organisationId))}`, {
      headers: { authorization: `Bearer ${user.token}`, ...headers },
      signal: abort.signal,
    });
    if (!answer.ok || !answer.body) throw new Error(`the stream returned ${answer.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      // Follows the registration of the stream.
      if (parts.some((part) => part.startsWith('retry:'))) opened.resolve();
      for (const part of parts) {
        lastId = /^id: ?(.+)$/m.exec(part)?.[1] ?? lastId;
        const data = /^data: ?(.+)$/m.exec(part)?.[1];
        if (data) seen.push(JSON.parse(data));
      }
    }
  })().catch(opened.reject);
  opened.promise.catch(() => {});
  return { seen, opened: opened.promise, lastId: () => lastId, stop: () => abort.abort() };
}

const sudo = (host: string) => ({
  '@timestamp': new Date().toISOString(),
  host: { name: host },
  process: { name: 'sudo' },
  message: 'mallory : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh',
});

async function send(host: string): Promise<void> {
  const answer = await fetch(`${processes.ingest.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `{"create":{}}\n${JSON.stringify(sudo(host))}\n`,
  });
  expect(((await answer.json()) as { errors: boolean }).errors).toBe(false);
}

test('serves only the endpoints of the process’s role', async () => {
  expect((await fetch(`${processes.worker1.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${processes.worker1.url}/api/v1/tags?selectedClientOrgID=1`)).status).toBe(404);
  expect((await fetch(`${processes.api1.url}/ingest/_bulk`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${processes.ingest.url}/api/v1/tags?selectedClientOrgID=1`)).status).toBe(404);
});

test('delivers alerts from the ingest process to both api processes', async () => {
  const streams = [follow(processes.api1.url), follow(processes.api2.url)];
  await Promise.all(streams.map(({ opened }) => opened));
  await send('live01');
  for (const { seen } of streams)
    await expect.poll(() => seen.map((alert) => alert.deviceName), { timeout: 10_000 }).toContain('live01');
  for (const stream of streams) stream.stop();
});

test('resumes an interrupted stream without a gap, also on another process', async () => {
  const first = follow(processes.api1.url);
  await first.opened;
  await send('before-the-cut');
  await expect.poll(() => first.seen.length, { timeout: 10_000 }).toBeGreaterThan(0);
  first.stop();
  await send('during-the-cut');
  const second = follow(processes.api2.url, { 'last-event-id': first.lastId() });
  await expect.poll(() => second.seen.map((alert) => alert.deviceName), { timeout: 10_000 }).toContain('during-the-cut');
  second.stop();
});

test('revokes tokens in all processes on sign-out', async () => {
  const other = await t.user({ organisationId: user.organisationId, role: 'Analyst' });
  const headers = { authorization: `Bearer ${other.token}` };
  const request = (url: string) =>
    fetch(`${url}/api/v1/tags?selectedClientOrgID=${user.organisationId}`, { headers }).then((answer) => answer.status);
  expect([await request(processes.api1.url), await request(processes.api2.url)]).toEqual([200, 200]);
  await fetch(`${processes.api1.url}/api/v1/auth/logout`, { method: 'POST', headers });
  expect([await request(processes.api2.url), await request(processes.api1.url)]).toEqual([401, 401]);
});

test('runs each of many jobs once on one of two workers', async () => {
  // Both workers can create months on request; pg-boss records who did.
  const jobs = await openJobs({ url: t.database.url, log: silentLog });
  const done = () =>
    scoped(t.db, 'system', (tx) =>
      sql<{
        id: string;
        state: string;
        retries: number;
      }>`select id, state, retry_count as retries from jobs.job where name = 'months.make'`.execute(tx),
    );
  const areDone = () =>
    expect.poll(async () => (await done()).rows.every(({ state }) => state === 'completed'), { timeout: 20_000 }).toBe(true);
  for (let i = 0; i < 5; i++) {
    await jobs.runNow('months.make');
    await areDone();
  }
  await jobs.close();
  const { rows } = await done();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((job) => job.retries === 0)).toBe(true);
});
