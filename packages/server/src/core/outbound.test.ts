import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { isPublicAddress, NotPublic, openOutbound } from './outbound.ts';

const strict = openOutbound({ allowsInsecure: false });
const loose = openOutbound({ allowsInsecure: true });
let lookups = 0;
const server = createServer((request, response) => {
  lookups++;
  const packed = gzipSync(Buffer.alloc(Number(request.url?.slice(1))));
  if (request.url !== '/') response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  else response.end('x'.repeat(2 * 1024 * 1024));
}).listen(0, '127.0.0.1');
afterAll(async () => {
  server.close().closeAllConnections();
  await strict.close();
  await loose.close();
});
const port = () => (server.address() as AddressInfo).port;

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['127.0.0.1', false],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['nonsense', false],
])('%s is public: %s', (address, is) => {
  expect(isPublicAddress(address)).toBe(is);
});

test('allows https only, and never this machine or private networks in any notation', async () => {
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
    const failure = await strict
      .fetch(`https://${host}:${port()}/`)
      .catch((error: Error & { cause?: unknown }) => error.cause ?? error);
    expect(failure).toBeInstanceOf(NotPublic);
  }
  await expect(strict.fetch('http://example.com/')).rejects.toBeInstanceOf(NotPublic);
  expect(lookups).toBe(0);
});

test('truncates an endless response', async () => {
  const answer = await loose.fetch(`http://127.0.0.1:${port()}/`);
  await expect(answer.text()).rejects.toThrow();
});

test('limits what a compressed response becomes', async () => {
  const read = async (bytes: number) =>
    (await (await loose.fetch(`http://127.0.0.1:${port()}/${bytes}`)).arrayBuffer()).byteLength;
  expect(await read(1024 * 1024)).toBe(1024 * 1024);
  await expect(read(50_000_000)).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
});
