import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { isPublicAddress, NotPublic, openOutbound } from './outbound.ts';

const strict = openOutbound({ allowsInsecure: false });
const loose = openOutbound({ allowsInsecure: true });
let asked = 0;
const server = createServer((_request, response) => {
  asked++;
  response.end('x'.repeat(2 * 1024 * 1024));
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
  expect(asked).toBe(0);
});

test('truncates an endless response', async () => {
  const answer = await loose.fetch(`http://127.0.0.1:${port()}/`);
  await expect(answer.text()).rejects.toThrow();
});
