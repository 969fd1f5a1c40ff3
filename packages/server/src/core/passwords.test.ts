import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('matches a hash with its password only, never without a hash, and throws for a malformed one', async () => {
  const [one, other] = await Promise.all([hashPassword('Quiet-River-7-Lantern'), hashPassword('Quiet-River-7-Lantern')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(other);
  expect(await verifyPassword(one, 'Quiet-River-7-Lantern')).toBe(true);
  expect(await verifyPassword(one, 'quiet-River-7-Lantern')).toBe(false);
  expect(await verifyPassword(null, 'Quiet-River-7-Lantern')).toBe(false);
  await expect(verifyPassword('nonsense', 'x')).rejects.toThrow();
  expect(await verifyPassword(one, 'Quiet-River-7-Lantern')).toBe(true);
});

test('takes as long for an unknown account as for a known one', async () => {
  const stored = await hashPassword('Quiet-River-7-Lantern');
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let i = 0; i < 25; i++) {
    for (const [name, target] of [
      ['known', stored],
      ['unknown', undefined],
    ] as const) {
      const began = performance.now();
      await verifyPassword(target, 'a wrong password');
      times[name].push(performance.now() - began);
    }
  }
  const least = (values: number[]) => Math.min(...values);
  expect(least(times.unknown) / least(times.known)).toBeGreaterThan(0.6);
  expect(least(times.unknown) / least(times.known)).toBeLessThan(1.6);
});

/** The processes that hash for one process. */
const hashersOf = (parent: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.join(' ').includes('passwords.process.ts'))
    .map(([pid]) => Number(pid));

test('replaces a broken process and repeats its pending work', async () => {
  const stored = await hashPassword('Quiet-River-7-Lantern');
  const [hasher] = hashersOf(process.pid);
  const answers = Array.from({ length: 10 }, () => verifyPassword(stored, 'Quiet-River-7-Lantern'));
  process.kill(hasher as number, 'SIGKILL');
  expect(await Promise.all(answers)).toEqual(Array(10).fill(true));
  expect(hashersOf(process.pid)).not.toContain(hasher);
});

test('runs at a low priority and ends with its parent process', async () => {
  const code = `import { hashPassword } from ${JSON.stringify(new URL('./passwords.ts', import.meta.url).href)};
    await hashPassword('x'); console.log('ready'); for (;;) await hashPassword('x');`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  const [hasher] = hashersOf(parent.pid as number) as [number];
  expect(execFileSync('ps', ['-o', 'ni=', '-p', String(hasher)], { encoding: 'utf8' }).trim()).toBe('10');
  parent.kill('SIGKILL');
  const isThere = () => {
    try {
      return process.kill(hasher, 0);
    } catch {
      return false;
    }
  };
  for (let i = 0; i < 100 && isThere(); i++) await pause(50);
  expect(isThere()).toBe(false);
});

test('rejects work beyond a short queue, and does not keep an idle process alive', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword(undefined, 'x')));
  expect(answers.filter((answer) => answer.status === 'rejected').length).toBe(60 - 42);
  const code = `import { hashPassword } from ${JSON.stringify(new URL('./passwords.ts', import.meta.url).href)}; await hashPassword('x');`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 }).length).toBe(0);
});
