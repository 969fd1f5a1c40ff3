/**
 * Argon2id (19 MiB, t=2, p=1, the OWASP minimum) in threads of their own, which the kernel lets wait for everything else, so that people who sign
 * in do not slow others' calls; what waits beyond a short queue is refused with 429.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { problem } from '@parapet/contract/problem.ts';
import { isComplex } from '@parapet/contract/rules/password.ts';
import type { Question } from './passwords.worker.ts';

const maxAtOnce = 2;
const maxWaiting = 40;

const idle: Worker[] = [];
let started = 0;
const waiting: ((worker: Worker) => void)[] = [];

function start(): Worker {
  started++;
  return new Worker(new URL('./passwords.worker.ts', import.meta.url));
}

async function free(): Promise<Worker> {
  const worker = idle.pop() ?? (started < maxAtOnce ? start() : undefined);
  if (worker) return worker;
  if (waiting.length >= maxWaiting)
    throw problem.tooManyRequests('Too many people are signing in at this moment. Please try again in a few seconds.', 2);
  return new Promise((resolve) => waiting.push(resolve));
}

function release(worker: Worker): void {
  const next = waiting.shift();
  if (next) next(worker);
  else {
    // Only work keeps the process alive.
    worker.unref();
    idle.push(worker);
  }
}

async function compute<T extends string | boolean>(question: Question): Promise<T> {
  const worker = await free();
  worker.ref();
  worker.postMessage(question);
  let answer: { value: T } | { fault: string };
  try {
    [answer] = (await once(worker, 'message')) as [{ value: T } | { fault: string }];
  } catch (error) {
    // The thread broke; whoever waits gets a new one.
    void worker.terminate();
    started--;
    release(start());
    throw error;
  }
  release(worker);
  if ('fault' in answer) throw new Error(answer.fault);
  return answer.value;
}

export const hashPassword = (password: string): Promise<string> => compute<string>({ password });

/** Of no account's password, at the same cost. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$8RZ7Fq+1X0g08Jz6erE+og$jwYG4FBKucSzb882P790bQlNYi6IIXbSe8loE+eXUwQ';

/** Without a hash (unknown account) the same work is done on a decoy, so that the time tells nothing. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await compute<boolean>({ password, stored: stored ?? decoy });
  return matches && stored != null;
}

/** What common passwords are made of. Complexity adds a capital, digits and a sign to them; that makes none of them hard to guess. */
const commonWords = (
  'password passwort passphrase pass passwd pwd secret geheim login logon signin user username admin administrator root sysadmin guest test ' +
  'testing tester demo default changeme change letmein welcome willkommen hello hallo access temp temporary company business office security ' +
  'secure portal system server service support helpdesk network internet computer master manager monitor windows microsoft google apple ' +
  'samsung android linux cisco oracle azure amazon facebook instagram dragon monkey shadow sunshine princess football baseball soccer hockey ' +
  'basketball superman batman spiderman starwars pokemon iloveyou loveyou love lovely trustno whatever freedom flower cookie cheese banana ' +
  'orange summer winter spring autumn fall sommer herbst january february march april may june july august september october november ' +
  'december monday tuesday wednesday thursday friday saturday sunday michael jordan jessica ashley daniel charlie thomas george robert ' +
  'london berlin paris newyork chicago boston dallas denver america england qwerty qwertz azerty qwertyuiop asdfghjkl asdfgh asdf zxcvbnm ' +
  'zxcvbn qazwsx qwer wasd abcdefghijkl abcdefgh abcdef abcde abcd abc xyz aaaa xxxx my the your our this is and for you i it'
).split(' ');

/** Letters as they are disguised. */
const disguises: Record<string, string> = {
  a: '4@',
  b: '8',
  e: '3',
  g: '9',
  i: '1!|',
  l: '1|!',
  o: '0',
  s: '5$',
  t: '7+',
  z: '2',
};

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * Whether a password is complex (spec §5) and more than common words and `names` (of the product, of brands) with digits and signs between them
 * (decision 9).
 */
export function checkPassword(password: string, names: readonly string[]): boolean {
  if (!isComplex(password)) return false;
  const fromNames = ['parapet', ...names].flatMap((name) => {
    const parts = folded(name).split(/[^\p{L}]+/u);
    return [...parts, parts.join('')];
  });
  const words = [...new Set([...fromNames.filter((word) => word.length > 2), ...commonWords])];
  const text = [...folded(password)];
  const isAt = (word: string, at: number) =>
    [...word].every((letter, i) => {
      const found = text[at + i];
      return found !== undefined && (found === letter || (disguises[letter]?.includes(found) ?? false));
    });
  // Which places can be come to by words and by what is no letter; the whole is common when its end can be.
  const reached = [true];
  for (let at = 0; at < text.length; at++) {
    if (!reached[at]) continue;
    if (!/\p{L}/u.test(text[at] as string)) reached[at + 1] = true;
    for (const word of words) if (isAt(word, at)) reached[at + [...word].length] = true;
  }
  return !reached[text.length];
}
