/**
 * Time for a request to arrive: Node's own limit is one for the whole server, and counts the time in which a handler that reads a stream
 * holds the client back. Here each request has the common limit, and streamed uploads one for silence instead.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import type { FastifyInstance } from 'fastify';

export interface ReceivingLimits {
  /** From the headers to the end of the body, in milliseconds. */
  bodyMs: number;
  /** Without a byte of a streamed upload, while its handler waits for one, in milliseconds. */
  silenceMs: number;
}

/** Milliseconds for the headers of a request; Node checks every 30 seconds. */
export const headersTimeoutMs = 60_000;
/** The longest streamed upload, in milliseconds; Node's limit for every request. */
export const longestRequestMs = 4 * hourMs;
export const receivingLimits: ReceivingLimits = { bodyMs: 120_000, silenceMs: 120_000 };

/** @param streamed operations that read their upload as it arrives; once they are admitted, only silence ends them */
export function limitReceiving(
  app: FastifyInstance,
  streamed: readonly string[],
  { bodyMs, silenceMs }: ReceivingLimits = receivingLimits,
): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const begin = (raw: IncomingMessage) => {
    if (raw.headers['transfer-encoding'] === undefined && raw.headers['content-length'] === undefined) return;
    // A request that is made within the process has no connection.
    if (!(raw.socket instanceof Socket)) return;
    set(
      timers,
      raw,
      setTimeout(() => raw.complete || end(app, raw.socket), bodyMs),
    );
  };
  // Before Fastify's own listeners: addresses that it refuses without a hook are limited too.
  app.server.prependListener('request', begin);
  app.server.prependListener('checkContinue', begin as (raw: IncomingMessage, response: ServerResponse) => void);

  // After the hooks that check identity and permission.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const { raw } = request;
    if (!(raw.socket instanceof Socket)) return done();
    if (!streamed.includes(request.routeOptions.config.operation ?? '')) return done();
    let read = raw.socket.bytesRead;
    const check = () => {
      const before = read;
      // Bytes that wait in the buffer: the handler is behind, not the client.
      const isSilent = () => !raw.complete && raw.socket.bytesRead === before && raw.readableLength === 0;
      read = raw.socket.bytesRead;
      if (raw.complete) clearInterval(timers.get(raw));
      // After a poll of the sockets: a process that was busy for the whole time has not read what came.
      else if (isSilent()) setImmediate(() => setImmediate(() => isSilent() && end(app, raw.socket)));
    };
    set(timers, raw, setInterval(check, silenceMs));
    done();
  });
}

/** Replaces the timer of a request, which ends with it. */
function set(timers: WeakMap<IncomingMessage, NodeJS.Timeout>, raw: IncomingMessage, timer: NodeJS.Timeout): void {
  const former = timers.get(raw);
  clearTimeout(former);
  timers.set(raw, timer.unref());
  if (!former) raw.once('close', () => clearTimeout(timers.get(raw)));
}

/** Ends the connection as Node does after its own limit. */
function end({ server }: FastifyInstance, socket: Socket): void {
  server.emit('clientError', Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
