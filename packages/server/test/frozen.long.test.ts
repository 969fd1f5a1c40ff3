/** PostgreSQL suspended by SIGSTOP: it accepts connections and never responds. A dedicated server, because all of it is suspended. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authApi } from '@parapet/contract/auth.ts';
import { problemBody } from '@parapet/contract/problem.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { answerLimitMs, connect } from '../src/core/db/connect.ts';
import { type EmbeddedPostgres, startEmbedded } from '../src/core/db/embedded.ts';
import { isDatabaseAway, isOutcomeUncertain } from '../src/core/db/failures.ts';
import { appUrl } from '../src/core/db/migrate.ts';
import { scoped } from '../src/core/db/scope.ts';
import { asProblem } from '../src/core/http/problems.ts';
import { silentLog } from '../src/core/log.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';

let dataDir: string;
let postgres: EmbeddedPostgres;
let t: TestApp;
let admin: TestUser;
let key: string;
let url: string;
let stopped: number[] = [];
const rejections: unknown[] = [];
const onRejection = (error: unknown) => rejections.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', onRejection);
  dataDir = await mkdtemp(join(tmpdir(), 'parapet-frozen-'));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  postgres = await startEmbedded({ dataDir, log: silentLog, settings });
  const { ownerUrl } = postgres;
  const db = connect({ url: appUrl(ownerUrl), applicationName: 'test', poolSize: 2, statementTimeoutMs: 200 });
  t = await testApp({ PORTAL_ROLES: 'api,ingest,worker' }, { ownerUrl, url: appUrl(ownerUrl), db, close: () => db.close() });
  const organisationId = await t.organisation();
  admin = await t.user({ organisationId, role: 'Administrator' });
  key = await t.ingestKey(organisationId);
  url = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
}, 60_000);

afterEach(() => thaw());

afterAll(async () => {
  thaw();
  await t?.close();
  await postgres?.stop();
  await rm(dataDir, { recursive: true, force: true });
  process.off('unhandledRejection', onRejection);
}, 30_000);

async function childrenOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    all.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      // The process name in parentheses may contain anything.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid ? [Number(name)] : [];
    }),
  );
  return found.flat();
}

async function freeze(): Promise<void> {
  process.kill(postgres.pid, 'SIGSTOP');
  stopped = [postgres.pid];
  for (const pid of await childrenOf(postgres.pid)) {
    process.kill(pid, 'SIGSTOP');
    stopped.push(pid);
  }
}

function thaw(): void {
  for (const pid of stopped.reverse()) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The process has already exited.
    }
  }
  stopped = [];
}

async function timed(path: string, init: RequestInit = {}) {
  const started = performance.now();
  const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  return {
    path,
    status: answer.status,
    ms: performance.now() - started,
    type: answer.headers.get('content-type'),
    retryAfter: answer.headers.get('retry-after'),
    text,
  };
}

const json = { 'content-type': 'application/json' };
const signedIn = () => ({ authorization: `Bearer ${admin.token}` });
const read = () => timed(`/api/v1${tagsApi.list.path}?selectedClientOrgID=${admin.organisationId}`, { headers: signedIn() });
const save = (name: string) =>
  timed(`/api/v1${tagsApi.saveNew.path}`, {
    method: 'POST',
    headers: { ...json, ...signedIn() },
    body: JSON.stringify({ clientOrganizationID: admin.organisationId, name }),
  });
const signIn = () =>
  timed(`/api/v1${authApi.authenticate.path}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email: admin.email, password: 'not the right one' }),
  });
const askForTasks = () => timed('/agent/tasks', { headers: { authorization: `Bearer pa_${'a'.repeat(43)}` } });
const ship = () =>
  timed('/ingest/_bulk', { method: 'POST', headers: { authorization: `ApiKey ${key}` }, body: '{"create":{}}\n{"a":1}\n' });
const ready = () => timed('/readyz');

test('returns 503 within 10 seconds, fails readiness within 2 and recovers without a restart', async () => {
  expect([(await read()).status, (await ship()).status, (await ready()).status]).toEqual([200, 200, 200]);
  await freeze();
  // More than the pool has connections, and again after the outage is detected.
  for (const round of [1, 2]) {
    const [readiness, shipped, ...answers] = await Promise.all([
      ready(),
      ship(),
      save(`frozen ${round}`),
      signIn(),
      ...Array.from({ length: 40 }, read),
    ]);
    expect(readiness).toMatchObject({ status: 503 });
    expect(readiness.ms).toBeLessThan(2_500);
    expect(JSON.parse(readiness.text).missing).toContain('database');
    expect(shipped).toMatchObject({ status: 503, type: 'text/plain; charset=utf-8', retryAfter: expect.stringMatching(/^\d+$/) });
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
      expect(problemBody.parse(JSON.parse(answer.text)).code).toBe('unavailable');
    }
    for (const answer of [shipped, ...answers]) expect([answer.path, answer.ms < 10_000]).toEqual([answer.path, true]);
  }
  thaw();
  const started = performance.now();
  await expect
    .poll(async () => [(await ready()).status, (await read()).status, (await ship()).status], { timeout: 5_000, interval: 200 })
    .toEqual([200, 200, 200]);
  expect(performance.now() - started).toBeLessThan(5_000);
  expect((await save('thawed')).status).toBe(200);
  expect((await read()).text).toMatch(/thawed/);
  expect(rejections).toEqual([]);
}, 60_000);

test('asks agents to retry instead of rejecting their key', async () => {
  await freeze();
  expect(await askForTasks()).toMatchObject({ status: 503, retryAfter: expect.any(String) });
}, 30_000);

test('reports an unacknowledged commit as unknown and discards its connection', async () => {
  const { db } = t.database;
  const error = await scoped(db, 'system', async (tx) => {
    await sql`select 1`.execute(tx);
    await freeze();
  }).catch((error: unknown) => error);
  expect([isDatabaseAway(error), isOutcomeUncertain(error)]).toEqual([true, true]);
  expect(asProblem(error)).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/may have been saved/) });
  thaw();
  await expect.poll(() => db.pool.totalCount).toBe(0);
  const { rows } = await db.pool.query('select 1 as one');
  expect(rows).toEqual([{ one: 1 }]);
}, 30_000);

test('fails only the statement of a hung backend; unlimited maintenance continues', async () => {
  const { db } = t.database;
  const long = scoped(db, 'system', (tx) => sql`select pg_sleep(6)`.execute(tx), { statementTimeoutMs: 0 });
  const error = await scoped(db, 'system', async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    stopped = [rows[0]!.pid];
    process.kill(rows[0]!.pid, 'SIGSTOP');
    await sql`select 1`.execute(tx);
  }).catch((error: unknown) => error);
  expect([isDatabaseAway(error), isOutcomeUncertain(error)]).toEqual([true, false]);
  thaw();
  await long;
  expect(answerLimitMs(0)).toBeGreaterThan(30 * 60_000);
}, 30_000);
