/**
 * Refusals of requests whose body is not read. A client that is still sending receives the response only while the connection stays open: after an
 * immediate close the next packet triggers a reset, which discards unread data.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** As much of a body is read and thrown away by Node itself, so that the connection can be used again. */
const maxDrainedBytes = 256 * 1024;
/** Time for the client to finish sending after the response, in milliseconds. */
const lingerMs = 2_000;

/** Sends a refusal, and ends the connection where much of the request's body would still have to be read. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, text: string | Buffer): FastifyReply {
  if (unreadBytes(request.raw) <= maxDrainedBytes) return reply.send(text);
  reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(text) });
  return reply.send(Readable.from(lingering(request.raw, text), { objectMode: false }));
}

/** Bytes of the body that have not arrived; Infinity where the headers give no length. */
function unreadBytes(raw: IncomingMessage): number {
  if (raw.complete) return 0;
  if (raw.headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(raw.headers['content-length'] ?? 0);
}

/** The whole answer, whose end comes later: the connection is closed with it. */
async function* lingering(raw: IncomingMessage, text: string | Buffer): AsyncGenerator<string | Buffer> {
  yield text;
  const over = new AbortController();
  const { signal } = over;
  raw.resume();
  await Promise.race([
    once(raw, 'close', { signal }),
    once(raw, 'end', { signal }),
    pause(lingerMs, undefined, { signal }),
  ]).catch(() => {});
  over.abort();
}

/** Clients that wait for "100 Continue" send their body when it is about to be read, and not at all when the request is refused. */
export function continueWhenRead(server: Server, handle: (request: IncomingMessage, response: ServerResponse) => void): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    handle(request, response);
  });
}
