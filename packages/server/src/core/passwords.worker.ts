/** A thread that hashes and verifies passwords, one after the other, at a lower priority than all else. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

/** Without `stored` it is hashed, else compared. */
export interface Question {
  password: string;
  stored?: string;
}

const cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

try {
  // Linux alone has a priority for each thread; elsewhere it would be the whole process that waits.
  const thread = Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]);
  if (thread > 0 && thread !== process.pid) setPriority(thread, 19);
} catch {
  // It runs at the common priority then.
}

parentPort?.on('message', ({ password, stored }: Question) => {
  try {
    parentPort?.postMessage({ value: stored === undefined ? hashSync(password, cost) : verifySync(stored, password) });
  } catch (error) {
    parentPort?.postMessage({ fault: String((error as Error)?.message ?? error) });
  }
});
