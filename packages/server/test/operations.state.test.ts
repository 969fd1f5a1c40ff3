/** Processes, slow operations, failures and capacity on the operations page. */
import { operationsApi } from '@parapet/contract/operations.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { readConfig } from '../src/core/config.ts';
import { connect } from '../src/core/db/connect.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { Actor } from '../src/core/http/actor.ts';
import { silentLog } from '../src/core/log.ts';
import { createMetrics } from '../src/core/metrics.ts';
import { createOperationsService } from '../src/features/operations/operations.service.ts';
import { createHeartbeat } from '../src/features/operations/processes.worker.ts';
import { type TestUser, useTestApp } from './app.ts';

const t = useTestApp({ DATA_DIR: '/tmp' });
let host: TestUser;
beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  host = await t.user({ organisationId: 1, role: 'Host' });
});

const system = <T>(fn: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', fn);
const state = async () => operationsApi.get.answer.parse((await t.call(operationsApi.get, {}, host)).json());
const worker = (metrics = createMetrics(), environment: Record<string, string> = {}) => {
  const config = readConfig({ DATABASE_URL: t.database.ownerUrl, PORTAL_ROLES: 'worker', DATA_DIR: '/tmp', ...environment });
  return createHeartbeat({ config, db: t.db, clock: systemClock, metrics, log: silentLog });
};

test('shows each process with its resources until it ends', async () => {
  const heartbeat = worker(createMetrics(), { SAFE_MODE: '1' });
  await heartbeat.beat();
  const { processes, version, databaseVersion } = await state();
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(databaseVersion).toMatch(/^1\d/);
  expect(processes.map(({ roles, isSafeMode, isLive }) => [roles.join(), isSafeMode, isLive])).toEqual(
    expect.arrayContaining([
      ['api,ingest', false, true],
      ['worker', true, true],
    ]),
  );
  const own = processes.find(({ roles }) => roles.includes('worker'));
  expect(own?.residentBytes).toBeGreaterThan(10_000_000);
  expect(own?.poolSize).toBe(2);
  await system((tx) => sql`update processes set seen_at = now() - interval '2 minutes' where roles = '{worker}'`.execute(tx));
  expect((await state()).processes.find(({ roles }) => roles.includes('worker'))?.isLive).toBe(false);
  await heartbeat.end();
  expect((await state()).processes.map(({ roles }) => roles.join())).toEqual(['api,ingest']);
});

test('shows the worst of each operation over processes, and failures with their ids', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.answered('alerts.list', 200, 0.2);
  other.answered('alerts.list', 200, 2);
  other.answered('cases.detail', 503, 0.1, { requestId: 'request-7', traceId: 'trace-7' });
  await one.timed('silence.watch', () => Promise.reject(new Error('the table is gone'))).catch(() => {});
  const heartbeats = [worker(one), worker(other)];
  for (const heartbeat of heartbeats) await heartbeat.beat();
  const { operations, failures } = await state();
  expect(operations.find(({ operation }) => operation === 'alerts.list')).toEqual({
    operation: 'alerts.list',
    count: 2,
    medianMs: 2000,
    p95Ms: 2000,
    maxMs: 2000,
  });
  expect(failures).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ operation: 'cases.detail', status: 503, requestId: 'request-7', traceId: 'trace-7', text: '' }),
      expect.objectContaining({ operation: 'job silence.watch', status: null, text: 'the table is gone' }),
    ]),
  );
  for (const heartbeat of heartbeats) await heartbeat.end();
});

test('shows queues, and the growth with the days that are left', async () => {
  await worker().beat();
  const before = (await state()).capacity;
  expect(before).toMatchObject({ bytesPerDay: null, clickHouseLagSeconds: null, agents: 0 });
  expect(before.disks).toEqual([expect.objectContaining({ volume: 'data', daysLeft: null })]);
  // A tenth of the free space was used in each of the last days.
  await system((tx) =>
    sql`insert into capacity_days select day - n, database_bytes - n * 1000000, free_bytes + n * (free_bytes / 10), size_bytes
      from capacity_days, generate_series(1, 5) n`.execute(tx),
  );
  const { capacity, queues } = await state();
  expect(Math.round(capacity.bytesPerDay ?? 0)).toBe(1_000_000);
  expect(capacity.disks[0]?.daysLeft).toBeGreaterThanOrEqual(9);
  expect(capacity.disks[0]?.daysLeft).toBeLessThanOrEqual(10);
  expect(queues.map(({ name }) => name)).toContain('correlation');
});

test('warns of feeds and connections that fail, were stopped or are old, and of no others', async () => {
  const client = await t.organisation({ parentId: 1, name: 'Harbour' });
  const insert = (name: string, set: string) =>
    sql`insert into connections (organisation_id, kind, name, account, secrets, state, failures, error, pulled_at)
      select ${client}, 'okta', ${name}, 'a', '', ${sql.raw(set)}`;
  await system(async (tx) => {
    await insert('works', `'active', 0, null, now()`).execute(tx);
    await insert('paused', `'paused', 3, 'x', null`).execute(tx);
    await insert('fails', `'active', 2, 'Okta doesn’t answer.', now() - interval '3 minutes'`).execute(tx);
    await insert('stopped', `'stopped', 1, 'Okta refused the token.', now() - interval '2 days'`).execute(tx);
    await insert('old', `'active', 0, null, now() - interval '5 hours'`).execute(tx);
    await sql`update advisory_feeds set is_on = true, read_at = case kind when 'kev' then now() - interval '3 days' else now() end`.execute(
      tx,
    );
  });
  expect((await state()).sources.map(({ kind, name, client: of, state: now, error }) => [kind, name, of, now, error])).toEqual([
    ['feed', 'Known exploited vulnerabilities', '', 'old', ''],
    ['connection', 'stopped', 'Harbour', 'stopped', 'Okta refused the token.'],
    ['connection', 'old', 'Harbour', 'old', ''],
    ['connection', 'fails', 'Harbour', 'failing', 'Okta doesn’t answer.'],
  ]);
});

test('reads the lag of ClickHouse with a single connection', async () => {
  const db = connect({ url: t.database.url, applicationName: 'test', poolSize: 1, connectTimeoutMs: 1_000 });
  const config = readConfig({ DATABASE_URL: t.database.ownerUrl, DATA_DIR: '/tmp', CLICKHOUSE_URL: 'http://127.0.0.1:9' });
  const service = createOperationsService({ config, db, clock: systemClock, requireProvidersHost: () => {} });
  try {
    expect((await service.get({} as Actor)).capacity.clickHouseLagSeconds).toBe(0);
  } finally {
    await db.close();
  }
});

test('keeps the page readable where a process wrote figures of another version', async () => {
  await system((tx) =>
    sql`insert into processes (id, host, pid, roles, version, node, is_safe_mode, started_at, figures)
      values (gen_random_uuid(), 'old', 1, '{api}', '0.1.0', '24.0.0', false, now(), '{}')`.execute(tx),
  );
  expect((await state()).processes.find(({ host: name }) => name === 'old')).toMatchObject({ cpuPercent: 0, version: '0.1.0' });
});
