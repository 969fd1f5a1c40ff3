/**
 * Argon2id (19 MiB, t=2, p=1, the OWASP minimum) in a process of its own, which the kernel lets wait for everything else, so that people who sign
 * in do not slow others' calls; what waits beyond a short queue is refused with 429.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { problem } from '@parapet/contract/problem.ts';
import { isComplex } from '@parapet/contract/rules/password.ts';
import type { Answer, Question } from './passwords.process.ts';

const atOnce = 2;
const maxWaiting = 40;

interface Asked {
  question: Question;
  /** A question that outlived two processes is not given to a third. */
  isAgain: boolean;
  resolve: (value: string | boolean) => void;
  reject: (error: Error) => void;
}

let latestId = 0;
const asked = new Map<number, Asked>();
let hasher: ChildProcess | undefined;

/** Only work keeps the process alive. */
function hold(child: ChildProcess): void {
  for (const part of [child, child.channel]) asked.size > 0 ? part?.ref() : part?.unref();
}

function start(): ChildProcess {
  const child = fork(new URL('./passwords.process.ts', import.meta.url), {
    // A session of its own, so that a group of its own; see there.
    detached: true,
    // Flags of how this process was started (--input-type, --inspect) are not that one's.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Nothing of the portal's own: it needs no secret but what it is asked.
    env: { UV_THREADPOOL_SIZE: String(atOnce) },
  });
  child.on('message', (answer: Answer) => {
    const question = asked.get(answer.id);
    asked.delete(answer.id);
    hold(child);
    if ('fault' in answer) question?.reject(new Error(answer.fault));
    else question?.resolve(answer.value);
  });
  // It could not be started, or it broke: what it has not answered is asked once more.
  const lost = (why: unknown) => {
    if (hasher !== child) return;
    hasher = undefined;
    child.kill('SIGKILL');
    for (const [id, question] of asked) {
      if (question.isAgain) {
        asked.delete(id);
        question.reject(new Error(`The process that hashes passwords ended (${why}).`));
      } else {
        question.isAgain = true;
        send(question.question);
      }
    }
  };
  child.once('error', lost);
  child.once('exit', (code, signal) => lost(signal ?? code));
  return child;
}

function send(question: Question): void {
  hasher ??= start();
  hold(hasher);
  // A failure is told by 'exit'.
  hasher.send(question, () => {});
}

async function compute<T extends string | boolean>(password: string, stored?: string): Promise<T> {
  if (asked.size >= atOnce + maxWaiting)
    throw problem.tooManyRequests('Too many people are signing in at this moment. Please try again in a few seconds.', 2);
  return (await new Promise<string | boolean>((resolve, reject) => {
    const question = { id: ++latestId, password, ...(stored !== undefined && { stored }) };
    asked.set(question.id, { question, isAgain: false, resolve, reject });
    send(question);
  })) as T;
}

export const hashPassword = (password: string): Promise<string> => compute<string>(password);

/** Of no account's password, at the same cost. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$8RZ7Fq+1X0g08Jz6erE+og$jwYG4FBKucSzb882P790bQlNYi6IIXbSe8loE+eXUwQ';

/** Without a hash (unknown account) the same work is done on a decoy, so that the time tells nothing. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await compute<boolean>(password, stored ?? decoy);
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
