import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerBrokenRequest } from './problems.ts';
import { limitReceiving } from './receiving.ts';

let app: FastifyInstance;
let port: number;
let sockets: Socket[];
/** Pause of the handler after each chunk, in milliseconds. */
let handlingMs: number;

beforeEach(async () => {
  [sockets, handlingMs] = [[], 0];
  app = Fastify({ clientErrorHandler: answerBrokenRequest({}), forceCloseConnections: true });
  limitReceiving(app, ['files.upload'], { bodyMs: 300, silenceMs: 600 });
  app.addContentTypeParser('text/csv', (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization === 'none') throw Object.assign(new Error('no'), { statusCode: 403 });
  });
  app.post('/files', { config: { operation: 'files.upload' } }, async (request) => {
    let bytes = 0;
    for await (const chunk of request.body as Readable) {
      bytes += chunk.length;
      await pause(handlingMs);
    }
    return { bytes };
  });
  app.post('/other', { config: { operation: 'others.create' } }, async () => ({ isRead: true }));
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await app.close();
});

interface Sending {
  forMs?: number;
  headers?: string;
  /** Bytes that are announced and never sent. */
  missing?: number;
}

/** Sends the headers, then the parts with a pause before each; returns all that came back once the connection ends or `forMs` is over. */
async function send(path: string, type: string, parts: string[], pauseMs: number, more: Sending = {}): Promise<string> {
  const { forMs = 2_000, headers = 'connection: close\r\n', missing = 0 } = more;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => {});
  const length = parts.join('').length + missing;
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${headers}\r\n`);
  const isClosed = once(socket, 'close');
  for (const part of parts) {
    await pause(pauseMs);
    if (socket.writable) socket.write(part);
  }
  await Promise.race([isClosed, pause(forMs)]);
  return answer;
}

const seven = Array.from({ length: 7 }, () => '1,2,3,4\n');

test('lets a streamed upload go on while bytes arrive, whose whole takes longer than other requests may', async () => {
  expect(await send('/files', 'text/csv', seven, 100)).toContain('{"bytes":56}');
});

test('waits for a handler that is slower than the client', async () => {
  handlingMs = 900;
  expect(await send('/files', 'text/csv', ['a', 'b'.repeat(200_000)], 20, { forMs: 8_000 })).toContain('{"bytes":200001}');
});

test('ends a streamed upload that falls silent', async () => {
  expect(await send('/files', 'text/csv', ['a', 'b'], 1_500)).toContain('408 Request Timeout');
});

test.each([
  ['another route', '/other', ''],
  ['an unknown address', '/nothing', ''],
  ['an address that can’t be read', '/%zz', ''],
  ['a streamed upload that is refused', '/files', 'authorization: none\r\n'],
])('ends %s whose body trickles in', async (_name, path, more) => {
  const type = path === '/files' ? 'text/csv' : 'application/json';
  const answer = await send(path, type, seven, 100, { headers: more, missing: 1_000, forMs: 300 });
  expect(answer).not.toContain('isRead');
  expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true);
});
