/** Requests that are refused before any route sees them, in one place for all routes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance } from 'fastify';

export function refuseOddRequests(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const fault = faultOf(request.raw);
    if (fault === undefined) return done();
    // Request smuggling: the sender may delimit what follows differently.
    reply.header('connection', 'close');
    return done(problem.invalid({}, fault));
  });
  // Node’s own 417 lacks our headers.
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, { ...headers, 'content-length': 0, connection: 'close' }).end();
  });
}

/** Undefined for a request that can be served. */
function faultOf({ url = '', rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  // PostgreSQL stores no text with it.
  if (url.includes('%00')) return 'This address holds a character that cannot be stored: U+0000.';
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    // A proxy and the portal could each use a different one.
    if (host !== undefined) return 'This request has more than one Host header.';
    host = rawHeaders[at + 1] as string;
  }
  if (host === undefined || host === '') return httpVersion === '1.0' ? undefined : 'This request has no Host header.';
  if (url.startsWith('/') || url === '*') return undefined;
  return isAt(url, host) ? undefined : 'The address of this request names another host than its Host header.';
}

const isAt = (url: string, host: string): boolean => URL.parse(url)?.host === URL.parse(`http://${host}`)?.host;
