import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillAccess, readAccessLine } from './access-log.ts';

const time = '[10/Oct/2000:13:55:36 -0700]';

describe('readAccessLine', () => {
  it.each([
    [
      `127.0.0.1 - frank ${time} "GET /apache_pb.gif HTTP/1.0" 200 2326`,
      { client: '127.0.0.1', user: 'frank', status: 200, bytes: 2326, referrer: undefined, agent: undefined },
    ],
    [
      `2001:db8::1 - - ${time} "GET / HTTP/1.1" 304 - "-" "curl/8.0"`,
      { client: '2001:db8::1', user: undefined, status: 304, bytes: undefined, agent: 'curl/8.0' },
    ],
    [`web.example - a b ${time} "GET / HTTP/1.1" 401 0 "-" "-"`, { client: 'web.example', user: 'a b', agent: undefined }],
    [`shop.example:443 10.0.0.1 - - ${time} "GET / HTTP/1.1" 200 1 "-" "x"`, { vhost: 'shop.example:443', client: '10.0.0.1' }],
    [
      `10.0.0.1 - - ${time} "GET /?q=\\"a\\" 200 HTTP/1.1" 404 5 "-" "say \\"hi\\""`,
      { request: 'GET /?q=\\"a\\" 200 HTTP/1.1', status: 404, agent: 'say \\"hi\\"' },
    ],
    [`10.0.0.1 - - ${time} "\\x16\\x03\\x01" 400 150 "-" "-" "203.0.113.5"`, { request: '\\x16\\x03\\x01', status: 400 }],
    [`10.0.0.1 - - ${time} "" 408 0`, { request: '', status: 408 }],
  ])('reads %s', (line, expected) => expect(readAccessLine(line)).toMatchObject(expected));

  it.each([
    '',
    'hello',
    `10.0.0.1 - - ${time} "GET / HTTP/1.1`,
    `10.0.0.1 ${time} "GET /" 200 1`,
    `10.0.0.1 - - [] "GET /" 2000 1`,
    'x'.repeat(500_000),
    `${'"'.repeat(100_000)} - - ${time} "a" 200 1`,
  ])('rejects lines of other formats (%#)', (line) => expect(readAccessLine(line)).toBeUndefined());

  it('parses a huge request completely and quickly', () => {
    const request = `GET /${'\\"'.repeat(100_000)} HTTP/1.1`;
    const started = performance.now();
    expect(readAccessLine(`10.0.0.1 - - ${time} "${request}" 414 0 "-" "-"`)?.request).toBe(request);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('splits a request line, including malformed ones', () => {
    const fields = (request: string) => {
      const document = {};
      fillAccess(document, readAccessLine(`10.0.0.1 - - ${time} "${request}" 200 1`)!);
      return document;
    };
    expect(fields('GET /a b?c=d HTTP/1.1')).toMatchObject({
      url: { original: '/a b?c=d', path: '/a b', query: 'c=d' },
      http: { version: '1.1' },
    });
    expect(fields('GET http://u:p@evil.example:8080/x?y HTTP/1.1')).toMatchObject({
      url: { scheme: 'http', domain: 'evil.example', path: '/x', query: 'y' },
    });
    expect(fields('OPTIONS *')).toMatchObject({ url: { original: '*' }, http: { request: { method: 'OPTIONS' } } });
    expect(fields('\\x16\\x03')).toMatchObject({ url: { original: '\\x16\\x03' } });
  });

  it('survives any input', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => void readAccessLine(`${a} - - ${time} "${b}" 200 1 "${a}" "${b}"`)),
    );
  });
});
