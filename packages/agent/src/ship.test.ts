import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as bodyOf } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Buffered, openBuffer } from './buffer.ts';
import { encodeEvent } from './bulk.ts';
import { type Client, createClient } from './client.ts';
import { createShipping } from './ship.ts';

let folder: string;
let server: Server;
let buffer: Buffered;
let client: Client;
let answers: ((ids: string[], response: ServerResponse) => void)[] = [];
let seen: string[][] = [];
const troubles: string[] = [];
const stop = { now: new AbortController() };
let running: Promise<void>;

const statuses = (response: ServerResponse, list: (number | [number, string])[]) =>
  response.end(
    JSON.stringify({
      items: list.map((one) => ({ create: Array.isArray(one) ? { status: one[0], error: { code: one[1] } } : { status: one } })),
    }),
  );
const takeAll = (ids: string[], response: ServerResponse) =>
  statuses(
    response,
    ids.map(() => 201),
  );

/** Ids of pairs; texts of file lines. */
const eventsIn = (body: string) =>
  [...body.matchAll(/^\{"create":\{"_id":"([^"]+)"|^(\w+)$/gm)].map(([, id, line]) => (id ?? line) as string);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-ship-'));
  answers = [];
  seen = [];
  troubles.length = 0;
  server = createServer(async (request: IncomingMessage, response) => {
    const body = zstdDecompressSync(await bodyOf(request)).toString();
    const ids = eventsIn(body);
    expect(request.headers.authorization).toBe('Bearer pa_test');
    seen.push(ids);
    (answers.shift() ?? takeAll)(ids, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'pa_test' });
  buffer = await openBuffer(folder, 64 * 1024 * 1024, (text) => troubles.push(text));
  stop.now = new AbortController();
});
afterEach(async () => {
  stop.now.abort();
  await running;
  await buffer.close();
  client.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ship(count: number) {
  for (let n = 0; n < count; n++) await buffer.append(encodeEvent(`e${n}`, JSON.stringify({ message: `line ${n}` })));
  await buffer.sync();
  const shipping = createShipping({ client, buffer, trouble: (text) => troubles.push(text), firstWaitMs: 10 });
  running = shipping.run(stop.now.signal);
  return shipping;
}
const isEmpty = () => expect.poll(() => buffer.figures().events, { timeout: 5_000 }).toBe(0);

test('handles each event by its own result: accepted, rejected and counted, or retried', async () => {
  answers = [(_, response) => statuses(response, [201, [400, 'not-json'], 429, 200, 503])];
  const shipping = await ship(5);
  await isEmpty();
  expect(seen).toEqual([
    ['e0', 'e1', 'e2', 'e3', 'e4'],
    ['e2', 'e4'],
  ]);
  expect(shipping.figures()).toEqual({ shipped: 4, dropped: { 'not-json': 1 } });
});

test('handles file lines one by one and sends them alone when needed', async () => {
  const bytes = Buffer.from('one\ntwo\n\nthree\nfour\n');
  await buffer.put({ stream: 'st', offset: 0, bytes, count: 4, isCut: false }, { host: { name: 'h' } });
  answers = [
    (_, response) => response.writeHead(413).end('too large'),
    (_, response) => statuses(response, [201, 503]),
    takeAll,
    (ids, response) => (ids.length > 1 ? response.writeHead(400).end('no') : takeAll(ids, response)),
    takeAll,
    (_, response) => statuses(response, [[400, 'too-large']]),
  ];
  const shipping = await ship(0);
  await isEmpty();
  expect(seen).toEqual([['one', 'two', 'three', 'four'], ['one', 'two'], ['two'], ['three', 'four'], ['three'], ['four']]);
  expect(shipping.figures()).toEqual({ shipped: 3, dropped: { 'too-large': 1 } });
});

test('retries under the same ids when the portal is unreachable, busy or malformed', async () => {
  answers = [
    (_, response) => response.writeHead(503).end('restarting'),
    (_, response) => response.writeHead(429).end('busy'),
    (_, response) => response.destroy(),
    (_, response) => response.end('<html>a proxy</html>'),
    (_, response) => response.writeHead(403).end('a proxy'),
    (_, response) => response.writeHead(404).end('a proxy'),
    (_, response) => statuses(response, [201]),
  ];
  const shipping = await ship(3);
  await isEmpty();
  expect(seen).toEqual(Array.from({ length: 8 }, () => ['e0', 'e1', 'e2']));
  expect(shipping.figures()).toEqual({ shipped: 3, dropped: {} });
});

test('halves oversized batches and counts an event that never fits', async () => {
  const tooLarge = (ids: string[], response: ServerResponse) =>
    ids.length > 1 || ids[0] === 'e2' ? response.writeHead(413).end('too large') : takeAll(ids, response);
  answers = Array.from({ length: 20 }, () => tooLarge);
  const shipping = await ship(4);
  await isEmpty();
  expect(shipping.figures()).toEqual({ shipped: 3, dropped: { 'too-large': 1 } });
});

test('ships the other events of a batch with a bad one', async () => {
  const picky = (ids: string[], response: ServerResponse) =>
    ids.includes('e1') ? response.writeHead(400).end('no') : takeAll(ids, response);
  answers = Array.from({ length: 20 }, () => picky);
  const shipping = await ship(3);
  await isEmpty();
  expect(shipping.figures()).toEqual({ shipped: 2, dropped: { 'refused-400': 1 } });
});

test('pauses and keeps its events when revoked', async () => {
  answers = Array.from(
    { length: 20 },
    () => (_: string[], response: ServerResponse) => void response.writeHead(401).end('unknown key'),
  );
  await ship(3);
  await expect.poll(() => troubles.join(), { timeout: 5_000 }).toMatch(/revoked/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(seen).toHaveLength(1);
  expect(buffer.figures().events).toBe(3);
});
