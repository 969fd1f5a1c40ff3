/** Bodies are read only after authentication and validation of headers: raw sockets, because regular clients would not send these requests. */
import { type AddressInfo, connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { agentsApi } from '@parapet/contract/agents.ts';
import { authApi } from '@parapet/contract/auth.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from './app.ts';

const mib = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const chunk = Buffer.alloc(mib, 97);
const t = useTestApp({ UPLOADS_AT_ONCE: '2', UPLOAD_MAX_INFLIGHT_MIB: '40' });
let host: TestUser;
let key: string;
let port: number;

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  host = await t.user({ organisationId: 1, role: 'Host' });
  key = await t.ingestKey(1);
  await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  port = (t.application.app.server.address() as AddressInfo).port;
});

const uploadPath = `/api/v1${agentsApi.addRelease.path.replace(/:\w+/g, '1')}`;
const savePath = `/api/v1${tagsApi.saveNew.path}`;
const fakeAgent = `Bearer pa_${'a'.repeat(43)}`;
const signedIn = () => `Bearer ${host.token}`;

interface Sent {
  path: string;
  headers?: Record<string, string | number>;
  /** Body bytes actually sent. */
  bytes?: number;
}

/** Sends headers and a partial body as fast as accepted; returns the data received until the connection ends or `until` holds. */
function send({ path, headers = {}, bytes = 0 }: Sent, until: (text: string) => boolean = () => false) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let isOver = false;
  const answer = new Promise<string>((resolve) => {
    const end = () => {
      isOver = true;
      resolve(text);
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (until(text)) end();
    });
    socket.on('close', end);
    socket.on('error', () => {});
  });
  const lines = Object.entries({ host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const pump = (left: number): void => {
    if (left <= 0 || isOver || socket.destroyed) return;
    socket.write(left >= mib ? chunk : chunk.subarray(0, left), () => pump(left - mib));
  };
  pump(bytes);
  return { answer, socket };
}

const statusOf = (text: string): number => Number(text.slice(9, 12));
const isAnswered = (text: string): boolean => text.includes('\r\n\r\n') && !text.startsWith('HTTP/1.1 100');

describe('the body of an anonymous caller', () => {
  test.each([
    ['an upload', uploadPath, 'application/octet-stream', {}, 401],
    ['a batch', '/ingest/_bulk', 'application/x-ndjson', { authorization: 'ApiKey pk_unknown' }, 401],
    ['an event for Splunk', '/services/collector', 'application/json', { authorization: 'Splunk pk_unknown' }, 403],
    ['logs of OpenTelemetry', '/v1/logs', 'application/x-protobuf', { authorization: 'Bearer pk_unknown' }, 401],
    ['an agent’s check-in', '/agent/check-in', 'application/json', { authorization: fakeAgent }, 401],
    ['an unknown endpoint', '/api/v1/nothing', 'application/octet-stream', {}, 404],
  ])('answers eight concurrent bodies of 31 MB without using memory: %s', async (_what, path, type, headers, status) => {
    const length = 31 * mib;
    // Discarded chunks wait for garbage collection, at times beyond 128 MiB: only what is held counts.
    const held = (): NodeJS.MemoryUsage => {
      collectGarbage();
      collectGarbage(); // the first leaves freed buffers to a sweep in the background
      return process.memoryUsage();
    };
    const before = held();
    let peak = { rss: 0, arrayBuffers: 0 };
    const watch = setInterval(() => {
      const { rss, arrayBuffers } = held();
      peak = { rss: Math.max(peak.rss, rss), arrayBuffers: Math.max(peak.arrayBuffers, arrayBuffers) };
    }, 200);
    const answers = await Promise.all(
      Array.from(
        { length: 8 },
        () => send({ path, bytes: length, headers: { 'content-type': type, 'content-length': length, ...headers } }).answer,
      ),
    );
    clearInterval(watch);
    expect(answers.map(statusOf)).toEqual(Array(8).fill(status));
    for (const answer of answers) expect(answer.toLowerCase()).toMatch(/\r\nconnection: close\r\n/);
    // Buffered bodies would be 248 MiB, doubled on concatenation.
    expect(peak.arrayBuffers).toBeGreaterThan(0);
    expect(peak.arrayBuffers - before.arrayBuffers).toBeLessThan(32 * mib);
    expect(peak.rss - before.rss).toBeLessThan(160 * mib);
  });

  test.each([
    ['an upload', uploadPath, {}, 401],
    ['an upload that is too large', uploadPath, { 'content-length': 33 * mib }, 413],
    ['a sign-in', `/api/v1${authApi.authenticate.path}`, {}, 413],
    ['a call', savePath, { authorization: 'Bearer no-such-token', 'content-length': 1000 }, 401],
    ['a chunked upload', uploadPath, { 'transfer-encoding': 'chunked' }, 401],
    ['a batch', '/ingest/_bulk', { authorization: 'ApiKey pk_unknown' }, 401],
    ['an event for Splunk', '/services/collector', { authorization: 'Splunk pk_unknown' }, 403],
    ['logs of OpenTelemetry', '/v1/logs', { authorization: 'Bearer pk_unknown' }, 401],
    ['an unpacked check-in', '/agent/check-in', { authorization: fakeAgent, 'content-encoding': 'gzip' }, 401],
  ])('answers before any body byte and without 100 Continue: %s', async (_what, path, headers, status) => {
    const length = 'transfer-encoding' in headers ? {} : { 'content-length': 30 * mib };
    for (const expecting of [{}, { expect: '100-continue' }]) {
      const sent = Object.fromEntries(Object.entries({ ...length, ...headers, ...expecting }));
      const { answer, socket } = send({ path, headers: sent }, isAnswered);
      const text = await answer;
      socket.destroy();
      expect(statusOf(text)).toBe(status);
      expect(text).not.toMatch(/100 Continue/);
    }
  });

  test('reaches a regular client that is still sending', async () => {
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(`http://127.0.0.1:${port}${uploadPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(31 * mib),
      });
      expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
      expect(await answer.json()).toMatchObject({ code: 'signInNeeded' });
    }
  });

  test('keeps the connection for small bodies', async () => {
    const { answer, socket } = send({ path: savePath, headers: { 'content-length': 2 }, bytes: 2 }, isAnswered);
    expect((await answer).toLowerCase()).not.toMatch(/connection: close/);
    socket.destroy();
  });
});

describe('a signed-in caller', () => {
  test('gets 413 from the headers of an oversized body', async () => {
    for (const [path, authorization, limit] of [
      [savePath, signedIn(), mib],
      [uploadPath, signedIn(), 32 * mib],
      ['/ingest/_bulk', `ApiKey ${key}`, 10 * mib],
      ['/services/collector/raw', `Splunk ${key}`, 10 * mib],
      ['/v1/logs', `Bearer ${key}`, 10 * mib],
    ] as const) {
      const { answer, socket } = send({ path, headers: { authorization, 'content-length': limit + 1 } }, isAnswered);
      expect([path, statusOf(await answer)]).toEqual([path, 413]);
      socket.destroy();
    }
  });

  test('gets 100 Continue when it expects it', async () => {
    const headers = {
      authorization: signedIn(),
      'content-type': 'application/json',
      'content-length': 2,
      expect: '100-continue',
    };
    const { answer, socket } = send({ path: savePath, headers }, (text) => text.includes('\r\n\r\n'));
    expect(await answer).toMatch(/^HTTP\/1.1 100 Continue\r\n/);
    const rest = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('{}');
    expect(statusOf(await rest)).toBe(400);
    socket.destroy();
  });

  test('limits concurrent uploads and accepts more once they finish', async () => {
    const headers = { authorization: signedIn(), 'content-type': 'application/octet-stream', 'content-length': 10 * mib };
    // Past 100 Continue, these bodies are being received.
    const open = [1, 2].map(() =>
      send({ path: uploadPath, headers: { ...headers, expect: '100-continue' } }, (text) => text !== ''),
    );
    for (const { answer } of open) expect(await answer).toMatch(/^HTTP\/1.1 100 /);
    const third = send({ path: uploadPath, headers }, isAnswered);
    expect(await third.answer).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: \d+\r\n/s);
    third.socket.destroy();
    // A small call of the same person is not an upload.
    expect((await t.call(tagsApi.saveNew, { body: { clientOrganizationID: 1, name: 'small' } }, host)).statusCode).toBe(200);
    for (const { socket } of open) socket.destroy();
    await expect
      .poll(
        async () => {
          const again = send({ path: uploadPath, headers, bytes: 10 * mib }, isAnswered);
          const text = await again.answer;
          again.socket.destroy();
          return statusOf(text);
        },
        { timeout: 5_000 },
      )
      .toBe(400);
  });
});
