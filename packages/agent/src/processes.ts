/** Kills a process only if its pid still belongs to the expected program. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { readText } from './files.ts';

interface Process {
  names: string[];
  parent: number;
  isKernelThread: boolean;
  /** Start time in ticks since boot; together with the pid it identifies a process. */
  startedAt: string;
  state: string;
}

/** PF_KTHREAD of the kernel headers. */
const kernelThread = 0x20_0000;

/** `1234 (name with ) and spaces) S 1 …` */
export function parseStat(text: string): (Omit<Process, 'names'> & { name: string }) | undefined {
  const end = text.lastIndexOf(')');
  const name = text.slice(text.indexOf('(') + 1, end);
  const rest = text.slice(end + 2).split(' ');
  if (end === -1 || rest.length < 20) return undefined;
  const isKernelThread = (Number(rest[6]) & kernelThread) !== 0;
  return { name, state: rest[0] as string, parent: Number(rest[1]), isKernelThread, startedAt: rest[19] as string };
}

function find(pid: number): Process | undefined {
  const stat = parseStat(readText(`/proc/${pid}/stat`));
  if (!stat) return undefined;
  let program = '';
  try {
    program = basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
  } catch {
    // A kernel thread, or the process has ended.
  }
  return { ...stat, names: [stat.name, program].filter(Boolean) };
}

const isAlive = (found: Process | undefined): found is Process => found !== undefined && !/[ZX]/.test(found.state);
/** Kernel process names are truncated to 15 bytes. */
const isNamed = ({ names }: Process, expected: string) => names.includes(expected) || names[0] === expected.slice(0, 15);

/** Identity of a live process that a reused pid cannot match; undefined if the process is gone. */
export function processIdentity(pid: number): string | undefined {
  const found = find(pid);
  return isAlive(found) ? `${pid} ${found.startedAt}` : undefined;
}

export function targetPid(target: string): number {
  const pid = /^\d{1,10}$/.test(target) ? Number(target) : 0;
  if (pid < 2) throw new Error(`${target} is not a process that may be killed.`);
  for (let own = process.pid; own > 1; own = find(own)?.parent ?? 0)
    if (own === pid) throw new Error('This is the agent itself or one of its parent processes.');
  return pid;
}

export async function killProcess(target: string, expectedName: string, waitMs = 3_000): Promise<string> {
  const pid = targetPid(target);
  if (expectedName === '') throw new Error('The program’s name is missing: a number alone may have become another program’s.');
  // No await between check and signal, so that the pid cannot be reused in between by this process.
  const found = find(pid);
  if (!isAlive(found)) throw new Error(`There is no process ${pid}.`);
  if (!isNamed(found, expectedName))
    throw new Error(`Process ${pid} is ${found.names.at(-1)}, not ${expectedName}. It was not killed.`);
  if (found.isKernelThread) throw new Error(`Process ${pid} belongs to the kernel.`);
  process.kill(pid, 'SIGKILL');
  for (const end = performance.now() + waitMs; performance.now() < end; ) {
    const now = find(pid);
    if (!isAlive(now) || now.startedAt !== found.startedAt) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return `Killed ${expectedName} (${pid}).`;
}

/** Checks that the pid no longer belongs to the program. */
export function isKilled(target: string, expectedName: string): { holds: boolean; detail: string } {
  const found = find(Number(target));
  const isRunning = isAlive(found) && isNamed(found, expectedName);
  return {
    holds: !isRunning,
    detail: isRunning ? `${expectedName} (${target}) still runs.` : `${expectedName} (${target}) no longer runs.`,
  };
}
