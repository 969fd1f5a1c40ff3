/** Server-sent events on one answer: the headers that keep what lies between from holding them back, and how much is not yet taken. */
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

export interface EventSink {
  write(text: string): void;
  /** Bytes that the reader has not taken yet. */
  backlog(): number;
  /** Ends it in order; the client reconnects. */
  end(): void;
  /** Ends it at once, with what is not yet taken. */
  drop(): void;
  onClose(handler: () => void): void;
}

export function openEventStream(reply: FastifyReply): EventSink {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  // A request that is made within the process has no connection.
  if (raw.socket instanceof Socket) raw.socket.setNoDelay(true);
  return {
    write: (text) => void raw.write(text),
    backlog: () => raw.writableLength,
    end: () => void raw.end(),
    drop: () => void raw.destroy(),
    onClose: (handler) => void raw.on('close', handler),
  };
}
