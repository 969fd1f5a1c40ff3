import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { silentLog } from '../../core/log.ts';
import { openOutbound } from '../../core/outbound.ts';
import { createProse, faultOf } from './decisioning.prose.ts';

const servers: Server[] = [];
const outbounds: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const outbound of outbounds.splice(0)) await outbound.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const facts = 'Verdict: Malicious, with a confidence of 95 of 100. “203.0.113.66” is listed as malicious.';
async function model(handle: (request: IncomingMessage, response: ServerResponse, body: string) => void, timeoutMs = 10_000) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => handle(request, response, body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = openOutbound({ allowsInsecure: false, onlyOrigin: origin, timeoutMs });
  outbounds.push(outbound);
  return {
    origin,
    outbound,
    write: createProse({ model: { url: `${origin}/v1`, name: 'm', apiKey: 'k' }, outbound, log: silentLog }),
  };
}
const completion = (content: unknown) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });

test('sends facts, model name and key, and uses the returned prose', async () => {
  const received: { path?: string; key?: string; body?: { model: string; messages: { content: string }[] } } = {};
  const { write } = await model((request, response, body) => {
    Object.assign(received, { path: request.url, key: request.headers.authorization, body: JSON.parse(body) });
    response
      .setHeader('content-type', 'application/json')
      .end(completion(' An attack reached 203.0.113.66. \nWe are 95 of 100 sure.\u202e '));
  });
  expect(await write(facts)).toBe('An attack reached 203.0.113.66. \nWe are 95 of 100 sure.\\u{202e}');
  expect(received).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer k', body: { model: 'm' } });
  expect(received.body!.messages.at(-1)!.content).toBe(facts);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['an error', (response) => response.writeHead(500).end('{}')],
  ['no JSON', (response) => response.end('hello')],
  ['another shape', (response) => response.end('{"choices":[]}')],
  ['null', (response) => response.end('null')],
  ['no text', (response) => response.end(completion(5))],
  ['markup', (response) => response.end(completion('<b>bad</b>'))],
  ['an address of its own', (response) => response.end(completion('It went to 198.51.100.7.'))],
  ['a redirect', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
  ['a connection cut off', (response) => response.destroy()],
  ['no answer in time', () => {}],
  ['more than can be read', (response) => response.end(completion('x'.repeat(3_000_000)))],
])('%s: the own text stands', async (what, answer) => {
  const { write } = await model((_request, response) => answer(response), what === 'no answer in time' ? 300 : undefined);
  expect(await write(facts)).toBeUndefined();
});

test('calls the configured origin only', async () => {
  const { outbound, origin } = await model((_request, response) => response.end('here'));
  expect((await outbound.fetch(`${origin}/x`)).status).toBe(200);
  await expect(outbound.fetch('http://127.0.0.1:1/')).rejects.toThrow('is not');
  await expect(outbound.fetch('https://example.com/')).rejects.toThrow('is not');
});

test.each([
  ['It reached 203.0.113.66.', undefined],
  ['We are 95 of 100 sure.', undefined],
  ['We are 99 of 100 sure.', '99'],
  ['See https://evil.example/x', 'https'],
  ['x'.repeat(9_000), 'too long'],
])('%s', (prose, fault) => {
  if (fault === undefined) expect(faultOf(prose, facts)).toBeUndefined();
  else expect(faultOf(prose, facts)).toContain(fault);
});
