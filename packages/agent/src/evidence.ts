/** Collects a file: copies and hashes it in one pass, follows no links, enforces the size limit. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, rm } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import { denial } from './denied.ts';
import { makePrivateFolder, writeAll } from './files.ts';

export interface CollectedFile {
  file: { path: string; sha256: string; size: number };
  /** Path of the copy until it is uploaded. */
  upload: string;
}

export async function collectFile(
  state: string,
  taskId: number,
  path: string,
  maxBytes: number,
  collectable: readonly string[] = [],
): Promise<CollectedFile> {
  if (!isAbsolute(path) || normalize(path) !== path || path.includes('\0'))
    throw new Error(`${path} isn’t a whole path of a file.`);
  const limit = Math.min(maxBytes || maxCollectedBytes, maxCollectedBytes);
  const folder = makePrivateFolder(join(state, 'collected'));
  // Opening has side effects on devices (a watchdog starts) and pipes (a waiting writer resumes).
  const before = await lstat(path).catch(() => undefined);
  if (before && !before.isFile() && !before.isSymbolicLink()) throw new Error('This isn’t a regular file.');
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    throw new Error(
      openErrors[(error as NodeJS.ErrnoException).code ?? ''] ?? `It could not be opened: ${(error as Error).message}`,
    );
  });
  const upload = join(folder, String(taskId));
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new Error('This isn’t a regular file.');
    // Real path, with links resolved.
    const real = await readlink(`/proc/self/fd/${source.fd}`);
    if (/^\/(proc|sys)\//.test(real)) throw new Error('This is the kernel’s, not a file.');
    const refusal = await denial(source, real, { state, collectable });
    if (refusal !== undefined) throw new Error(refusal);
    if (stats.size > limit) throw new Error(`The file has ${stats.size} bytes; the limit is ${limit}.`);
    const copy = await open(upload, 'w', 0o600);
    try {
      const hash = createHash('sha256');
      const chunk = Buffer.allocUnsafe(256 * 1024);
      let size = 0;
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, chunk.length, size);
        if (bytesRead === 0) break;
        if (size + bytesRead > limit) throw new Error(`The file grew while it was read; the limit is ${limit} bytes.`);
        hash.update(chunk.subarray(0, bytesRead));
        await writeAll(copy, [chunk.subarray(0, bytesRead)], size);
        size += bytesRead;
      }
      await copy.sync();
      return { file: { path: real, sha256: hash.digest('hex'), size }, upload };
    } finally {
      await copy.close();
    }
  } catch (error) {
    await rm(upload, { force: true });
    throw error;
  } finally {
    await source.close();
  }
}

const openErrors: Record<string, string> = {
  ENOENT: 'There is no such file.',
  ELOOP: 'This is a link. Name the file itself.',
  ENXIO: 'This isn’t a regular file.',
  EACCES: 'The agent may not read it.',
};
