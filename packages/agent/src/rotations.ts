/** Identity of a log file across rotations: its inode, or a hash of its first bytes. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface Position {
  /** Unique name of each file that existed at the path. */
  stream: string;
  inode: number;
  offset: number;
  /** Hash of the first bytes of the file, and their number. */
  head: string;
  headBytes: number;
}

/** Hash of the first bytes of a file. */
export async function headOf(file: FileHandle, length: number): Promise<string> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, 0);
  return createHash('sha256').update(bytes.subarray(0, bytesRead)).digest('base64url');
}

/** Tests if a file begins with what was read at the position, and contains it. */
export const isSameFile = async (file: FileHandle, { head, headBytes, offset }: Position, size: number): Promise<boolean> =>
  size >= offset && (headBytes === 0 || (await headOf(file, headBytes)) === head);

export interface OpenFile {
  file: FileHandle;
  size: number;
  inode: number;
}

/** Undefined if the file is missing; throws if it is not a regular file. */
export async function openFile(name: string): Promise<OpenFile | undefined> {
  let file: FileHandle;
  try {
    file = await open(name, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const stats = await file.stat();
  if (stats.isFile()) return { file, size: stats.size, inode: stats.ino };
  await file.close();
  throw new Error(`${name} is not a regular file`);
}

/** The file and its uncompressed rotated versions. */
function rotations(path: string): { name: string; inode: number; mtimeMs: number }[] {
  const folder = dirname(path);
  return readdirSync(folder).flatMap((name) => {
    const isRotation = name.startsWith(basename(path)) && /^([.-]\d+)*$/.test(name.slice(basename(path).length));
    const stats = isRotation ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
    return stats?.isFile() ? [{ name: join(folder, name), inode: stats.ino, mtimeMs: stats.mtimeMs }] : [];
  });
}

/** Files created and rotated away between two reads, oldest first. */
export const rotatedSince = (path: string, mtimeMs: number, known: number[]): string[] =>
  rotations(path)
    .filter((each) => each.mtimeMs > mtimeMs && !known.includes(each.inode))
    .sort((a, b) => a.mtimeMs - b.mtimeMs)
    .map(({ name }) => name);

/** Opens the file that `position` refers to, under its present name. */
export async function findAgain(path: string, position: Position): Promise<OpenFile | undefined> {
  const ordered = rotations(path).sort((a, b) => Number(b.inode === position.inode) - Number(a.inode === position.inode));
  for (const { name } of ordered.slice(0, 50)) {
    const found = await openFile(name).catch(() => undefined);
    if (!found) continue;
    // Inodes are reused: match by inode only if nothing of the file has been read.
    const isCandidate = position.headBytes > 0 || found.inode === position.inode;
    if (isCandidate && (await isSameFile(found.file, position, found.size))) return found;
    await found.file.close();
  }
  return undefined;
}
