/**
 * Argon2id (19 MiB, t=2, p=1, the OWASP minimum) with bounded concurrency: two cores verify about 70 a second, so what waits beyond a
 * short queue is refused with 429 instead of slowing every other call.
 */
import { hash, verify } from '@node-rs/argon2';
import { problem } from '@parapet/contract/problem.ts';

const cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const maxAtOnce = 2;
const maxWaiting = 40;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) {
    if (waiting.length >= maxWaiting)
      throw problem.tooManyRequests('Too many people are signing in at this moment. Please try again in a few seconds.', 2);
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, cost));

let decoy: Promise<string> | undefined;

/** Without a hash (unknown account) the same work is done on a decoy, so that the time tells nothing. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hash('a decoy that no account has', cost);
  const target = stored ?? (await decoy);
  const matches = await inTurn(() => verify(target, password));
  return matches && stored != null;
}
