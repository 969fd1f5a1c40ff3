/** Calls against arbitrary servers: each ends in time with the right error. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  type Client,
  createClient,
  KeyRevokedError,
  PortalUnavailableError,
  RequestRejectedError,
  ResponseTooLargeError,
} from './client.ts';

let server: Server | undefined;
let client: Client | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  client?.close();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** A server that sends these bytes for every request and then stays silent. */
async function portalSending(answer: string | ((socket: Socket) => void), host = '127.0.0.1'): Promise<Client> {
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('data', () => (typeof answer === 'string' ? socket.write(answer) : answer(socket)));
  });
  await new Promise<void>((resolve) => server?.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  client = createClient({ server: `http://${host.includes(':') ? `[${host}]` : host}:${port}` });
  return client;
}
const call = { method: 'GET', path: '/', timeoutMs: 700, maxAnswerBytes: 100_000 } as const;
const ok = (body: string, headers = '') => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
const status = (code: number, headers = '') => `HTTP/1.1 ${code} X\r\ncontent-length: 2\r\n${headers}\r\nno`;

test.each([
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['a hint and then nothing', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
  ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'],
  ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ['headers without an end', 'HTTP/1.1 200 OK\r\nx: y'],
  ['no JSON', ok('<html>')],
  ['a redirect', status(302, 'location: http://127.0.0.1:1/\r\n')],
  ['a redirect for good', status(308, 'location: http://127.0.0.1:1/\r\n')],
  ['that it is overloaded', status(503)],
  ['that there were too many', status(429)],
])('%s: away, for now', async (_, answer) => {
  const portal = await portalSending(answer);
  const before = performance.now();
  await expect(portal.json(call)).rejects.toBeInstanceOf(PortalUnavailableError);
  expect(performance.now() - before).toBeLessThan(3_000);
});

test('aborts a dripping response at the timeout of the whole exchange', async () => {
  const portal = await portalSending((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 50);
    socket.once('close', () => clearInterval(timer));
  });
  await expect(portal.json(call)).rejects.toThrow(/no response within 1 s/);
});

test('aborts an endless response at the size limit', async () => {
  const portal = await portalSending((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
    const write = () => {
      while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      if (!socket.destroyed) socket.once('drain', write);
    };
    write();
  });
  await expect(portal.json(call)).rejects.toBeInstanceOf(ResponseTooLargeError);
});

test('distinguishes rejected requests from revoked keys', async () => {
  await expect((await portalSending(status(404))).json(call)).rejects.toBeInstanceOf(RequestRejectedError);
  await expect((await portalSending(status(401))).json(call)).rejects.toBeInstanceOf(KeyRevokedError);
});

test('reaches an IPv6-only portal by address, also when pinned', async () => {
  const portal = await portalSending(ok('{}'), '::1');
  expect([portal.host, await portal.json(call)]).toEqual(['::1', {}]);
  expect(portal.lastAddress()).toBe('::1');
  const named = createClient({ server: `http://portal.invalid:${portal.port}` });
  named.pin(['::1']);
  expect(await named.json(call)).toEqual({});
  named.close();
});
