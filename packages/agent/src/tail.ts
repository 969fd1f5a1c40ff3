/**
 * Follows a log file through rotation, truncation and copy-and-truncate. What is behind is found again by the file's number or its first bytes, also
 * among the rotated ones (`auth.log.1`), so that a rotation while the agent was away loses nothing. Lines are given as blocks of the file's own bytes;
 * a line's id is the stream's own name and its offset: read again after a crash, it has the same.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Block } from './bulk.ts';

export interface Position {
  /** A name of its own for each file that ever stood at the path. */
  stream: string;
  inode: number;
  offset: number;
  /** Hash of the file's first bytes, and how many these are. */
  head: string;
  headBytes: number;
}

export interface Tail {
  /**
   * Reads what is there now; says whether there was anything. `take` is waited for, so that a full buffer holds the reading up; then the bytes of its
   * blocks are used for the next ones.
   */
  poll(take: (blocks: Block[]) => Promise<void>): Promise<boolean>;
  position(): Position | undefined;
  close(): Promise<void>;
}

const newline = 10;
const carriageReturn = 13;
export const longestLine = 64 * 1024;
const chunkBytes = 256 * 1024;
/** In a block: a batch ends with a whole one. */
const maxLines = 2_500;
const maxHead = 1024;
/** Programs go on writing to a rotated file until they are told. */
const graceMs = 5_000;

const newStream = () => randomBytes(9).toString('base64url');
const headOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url');

export function createTail(path: string, saved: Position | undefined, now: () => number = Date.now): Tail {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let current: { file: FileHandle; position: Position } | undefined;
  let last = saved;
  let isFirst = saved === undefined;
  /** Within a line that is too long: the rest of it is passed over. */
  let isPassing = false;
  let goneSince: number | undefined;

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
    const facts = await file.stat();
    if (facts.isFile()) return { file, size: facts.size, inode: facts.ino };
    await file.close();
    throw new Error(`${name} is no file`);
  }

  const start = (inode: number): Position => ({ stream: newStream(), inode, offset: 0, head: '', headBytes: 0 });

  /** The path and what it became by rotation, not the compressed ones. */
  function family(): { name: string; inode: number; mtimeMs: number }[] {
    const folder = dirname(path);
    return readdirSync(folder).flatMap((name) => {
      const isOurs = name.startsWith(basename(path)) && /^([.-]\d+)*$/.test(name.slice(basename(path).length));
      const facts = isOurs ? statSync(join(folder, name), { throwIfNoEntry: false }) : undefined;
      return facts?.isFile() ? [{ name: join(folder, name), inode: facts.ino, mtimeMs: facts.mtimeMs }] : [];
    });
  }

  /** Files that came and were rotated away while nobody read, oldest first. */
  const rotatedSince = (mtimeMs: number, known: number[]): string[] =>
    family()
      .filter((each) => each.mtimeMs > mtimeMs && !known.includes(each.inode))
      .sort((a, b) => a.mtimeMs - b.mtimeMs)
      .map(({ name }) => name);

  /** The file that `position` speaks of, wherever it is now. */
  async function findAgain(position: Position): Promise<FileHandle | undefined> {
    const ordered = family().sort((a, b) => Number(b.inode === position.inode) - Number(a.inode === position.inode));
    for (const { name } of ordered.slice(0, 50)) {
      const found = await openFile(name).catch(() => undefined);
      if (!found) continue;
      // By its number alone only when nothing was read of it: numbers are used again.
      const isIt = position.headBytes > 0 ? true : found.inode === position.inode;
      if (isIt && (await isSame(found.file, position, found.size))) return found.file;
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
        // Of a head that grows, only what is read already is held against the file later.
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

  /** Whole lines, as few blocks as there can be; a line that is too long is one of its own. */
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
      if (isPassing) {
        isPassing = found === -1;
        begin = next;
      } else if (stop - from > longestLine || (!isWhole && stop - from === longestLine)) {
        add(from);
        begin = from;
        count = 1;
        add(from + longestLine, true);
        begin = next;
        isPassing = !isWhole;
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
    isPassing = false;
    goneSince = undefined;
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
        // From now on: what a new host logged before it was enrolled is not news. (A file that appears later is read whole.)
        if (skips) await skipToEnd(found.size);
      }
      const { file, position } = current;
      const size = (await file.stat()).size;
      const isTruncated =
        size < position.offset || (size > position.offset && position.headBytes > 0 && !(await isSame(file, position, size)));
      if (isTruncated) {
        // Copied and truncated: the rest is in the copy.
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
        isPassing = false;
        current = { file, position: start(inode) };
      }
      hasRead = (await advance(take, false)) || hasRead;
      const atPath = statSync(path, { throwIfNoEntry: false });
      if (atPath?.ino === current.position.inode) {
        goneSince = undefined;
      } else if (hasRead || goneSince === undefined) {
        goneSince = now();
      } else if (now() - goneSince >= graceMs && atPath) {
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
