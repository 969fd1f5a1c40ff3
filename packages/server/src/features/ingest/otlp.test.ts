/** OTLP logs from the official exporters, and from hostile senders. */
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let url: string;
let organisation: number;
let key: string;

beforeAll(async () => {
  await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(t.application.app.server.address() as AddressInfo).port}/v1/logs`;
});

async function fresh(): Promise<void> {
  organisation = await t.organisation();
  key = await t.ingestKey(organisation);
}

const rows = () =>
  scoped(t.db, 'system', async (tx) => (await eventRows(tx, organisation)).toSorted((a, b) => (a.text < b.text ? -1 : 1)));
const deadLetters = () =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('dead_letters').selectAll().where('organisation_id', '=', organisation).orderBy('id').execute(),
  );
const post = (payload: string | Buffer | object, headers: Record<string, string> = {}) =>
  t.application.app.inject({
    method: 'POST',
    url: '/v1/logs',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': Buffer.isBuffer(payload) ? 'application/x-protobuf' : 'application/json',
      ...headers,
    },
    payload,
  });
const nanoseconds = () => `${BigInt(Date.now()) * 1_000_000n + 123_456n}`;
const requestOf = (...logRecords: unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const text = (stringValue: string) => ({ stringValue });

describe.each([
  ['JSON', JsonExporter, false],
  ['protobuf', ProtobufExporter, true],
] as const)('the official exporter with %s', (_name, Exporter, isCompressed) => {
  test('sends records with resource, severity, attributes and trace, stored once they are acknowledged', async () => {
    await fresh();
    const exporter = new Exporter({
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(isCompressed && { compression: 'gzip' as never }),
    });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ 'host.name': 'web01', 'service.name': 'shop', 'k8s.pod.name': 'p1' }),
      processors: [new SimpleLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('auth');
    logger.emit({
      body: 'login failed',
      severityNumber: 13,
      attributes: { 'user.name': 'mallory', 'source.ip': '203.0.113.9', tries: 3, 'odd.list': ['a', 'b'] },
      timestamp: new Date(),
    });
    logger.emit({ body: { action: 'ran', detail: { n: 1.5, ok: true } }, severityText: 'NOTICE' });
    await provider.shutdown();
    const stored = await rows();
    expect(stored.map((row) => row.device_name)).toEqual(['web01', 'web01']);
    const failed = stored.find((row) => row.text === 'login failed');
    expect(failed?.user_name).toBe('mallory');
    expect(failed?.document).toMatchObject({
      message: 'login failed',
      host: { name: 'web01' },
      service: { name: 'shop' },
      log: { level: 'warn', logger: 'auth' },
      event: { severity: 13 },
      user: { name: 'mallory' },
      source: { ip: '203.0.113.9' },
      tries: 3,
      'odd.list': ['a', 'b'],
      'k8s.pod.name': 'p1',
    });
    expect(stored.find((row) => row !== failed)?.document).toMatchObject({
      action: 'ran',
      detail: { n: 1.5, ok: true },
      log: { level: 'NOTICE' },
    });
  });
});

describe('records', () => {
  test('keeps nanoseconds and trace, and stores a record once however often it is sent', async () => {
    await fresh();
    const record = {
      timeUnixNano: nanoseconds(),
      body: text('once'),
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    };
    for (let i = 0; i < 2; i++) expect((await post(requestOf(record))).json()).toEqual({});
    for (let i = 0; i < 2; i++) await post(requestOf({ body: text('twice') }), { authorization: `ApiKey ${key}` });
    const stored = await rows();
    expect(stored.map((row) => row.text)).toEqual(['once', 'twice', 'twice']);
    expect(stored[0]?.document).toMatchObject({
      '@timestamp': expect.stringMatching(/\.\d{3}123456Z$/),
      trace: { id: record.traceId },
      span: { id: record.spanId },
    });
  });

  test('normalises a syslog line in the body as syslog, of its own host', async () => {
    await fresh();
    const line = `<38>${new Date().toISOString()} web02 sshd[9]: Failed password for root from 203.0.113.5 port 4242 ssh2`;
    const resource = { attributes: [{ key: 'host.name', value: text('collector') }] };
    await post({
      resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{ timeUnixNano: nanoseconds(), body: text(line) }] }] }],
    });
    expect((await rows()).map(({ shape, device_name }) => [shape, device_name])).toEqual([['syslog', 'web02']]);
  });

  test('counts and keeps invalid ones as rejected, and stores the others', async () => {
    await fresh();
    let deep: unknown = text('x');
    for (let i = 0; i < 60; i++) deep = { arrayValue: { values: [deep] } };
    const many = Array.from({ length: 2_000 }, (_, i) => ({ key: `k${i}`, value: { intValue: String(i) } }));
    const answer = await post(
      requestOf(
        { body: text('good') },
        { body: deep },
        { attributes: many },
        { body: text('x'.repeat(300_000)) },
        { body: 'no value' },
        { timeUnixNano: 'soon' },
        { body: text('a\0b\ud800') },
      ),
    );
    expect([answer.statusCode, answer.json().partialSuccess]).toEqual([
      200,
      { rejectedLogRecords: 5, errorMessage: expect.stringContaining('too-deep, too-many-fields, too-large, not-an-object') },
    ]);
    expect((await rows()).map((row) => row.text)).toEqual(['a\ufffdb\ufffd', 'good']);
    expect(await deadLetters()).toHaveLength(5);
  });

  test('counts invalid ones in protobuf in protobuf', async () => {
    await fresh();
    const broken = new Uint8Array([0x2a, 0x05, 0x0a]);
    const body = new BinaryWriter().tag(1, 2).fork().tag(2, 2).fork().tag(2, 2).bytes(broken).join().join().finish();
    const answer = await post(Buffer.from(body));
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/x-protobuf']);
    const outer = new BinaryReader(answer.rawPayload);
    expect(outer.tag()).toEqual([1, 2]);
    const inner = new BinaryReader(outer.bytes());
    expect([inner.tag(), Number(inner.int64())]).toEqual([[1, 0], 1]);
    expect((await deadLetters()).map(({ raw }) => raw)).toEqual([Buffer.from(broken).toString('base64')]);
  });
});

describe('a refusal', () => {
  test('sends a status in the encoding of the request', async () => {
    await fresh();
    const wrong = await post(requestOf(), { authorization: 'Bearer pk_nonsense' });
    expect([wrong.statusCode, wrong.json()]).toEqual([401, { code: 16, message: expect.stringContaining('ingest key') }]);
    const missing = await t.application.app.inject({ method: 'POST', url: '/v1/logs', payload: '{}' });
    expect(missing.statusCode).toBe(401);
    const binary = await post(Buffer.from([0xff, 0xff]));
    expect([binary.statusCode, binary.headers['content-type']]).toEqual([400, 'application/x-protobuf']);
    const reader = new BinaryReader(binary.rawPayload);
    expect([reader.tag(), reader.int32(), reader.tag(), reader.string()]).toEqual([
      [1, 0],
      3,
      [2, 2],
      expect.stringContaining('no protobuf'),
    ]);
    expect((await post('x', { 'content-type': 'text/plain' })).statusCode).toBe(415);
  });

  const groups = Buffer.alloc(1_000_000, 0x0b);
  test.each([
    ['text', 'nonsense', 400],
    ['an endless array', '['.repeat(5_000_000), 400],
    ['a list', '[]', 400],
    ['a wrong type', '{"resourceLogs":{"a":1}}', 400],
    ['a list of wrong types', '{"resourceLogs":[1]}', 400],
    ['endless groups', groups, 400],
    ['a length behind the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]), 400],
    ['a varint that never ends', Buffer.alloc(1_000, 0xff), 400],
    ['50 MB', Buffer.alloc(50_000_000), 413],
  ])('%s has its status, and the next request is served', async (_what, payload, status) => {
    await fresh();
    expect((await post(payload)).statusCode).toBe(status);
    expect((await post(requestOf({ body: text('next') }))).json()).toEqual({});
  });

  test('refuses a gzip bomb and too many records before anything is stored', async () => {
    await fresh();
    expect((await post(gzipSync(Buffer.alloc(200_000_000)), { 'content-encoding': 'gzip' })).statusCode).toBe(413);
    const records = Buffer.alloc(300_000, Buffer.from([0x12, 0x00]));
    const body = new BinaryWriter().tag(1, 2).fork().tag(2, 2).bytes(records).join().finish();
    expect((await post(Buffer.from(body))).statusCode).toBe(413);
    expect(await rows()).toEqual([]);
  });
});
