/**
 * Process that hashes and verifies passwords, two at once (UV_THREADPOOL_SIZE), at a low priority. It ends with the
 * process that started it, however that ends.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

/** Without `stored` it is hashed, else compared. */
export interface Question {
  id: number;
  password: string;
  stored?: string;
}

export type Answer = { id: number; value: string | boolean } | { id: number; fault: string };

const cost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * On a busy machine a hash takes 0.4 s, and a storm of sign-ins takes a tenth of a core from others; at the lowest priority it took 2 to 13 s
 * (docs/decisions/0117-priority-of-hashing.md).
 */
const niceness = 10;

// Before the first question starts the threads, which get the priority from here.
for (const lower of [
  () => setPriority(niceness),
  // With autogroups a priority counts only within its session; this sets the group’s. PostgreSQL’s processes have groups of their own.
  () => process.platform === 'linux' && writeFileSync('/proc/self/autogroup', String(niceness)),
])
  try {
    lower();
  } catch {
    // It runs at the common priority then.
  }

process.on('disconnect', () => process.exit());
process.on('message', async ({ id, password, stored }: Question) => {
  let answer: Answer;
  try {
    answer = { id, value: stored === undefined ? await hash(password, cost) : await verify(stored, password) };
  } catch (error) {
    answer = { id, fault: String((error as Error)?.message ?? error) };
  }
  // The parent may have exited.
  if (process.connected) process.send?.(answer, () => {});
});
