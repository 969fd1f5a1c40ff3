/**
 * Argon2id (19 MiB, t=2, p=1, the OWASP minimum) in a process of its own at a low priority, so that people who sign in slow others' calls little;
 * what waits beyond a short queue is refused with 429.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { problem } from '@parapet/contract/problem.ts';
import type { Answer, Question } from './passwords.process.ts';

const atOnce = 2;
const maxWaiting = 40;

interface PendingRequest {
  question: Question;
  /** A question that outlived two processes is not given to a third. */
  isAgain: boolean;
  resolve: (value: string | boolean) => void;
  reject: (error: Error) => void;
}

let latestId = 0;
const pending = new Map<number, PendingRequest>();
let hasher: ChildProcess | undefined;

/** Only work keeps the process alive. */
function hold(child: ChildProcess): void {
  for (const part of [child, child.channel]) pending.size > 0 ? part?.ref() : part?.unref();
}

function start(): ChildProcess {
  const child = fork(new URL('./passwords.process.ts', import.meta.url), {
    // A session of its own, so that a group of its own; see there.
    detached: true,
    // Flags of how this process was started (--input-type, --inspect) are not that one's.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // An empty environment: it needs no secrets.
    env: { UV_THREADPOOL_SIZE: String(atOnce) },
  });
  child.on('message', (answer: Answer) => {
    const question = pending.get(answer.id);
    pending.delete(answer.id);
    hold(child);
    if ('fault' in answer) question?.reject(new Error(answer.fault));
    else question?.resolve(answer.value);
  });
  // It failed to start or crashed: retry pending requests once.
  const lost = (why: unknown) => {
    if (hasher !== child) return;
    hasher = undefined;
    child.kill('SIGKILL');
    for (const [id, question] of pending) {
      if (question.isAgain) {
        pending.delete(id);
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
  // 'exit' reports failures.
  hasher.send(question, () => {});
}

async function compute<T extends string | boolean>(password: string, stored?: string): Promise<T> {
  if (pending.size >= atOnce + maxWaiting)
    throw problem.tooManyRequests('Too many people are signing in at this moment. Please try again in a few seconds.', 2);
  return (await new Promise<string | boolean>((resolve, reject) => {
    const question = { id: ++latestId, password, ...(stored !== undefined && { stored }) };
    pending.set(question.id, { question, isAgain: false, resolve, reject });
    send(question);
  })) as T;
}

export const hashPassword = (password: string): Promise<string> => compute<string>(password);

/** Of no account's password, at the same cost. */
const decoy = '$argon2id$v=19$m=19456,t=2,p=1$8RZ7Fq+1X0g08Jz6erE+og$jwYG4FBKucSzb882P790bQlNYi6IIXbSe8loE+eXUwQ';

/** Unknown accounts are verified against a decoy hash, so that response times reveal nothing. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await compute<boolean>(password, stored ?? decoy);
  return matches && stored != null;
}
