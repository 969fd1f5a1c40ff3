/** A real CONNECT proxy, which leads an address outside to a server of this machine. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { reasonOf } from '@parapet/connectors/requests.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NotPublic, openOutbound } from './outbound.ts';

const outside = '93.184.215.14';
/** Self-signed for that address. */
const [cert, key] = ['outside.crt', 'outside.key'].map((name) =>
  readFileSync(new URL(`../../test/certificates/${name}`, import.meta.url), 'utf8'),
) as [string, string];
const known = getCACertificates('default');

const closers: (() => void)[] = [];
const listen = async (
  server: Server | ReturnType<typeof createTlsServer> | ReturnType<typeof createTcpServer>,
): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close());
  return (server.address() as AddressInfo).port;
};

let proxyPort: number;
/** Targets of CONNECT, and the credentials that came with them. */
const requests: { path: string; credentials: string | undefined }[] = [];
let refusal: string | undefined;
const opened: ReturnType<typeof openOutbound>[] = [];
const outboundBy = (proxy: string | undefined, more: object = {}) => {
  const outbound = openOutbound({ allowsInsecure: false, proxy, timeoutMs: 1_500, ...more });
  opened.push(outbound);
  return outbound;
};
const proxyUrl = (user = '') => `http://${user}127.0.0.1:${proxyPort}`;

beforeAll(async () => {
  setDefaultCACertificates([...known, cert]);
  const target = createTlsServer({ key, cert }, (request, response) => {
    response.end(`${request.headers.host} ${request.url}`);
  });
  const targetPort = await listen(target);
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', (request, socket, head) => {
    socket.on('error', () => {});
    requests.push({ path: request.url ?? '', credentials: request.headers['proxy-authorization'] });
    if (refusal !== undefined) return socket.end(refusal);
    const upstream = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  proxyPort = await listen(proxy);
});
afterAll(async () => {
  setDefaultCACertificates(known);
  await Promise.all(opened.map((outbound) => outbound.close()));
  for (const close of closers) close();
});
beforeEach(() => {
  requests.length = 0;
  refusal = undefined;
});

const failureOf = (outbound: ReturnType<typeof openOutbound>, url: string) =>
  outbound.fetch(url).then(
    () => undefined,
    (error: Error & { cause?: Error }) => error,
  );

test('reaches a public address through the proxy, by its address and with its credentials', async () => {
  const answer = await outboundBy(proxyUrl('egress:p%40ss@')).fetch(`https://${outside}/feed`);
  expect(await answer.text()).toBe(`${outside} /feed`);
  const credentials = `Basic ${Buffer.from('egress:p@ss').toString('base64')}`;
  expect(requests).toEqual([{ path: `${outside}:443`, credentials }]);
});

test('sends no credentials where the setting has none, and uses the port of the address', async () => {
  await (await outboundBy(proxyUrl()).fetch(`https://${outside}:8443/`)).text();
  expect(requests).toEqual([{ path: `${outside}:8443`, credentials: undefined }]);
});

test('refuses addresses of this machine and network before the proxy hears of them', async () => {
  const outbound = outboundBy(proxyUrl());
  for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '10.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '2130706433']) {
    const failure = await failureOf(outbound, `https://${host}/`);
    expect([host, failure?.cause ?? failure]).toEqual([host, expect.any(NotPublic)]);
  }
  expect(await failureOf(outbound, `http://${outside}/`)).toBeInstanceOf(NotPublic);
  expect(requests).toEqual([]);
});

test('reaches what the operator allows inside directly', async () => {
  const inside = createServer((_request, response) => response.end('inside'));
  const origin = `http://127.0.0.1:${await listen(inside)}`;
  const answer = await outboundBy(proxyUrl(), { alsoOrigins: [origin] }).fetch(`${origin}/`);
  expect(await answer.text()).toBe('inside');
  expect(requests).toEqual([]);
});

test('trusts no certificate because a proxy delivered it', async () => {
  setDefaultCACertificates(known);
  try {
    const failure = await failureOf(outboundBy(proxyUrl()), `https://${outside}/`);
    expect(failure?.cause).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  } finally {
    setDefaultCACertificates([...known, cert]);
  }
});

test.each<[string, string, string]>([
  ['a refusal', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n', 'the egress proxy refused the connection.'],
  [
    'refused credentials',
    'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
    'the egress proxy refused the portal’s credentials.',
  ],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n', 'the egress proxy can’t be reached.'],
  ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'the egress proxy can’t be reached.'],
  ['a closed connection', '', 'the egress proxy can’t be reached.'],
])('words %s by the proxy', async (_name, answer, words) => {
  refusal = answer;
  const failure = await failureOf(outboundBy(proxyUrl()), `https://${outside}/`);
  expect(reasonOf(failure)).toBe(words);
});

test('words a proxy that is away, and one that does not answer', async () => {
  const away = await failureOf(outboundBy('http://127.0.0.1:1'), `https://${outside}/`);
  expect(reasonOf(away)).toBe('the egress proxy can’t be reached.');
  const silent = createTcpServer((socket) => void socket.on('error', () => {}));
  const started = performance.now();
  const failure = await failureOf(outboundBy(`http://127.0.0.1:${await listen(silent)}`), `https://${outside}/`);
  expect(reasonOf(failure)).toMatch(/proxy can’t be reached|in time/);
  expect(performance.now() - started).toBeLessThan(5_000);
});
