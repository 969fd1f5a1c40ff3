/**
 * One portal runs the embedded server of a data folder. The lock is a name that the kernel holds for the process (an abstract
 * socket), so it is gone the instant the process is, however it died; `postgres.json` holds the connection for the others.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/** Published by the owner of a folder; `url` is set once the server accepts connections. */
export interface RunNote {
  readonly pid: number;
  readonly postgresPid?: number;
  readonly url?: string;
}

export interface FolderLock {
  release(): Promise<void>;
}

export const folderKey = (realDataDir: string): string => createHash('sha256').update(realDataDir).digest('hex').slice(0, 20);

const lockName = (realDataDir: string) => `\0parapet-postgres-${folderKey(realDataDir)}`;
const notePath = (dataDir: string) => join(dataDir, 'postgres.json');

/** Locks the folder; returns undefined when another process holds it. */
export function takeFolder(realDataDir: string): Promise<FolderLock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ path: lockName(realDataDir) }, () => {
      server.unref();
      resolve({ release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}

/** True while a process holds the folder. */
export function isTaken(realDataDir: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: lockName(realDataDir) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Whole or not at all: a reader never sees half a note. */
export async function writeNote(dataDir: string, note: RunNote): Promise<void> {
  const fresh = `${notePath(dataDir)}.new`;
  await writeFile(fresh, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  await rename(fresh, notePath(dataDir));
}

export async function readNote(dataDir: string): Promise<RunNote | undefined> {
  try {
    return JSON.parse(await readFile(notePath(dataDir), 'utf8')) as RunNote;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export async function removeNote(dataDir: string): Promise<void> {
  await rm(notePath(dataDir), { force: true });
}
