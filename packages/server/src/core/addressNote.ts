/** Address of the portal that runs on a data folder, for the shell commands beside it. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const pathOf = (dataDir: string) => join(dataDir, 'portal.json');

/** Writes the note whole, and returns its removal. */
export async function noteAddress(dataDir: string, url: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fresh = `${pathOf(dataDir)}.${process.pid}.new`;
  await writeFile(fresh, `${JSON.stringify({ pid: process.pid, url })}\n`, { mode: 0o600 });
  await rename(fresh, pathOf(dataDir));
  return () => rm(pathOf(dataDir), { force: true });
}

/** Undefined without a running portal: the process of a note that was left behind is gone. */
export async function findAddress(dataDir: string): Promise<string | undefined> {
  try {
    const { pid, url } = JSON.parse(await readFile(pathOf(dataDir), 'utf8')) as { pid: number; url: string };
    return isAlive(pid) ? url : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Alive, but of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
