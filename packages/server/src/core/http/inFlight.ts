/** Limits the large bodies received at once, for each person or key and for each address. */
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyReply } from 'fastify';

/** Smaller bodies are not counted. */
const largeBytes = 64 * 1024;
/** An address may hold as much as so many people: a whole network may come from one. */
const peoplePerAddress = 4;
const retrySeconds = 2;

export interface InFlightLimits {
  /** Large bodies at once of one person or key. */
  maxAtOnce: number;
  /** Their bytes together. A single one is always accepted, up to its route's limit. */
  maxBytes: number;
}

export function createInFlight({ maxAtOnce, maxBytes }: InFlightLimits) {
  const held = new Map<string, { count: number; bytes: number }>();
  const hasRoom = (key: string, bytes: number, times: number): boolean => {
    const now = held.get(key);
    return !now || (now.count < maxAtOnce * times && now.bytes + bytes <= maxBytes * times);
  };
  const add = (key: string, count: number, bytes: number): void => {
    const now = held.get(key) ?? { count: 0, bytes: 0 };
    if (now.count + count === 0) held.delete(key);
    else held.set(key, { count: now.count + count, bytes: now.bytes + bytes });
  };
  return {
    /** Counts the body of a request until its answer is sent; throws tooManyRequests where there is no room for it. */
    hold(person: string, address: string, bytes: number, reply: FastifyReply): void {
      // Gone while it was identified: nothing would give its room back.
      if (bytes <= largeBytes || reply.raw.destroyed) return;
      if (!hasRoom(person, bytes, 1) || !hasRoom(address, bytes, peoplePerAddress))
        throw problem.tooManyRequests('Too many uploads at once. Wait until one is done and send it again.', retrySeconds);
      for (const key of [person, address]) add(key, 1, bytes);
      reply.raw.once('close', () => {
        for (const key of [person, address]) add(key, -1, -bytes);
      });
    },
  };
}
