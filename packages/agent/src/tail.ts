/**
 * Follows a log file through rotation, truncation and copy-truncate. Finds the previous file again by inode or a hash of its
 * first bytes, also among rotated files (`auth.log.1`), so that rotation while the agent is stopped loses nothing. Emits blocks
 * of raw bytes; a line's id is its stream and offset, and therefore stable when it is read again after a crash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Block } from './bulk.ts';

export interface Position {
  /** Unique name of each file that existed at the path. */
  stream: string;
  inode: number;
  offset: number;
  /** Hash of the first bytes of the file, and their number. */
  head: string;
  headBytes: number;
}

export interface Tail {
  /**
   * Reads new data; resolves to true if there was any. Awaits `take`, so that a full buffer pauses reading; afterwards the
   * memory of the blocks is reused.
   */
  poll(take: (blocks: Block[]) => Promise<void>): Promise<boolean>;
  position(): Position | undefined;
  close(): Promise<void>;
}

const newline = 10;
const carriageReturn = 13;
export const longestLine = 64 * 1024;
const chunkBytes = 256 * 1024;
/** Maximum lines per block; batches end at block boundaries. */
const maxLines = 2_500;
const maxHead = 1024;
/** Programs continue writing to a rotated file until they are signalled. */
const graceMs = 5_000;

const newStream = () => randomBytes(9).toString('base64url');
const headOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url');

export function createTail(path: string, saved: Position | undefined, now: () => number = Date.now): Tail {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let current: { file: FileHandle; position: Position } | undefined;
  let last = saved;
  let isFirst = saved === undefined;
  /** Skipping the rest of an overlong line. */
  let isSkipping = false;
  let missingSince: number | undefined;

  async function readHead(file: FileHandle, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, 0);
    return bytes.subarray(0, bytesRead);
  }

  const isSame = async (file: FileHandle, { head, headBytes, offset }: Position, size: number) =>
    size >= offset && (headBytes === 0 || headOf(await readHead(file, headBytes)) === head);

  async function openFile(name: string): Promise<{ file: FileHandle; size: number; inode: number } | undefined> {
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

  const start = (inode: number): Position => ({ stream: newStream(), inode, offset: 0, head: '', headBytes: 0 });

  /** The file and its uncompressed rotated versions. */
  function rotations(): { name: string; inode: number; mtimeMs: number }[] {
    const folder = dirname(path);
    return readdirSync(folder).flatMap((name) => {
      const isRotation = name.startsWith(basename(path)) && /^([.-]\d+)*$/.test(name.slice(basename(path).length));
      const stats = isRotation ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
      return stats?.isFile() ? [{ name: join(folder, name), inode: stats.ino, mtimeMs: stats.mtimeMs }] : [];
    });
  }

  /** Files created and rotated away between two reads, oldest first. */
  const rotatedSince = (mtimeMs: number, known: number[]): string[] =>
    rotations()
      .filter((each) => each.mtimeMs > mtimeMs && !known.includes(each.inode))
      .sort((a, b) => a.mtimeMs - b.mtimeMs)
      .map(({ name }) => name);

  /** Opens the file that `position` refers to, under its present name. */
  async function findAgain(position: Position): Promise<FileHandle | undefined> {
    const ordered = rotations().sort((a, b) => Number(b.inode === position.inode) - Number(a.inode === position.inode));
    for (const { name } of ordered.slice(0, 50)) {
      const found = await openFile(name).catch(() => undefined);
      if (!found) continue;
      // Inodes are reused: match by inode only if nothing of the file has been read.
      const isCandidate = position.headBytes > 0 ? true : found.inode === position.inode;
      if (isCandidate && (await isSame(found.file, position, found.size))) return found.file;
      await found.file.close();
    }
    return undefined;
  }

  async function advance(take: (blocks: Block[]) => Promise<void>, isLast: boolean): Promise<boolean> {
    const { file, position } = current!;
    let hasRead = false;
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position.offset);
      if (bytesRead === 0) return hasRead;
      const bytes = chunk.subarray(0, bytesRead);
      if (position.headBytes < maxHead && position.offset <= position.headBytes) {
        // Hash only bytes already read; the rest of the head may still change.
        position.headBytes = Math.min(maxHead, position.offset + bytesRead);
        position.head = headOf(await readHead(file, position.headBytes));
      }
      const { blocks, used } = split(bytes, position, isLast);
      if (used === 0) return hasRead;
      if (blocks.length > 0) await take(blocks);
      position.offset += used;
      hasRead = true;
    }
  }

  /** Splits bytes into blocks of complete lines; an overlong line becomes a block of its own. */
  function split(bytes: Buffer, { stream, offset }: Position, isLast: boolean): { blocks: Block[]; used: number } {
    const blocks: Block[] = [];
    let begin = 0;
    let count = 0;
    const add = (end: number, isCut = false) => {
      if (count > 0) blocks.push({ stream, offset: offset + begin, bytes: bytes.subarray(begin, end), count, isCut });
      count = 0;
    };
    let from = 0;
    while (from < bytes.length) {
      const found = bytes.indexOf(newline, from);
      const stop = found === -1 ? bytes.length : found;
      const next = found === -1 ? stop : found + 1;
      const isWhole = found !== -1 || isLast;
      if (isSkipping) {
        isSkipping = found === -1;
        begin = next;
      } else if (stop - from > longestLine || (!isWhole && stop - from === longestLine)) {
        add(from);
        begin = from;
        count = 1;
        add(from + longestLine, true);
        begin = next;
        isSkipping = !isWhole;
      } else if (!isWhole) {
        break;
      } else {
        if (stop > from + 1 || (stop > from && bytes[from] !== carriageReturn)) count++;
        if (count === maxLines) {
          add(next);
          begin = next;
        }
      }
      from = next;
    }
    add(from);
    return { blocks, used: from };
  }

  async function leave(): Promise<void> {
    await current?.file.close();
    current = undefined;
    isSkipping = false;
    missingSince = undefined;
  }

  return {
    async poll(take) {
      let hasRead = false;
      if (!current && last) {
        const file = await findAgain(last);
        if (file) current = { file, position: { ...last, inode: (await file.stat()).ino } };
        last = undefined;
      }
      if (!current) {
        const found = await openFile(path);
        const skips = isFirst;
        isFirst = false;
        if (!found) return false;
        current = { file: found.file, position: start(found.inode) };
        // Skip entries logged before enrolment. (A file that appears later is read from its start.)
        if (skips) await skipToEnd(found.size);
      }
      const { file, position } = current;
      const size = (await file.stat()).size;
      const isTruncated =
        size < position.offset || (size > position.offset && position.headBytes > 0 && !(await isSame(file, position, size)));
      if (isTruncated) {
        // Copy-truncate: the remaining lines are in the copy.
        const copy = await findAgain(position);
        const inode = position.inode;
        if (copy) {
          current = { file: copy, position };
          try {
            hasRead = await advance(take, true);
          } finally {
            current = { file, position };
            await copy.close();
          }
        }
        isSkipping = false;
        current = { file, position: start(inode) };
      }
      hasRead = (await advance(take, false)) || hasRead;
      const atPath = statSync(path, { throwIfNoEntry: false });
      if (atPath?.ino === current.position.inode) {
        missingSince = undefined;
      } else if (hasRead || missingSince === undefined) {
        missingSince = now();
      } else if (now() - missingSince >= graceMs && atPath) {
        hasRead = await advance(take, true);
        const { inode } = current.position;
        const { mtimeMs } = await file.stat();
        await leave();
        for (const name of [...rotatedSince(mtimeMs, [inode, atPath.ino]), path]) {
          const found = await openFile(name);
          if (!found) continue;
          await leave();
          current = { file: found.file, position: start(found.inode) };
          hasRead = (await advance(take, name !== path)) || hasRead;
        }
      }
      return hasRead;
    },
    position: () => (current ? { ...current.position } : last),
    close: leave,
  };

  async function skipToEnd(size: number): Promise<void> {
    const { file, position } = current!;
    position.offset = size;
    position.headBytes = Math.min(maxHead, size);
    position.head = headOf(await readHead(file, position.headBytes));
  }
}
