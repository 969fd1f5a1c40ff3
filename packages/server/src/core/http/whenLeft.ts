/** Aborts when the caller has gone before the answer was sent. */
import type { FastifyReply } from 'fastify';

export function whenLeft({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort();
  });
  return left.signal;
}
