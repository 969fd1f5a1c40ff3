/** OpenTelemetry: traces of requests, batches and jobs with their statements, at a local receiver; nothing of it without an endpoint. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tagsApi } from '@parapet/contract/tags.ts';
import { beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../src/core/metrics.ts';
import { isTracing, traced } from '../src/core/telemetry/tracing.ts';
import { type TestApp, testApp } from './app.ts';
import { type ReceivedSpan, startOtlpReceiver } from './otlp.receiver.ts';
import { useFixture } from './use.ts';

const receiver = useFixture(startOtlpReceiver, (fixture) => fixture.close());
let t: TestApp;
let organisationId: number;
beforeAll(async () => {
  t = await testApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of%20the%20tests',
  });
  organisationId = await t.organisation({ name: 'Tenant of the traces' });
  const user = await t.user({ organisationId, role: 'Administrator' });
  await t.call(tagsApi.list, { query: { selectedClientOrgID: organisationId } }, user);
  await t.call(tagsApi.saveNew, { body: { name: 'Secret of the tenant', clientOrganizationID: organisationId } as never }, user);
  await t.application.app.inject({ url: '/healthz' });
  await t.send(await t.ingestKey(organisationId), [{ message: 'secret of a line' }, { message: 'another' }]);
  await createMetrics().timed('tests.run', async () => 1);
  await traced('broken', {}, () => Promise.reject(new TypeError('secret of an error'))).catch(() => {});
  // The stop exports what waits.
  await t.close();
});

const named = (name: string): ReceivedSpan => {
  const found = receiver.spans.find((span) => span.name === name);
  if (!found) throw new Error(`${name} is not among ${receiver.spans.map((span) => span.name).join(', ')}`);
  return found;
};
/** Names from a span up to the root of its trace. */
function wayUp(span: ReceivedSpan): string[] {
  const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? wayUp(parent) : [])];
}

test('exports a request with its service and its statements as one trace', () => {
  const statement = receiver.spans.find(
    ({ name, traceId }) => name === 'SELECT tags' && traceId === named(tagsApi.list.id).traceId,
  ) as ReceivedSpan;
  expect(wayUp(statement)).toEqual(['SELECT tags', `service ${tagsApi.list.id}`, tagsApi.list.id]);
  expect(statement.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.collection.name': 'tags' });
  expect(statement.ns).toBeGreaterThan(0n);
  expect(named(tagsApi.list.id).attributes['http.response.status_code']).toBe('200');
});

test('exports a batch of a shipper through pipeline and store, after its body was read', () => {
  const store = named('store');
  expect(wayUp(store)).toEqual(['store', 'POST /ingest/:index/_bulk']);
  expect(wayUp(named('pipeline')).at(-1)).toBe('POST /ingest/:index/_bulk');
  expect(store.attributes).toMatchObject({ 'portal.events': '2', 'portal.stored': '2' });
  const below = receiver.spans.filter(({ parentSpanId }) => parentSpanId === store.spanId).map(({ name }) => name);
  expect(below.some((name) => /^(INSERT|SELECT|WITH) /.test(name))).toBe(true);
});

test('exports jobs, and failures by their kind alone', () => {
  expect(named('job tests.run').parentSpanId).toBe('');
  expect(named('broken')).toMatchObject({ status: 2, attributes: { 'error.type': 'TypeError' } });
});

test('exports no content, no tenant and no health checks', () => {
  const all = JSON.stringify(receiver.spans, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  expect(all).not.toMatch(/secret of|Secret of|Tenant of the traces|healthz/);
  expect(new Set(receiver.headers)).toEqual(new Set(['Bearer of the tests']));
});

test('exports the metrics under the names and labels of /metrics', () => {
  expect(receiver.metrics.get('portal_request_duration_seconds')).toContainEqual({ operation: tagsApi.list.id });
  expect(receiver.metrics.get('portal_ingest_total')).toContainEqual({ outcome: 'stored' });
  expect(receiver.metrics.get('portal_pipeline_step_duration_seconds')).toContainEqual({ step: 'parse' });
  expect(receiver.metrics.has('process_resident_memory_bytes')).toBe(true);
});

// prom-client loads its interfaces.
test('loads nothing of OpenTelemetry without an endpoint', { timeout: 60_000 }, async () => {
  expect(isTracing()).toBe(false);
  const script = `
    import { registerHooks } from 'node:module';
    const found = [];
    registerHooks({ resolve(specifier, context, next) { if (specifier.includes('@opentelemetry') && !context.parentURL.includes('/node_modules/')) found.push(specifier); return next(specifier, context); } });
    await import(${JSON.stringify(fileURLToPath(new URL('../src/application.ts', import.meta.url)))});
    console.log(JSON.stringify(found));
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env: { PATH: process.env.PATH } });
  let out = '';
  child.stdout.on('data', (part) => {
    out += part;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(JSON.parse(out)).toEqual([]);
});
