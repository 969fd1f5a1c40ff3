/** Metrics of a running server: durations of its work, gauges of the installation, and labels without tenants. */
import { tagsApi } from '@parapet/contract/tags.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { readConfig } from '../src/core/config.ts';
import { scoped } from '../src/core/db/scope.ts';
import { createMetrics } from '../src/core/metrics.ts';
import { installationGauges } from '../src/features/operations/operations.gauges.ts';
import { measure } from '../src/features/operations/operations.measure.ts';
import { agentOf } from './agents.fixture.ts';
import { testApp, useTestApp } from './app.ts';
import { runAs } from './database.ts';

const token = 'a token of the tests';
const t = useTestApp({ METRICS_TOKEN: token });

const read = async (): Promise<string> =>
  (await t.application.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })).body;
/** Metrics of a process that works with the settings. */
function measuring(settings: Record<string, string> = {}) {
  const config = readConfig({ DATABASE_URL: t.database.ownerUrl, DATA_DIR: '/tmp', ...settings });
  const metrics = createMetrics();
  metrics.measureBy((gauge) => {
    const show = installationGauges(gauge, config);
    return async () => show(await measure({ config, db: t.db, clock: systemClock }));
  });
  return metrics;
}
const countOf = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  );

test('times steps, batches, statements and waits of a batch of events', async () => {
  const organisationId = await t.organisation({ name: 'Tenant of the metrics' });
  const user = await t.user({ organisationId, role: 'Administrator' });
  await t.call(tagsApi.list, { query: { selectedClientOrgID: organisationId } }, user);
  await t.send(
    await t.ingestKey(organisationId),
    Array.from({ length: 40 }, (_, n) => ({ message: `line ${n}` })),
  );
  const text = await read();
  for (const step of ['parse', 'identify', 'normaliseStep', 'detect'])
    expect(countOf(text, `portal_pipeline_step_duration_seconds_count{step="${step}"}`)).toBeGreaterThanOrEqual(3);
  expect(countOf(text, 'portal_ingest_batch_duration_seconds_count{part="pipeline"}')).toBe(1);
  expect(countOf(text, 'portal_ingest_batch_duration_seconds_count{part="store"}')).toBe(1);
  expect(countOf(text, 'portal_database_statement_duration_seconds_count{table="tags"}')).toBeGreaterThanOrEqual(1);
  expect(countOf(text, 'portal_database_wait_seconds_count')).toBeGreaterThan(3);
  expect(text).toMatch(/^portal_database_connections\{state="busy"\} \d/m);
  expect(text).toMatch(/^portal_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  expect(text).toMatch(/^portal_safe_mode 0$/m);
  // This process is no worker: it measures nothing of the installation.
  expect(text).not.toMatch(/^portal_(queue_length|agents|silent_sources)\S* \d/m);
});

test('names no tenant in a label, and few values of each', async () => {
  const text = await read();
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', value = ''] of text.matchAll(/[{,](\w+)="((?:[^"\\]|\\.)*)"/g))
    labels.set(name, (labels.get(name) ?? new Set()).add(value));
  const allowed = [
    'alarm',
    'directive',
    'feed',
    'job',
    'kind',
    'le',
    'operation',
    'outcome',
    'part',
    'queue',
    'reason',
    'space',
    'state',
    'status',
  ];
  const others = ['step', 'table', 'type', 'version', 'volume', 'major', 'minor', 'patch'];
  expect([...labels.keys()].filter((name) => ![...allowed, ...others].includes(name))).toEqual([]);
  expect(labels.get('table')?.size).toBeLessThan(250);
  expect(text).not.toContain('Tenant of the metrics');
});

test('measures queues, agents, disk and database where work is done', async () => {
  const organisationId = await t.organisation();
  await agentOf(t, organisationId);
  await scoped(t.db, 'system', (tx) =>
    sql`insert into correlation_queue values (${organisationId}, 1, now() - interval '20 minutes'), (${organisationId}, 2, now())`.execute(
      tx,
    ),
  );
  const text = await measuring({ SAFE_MODE: '1' }).text();
  expect(countOf(text, 'portal_queue_length{queue="correlation"}')).toBe(2);
  expect(countOf(text, 'portal_queue_age_seconds{queue="correlation"}')).toBeGreaterThan(1_190);
  expect(text).toContain('portal_queue_age_seconds{queue="emails"} 0');
  expect(countOf(text, 'portal_agents{state="online"}')).toBe(1);
  expect(countOf(text, 'portal_silent_sources')).toBe(0);
  expect(countOf(text, 'portal_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(countOf(text, 'portal_disk_free_bytes{volume="data"}')).toBeGreaterThan(0);
  expect(text).toContain('portal_safe_mode 1');
  // No backup is configured.
  expect(text).not.toMatch(/^portal_backup_\w+ \d/m);
});

test('measures the feeds that are on, with an age once they were read', async () => {
  // One text after another would repeat the measure.
  const text = () => measuring().text();
  const set = (change: string) => runAs(t.database.ownerUrl, `update advisory_feeds set ${change}`);
  expect(await text()).not.toMatch(/^portal_feed_\w+\{/m);
  await set("is_on = true, failures = 5, read_at = now() - interval '3 days' where kind = 'epss'");
  await set("is_on = true, failures = 4 where kind = 'kev'");
  const failing = await text();
  expect(countOf(failing, 'portal_feed_failures{feed="epss"}')).toBe(5);
  expect(countOf(failing, 'portal_feed_age_seconds{feed="epss"}')).toBeGreaterThanOrEqual(3 * 86_400);
  expect(countOf(failing, 'portal_feed_failures{feed="kev"}')).toBe(4);
  expect(failing).not.toContain('portal_feed_age_seconds{feed="kev"}');
  await set('is_on = false');
  expect(await text()).not.toMatch(/^portal_feed_\w+\{/m);
});

test('gives a backup that never succeeded the age of the installation', async () => {
  const organisationId = await t.organisation();
  await scoped(t.db, 'system', (tx) =>
    sql`update organisations set created_at = now() - interval '3 days' where id = ${organisationId}`.execute(tx),
  );
  const config = readConfig({ BACKUP_DIR: '/mnt/backup', BACKUP_KEY: 'k'.repeat(32), DATA_DIR: '/tmp', PORTAL_DEMO: '0' });
  const ages = async () => (await measure({ config, db: t.db, clock: systemClock })).backup;
  const [threeDays, anHour] = [3 * 86_400, 3_600];
  expect(Math.round(((await ages())?.baseAgeSeconds ?? 0) / threeDays)).toBe(1);
  expect(Math.round(((await ages())?.logAgeSeconds ?? 0) / threeDays)).toBe(1);
  await runAs(
    t.database.ownerUrl,
    "insert into backup_runs (kind, started_at, ended_at, error) values ('base', now(), now() - interval '1 hour', '')",
  );
  expect(Math.round(((await ages())?.baseAgeSeconds ?? 0) / anHour)).toBe(1);
});

test('begins the failures of each scheduled job at none', async () => {
  const worker = await testApp({ METRICS_TOKEN: token, PORTAL_ROLES: 'api,ingest,worker' }, t.database);
  const { body } = await worker.application.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
  await worker.application.close();
  expect(body).toContain('portal_job_failures_total{name="keys.tend"} 0');
});

test('counts failed jobs, and deliveries by outcome', async () => {
  const metrics = createMetrics();
  await expect(metrics.timed('a job', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await metrics.timed('a job', async () => 1);
  metrics.delivered('webhook', 'retry', 0.3);
  const text = await metrics.text();
  expect(text).toContain('portal_job_failures_total{name="a job"} 1');
  expect(text).toContain('portal_job_duration_seconds_count{name="a job"} 2');
  expect(text).toContain('portal_deliveries_total{kind="webhook",outcome="retry"} 1');
  expect(text).toContain('portal_deliveries_total{kind="webhook",outcome="accepted"} 0');
  expect(text).toContain('portal_deliveries_total{kind="webhook",outcome="refused"} 0');
});
