/** Collects a file: copied and hashed in one reading, never through a link, never more than was asked for. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, rm } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { maxCollectedBytes } from '@parapet/contract/agentProtocol.ts';
import { denial } from './denied.ts';
import { makePrivateFolder, writeAll } from './files.ts';

export interface Collected {
  file: { path: string; sha256: string; size: number };
  /** Where the copy waits until it was handed over. */
  upload: string;
}

export async function collectFile(
  state: string,
  taskId: number,
  path: string,
  maxBytes: number,
  collectable: readonly string[] = [],
): Promise<Collected> {
  if (!isAbsolute(path) || normalize(path) !== path || path.includes('\0'))
    throw new Error(`${path} is no whole path of a file.`);
  const most = Math.min(maxBytes || maxCollectedBytes, maxCollectedBytes);
  const folder = makePrivateFolder(join(state, 'collected'));
  // To open a device may do something (a watchdog starts), and a pipe wakes whoever writes to it.
  const before = await lstat(path).catch(() => undefined);
  if (before && !before.isFile() && !before.isSymbolicLink()) throw new Error('This is no regular file.');
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    throw new Error(
      reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? `It could not be opened: ${(error as Error).message}`,
    );
  });
  const upload = join(folder, String(taskId));
  try {
    const facts = await source.stat();
    if (!facts.isFile()) throw new Error('This is no regular file.');
    // Where it really is, whatever links lie on the way.
    const real = await readlink(`/proc/self/fd/${source.fd}`);
    if (/^\/(proc|sys)\//.test(real)) throw new Error('This is the kernel’s, not a file.');
    const refusal = await denial(source, real, { state, collectable });
    if (refusal !== undefined) throw new Error(refusal);
    if (facts.size > most) throw new Error(`The file has ${facts.size} bytes; at most ${most} are taken.`);
    const copy = await open(upload, 'w', 0o600);
    try {
      const hash = createHash('sha256');
      const chunk = Buffer.allocUnsafe(256 * 1024);
      let size = 0;
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, chunk.length, size);
        if (bytesRead === 0) break;
        if (size + bytesRead > most) throw new Error(`The file grew while it was read; at most ${most} bytes are taken.`);
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

const reasons: Record<string, string> = {
  ENOENT: 'There is no such file.',
  ELOOP: 'This is a link. Name the file itself.',
  ENXIO: 'This is no regular file.',
  EACCES: 'The agent may not read it.',
};
