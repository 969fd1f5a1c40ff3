/**
 * Follows a log file through rotation, truncation and copy-truncate. Finds the previous file again by inode or a hash of its
 * first bytes, also among rotated files (`auth.log.1`), so that rotation while the agent is stopped loses nothing. Emits blocks
 * of raw bytes; a line's id is its stream and offset, and therefore stable when it is read again after a crash.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Block } from './bulk.ts';
import { splitLines } from './lineBlocks.ts';
import { findAgain, headOf, isSameFile, type OpenFile, openFile, type Position, rotatedSince } from './rotations.ts';

/** Awaited, so that a full buffer pauses reading; afterwards the memory of the blocks is reused. */
type Take = (blocks: Block[]) => Promise<void>;

export interface Tail {
  /** Reads new data; resolves to true if there was any. */
  poll(take: Take): Promise<boolean>;
  position(): Position | undefined;
  close(): Promise<void>;
}

interface Followed {
  file: FileHandle;
  position: Position;
  /** Skipping the rest of an overlong line. */
  isSkipping: boolean;
}

const chunkBytes = 256 * 1024;
const maxHead = 1024;
/** Programs continue writing to a rotated file until they are signalled. */
const graceMs = 5_000;

export function createTail(path: string, saved: Position | undefined, now: () => number = Date.now): Tail {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let current: Followed | undefined;
  let last = saved;
  let isFirst = saved === undefined;
  let missingSince: number | undefined;

  async function leave(): Promise<void> {
    await current?.file.close();
    current = undefined;
    missingSince = undefined;
  }

  /** Opens the file of the saved position, or the one at the path; undefined if there is none yet. */
  async function openCurrent(): Promise<Followed | undefined> {
    const before = last && (await findAgain(path, last));
    if (last && before) current = { file: before.file, position: { ...last, inode: before.inode }, isSkipping: false };
    last = undefined;
    if (current) return current;
    const found = await openFile(path);
    const skips = isFirst;
    isFirst = false;
    if (!found) return undefined;
    current = fromStart(found);
    // Skip entries logged before enrolment. (A file that appears later is read from its start.)
    if (skips) await skipToEnd(current, found.size);
    return current;
  }

  /** Copy-truncate: the remaining lines are in the copy. */
  async function finishCopy(truncated: Followed, take: Take): Promise<boolean> {
    const { file, position } = truncated;
    const copy = await findAgain(path, position);
    let hasRead = false;
    if (copy) {
      truncated.file = copy.file;
      try {
        hasRead = await advance(truncated, chunk, take, true);
      } finally {
        truncated.file = file;
        await copy.file.close();
      }
    }
    current = fromStart({ file, inode: position.inode });
    return hasRead;
  }

  /** Finishes the rotated file, then reads those created since, up to the one at the path. */
  async function followRotation(rotated: Followed, inodeAtPath: number, take: Take): Promise<boolean> {
    let hasRead = await advance(rotated, chunk, take, true);
    const { mtimeMs } = await rotated.file.stat();
    await leave();
    for (const name of [...rotatedSince(path, mtimeMs, [rotated.position.inode, inodeAtPath]), path]) {
      const found = await openFile(name);
      if (!found) continue;
      await leave();
      current = fromStart(found);
      hasRead = (await advance(current, chunk, take, name !== path)) || hasRead;
    }
    return hasRead;
  }

  return {
    async poll(take) {
      let followed = current ?? (await openCurrent());
      if (!followed) return false;
      let hasRead = false;
      if (await isTruncated(followed)) {
        hasRead = await finishCopy(followed, take);
        followed = current as Followed;
      }
      hasRead = (await advance(followed, chunk, take, false)) || hasRead;
      const atPath = statSync(path, { throwIfNoEntry: false });
      if (atPath?.ino === followed.position.inode) missingSince = undefined;
      else if (hasRead || missingSince === undefined) missingSince = now();
      else if (now() - missingSince >= graceMs && atPath) return followRotation(followed, atPath.ino, take);
      return hasRead;
    },
    position: () => (current ? { ...current.position } : last),
    close: leave,
  };
}

const fromStart = ({ file, inode }: Pick<OpenFile, 'file' | 'inode'>): Followed => ({
  file,
  position: { stream: randomBytes(9).toString('base64url'), inode, offset: 0, head: '', headBytes: 0 },
  isSkipping: false,
});

async function skipToEnd({ file, position }: Followed, size: number): Promise<void> {
  position.offset = size;
  position.headBytes = Math.min(maxHead, size);
  position.head = await headOf(file, position.headBytes);
}

async function isTruncated({ file, position }: Followed): Promise<boolean> {
  const { size } = await file.stat();
  if (size < position.offset) return true;
  return size > position.offset && position.headBytes > 0 && !(await isSameFile(file, position, size));
}

/** Reads to the end of the file; true if there were new lines. */
async function advance(followed: Followed, chunk: Buffer, take: Take, isLast: boolean): Promise<boolean> {
  const { file, position } = followed;
  let hasRead = false;
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position.offset);
    if (bytesRead === 0) return hasRead;
    if (position.headBytes < maxHead && position.offset <= position.headBytes) {
      // Hash only bytes already read; the rest of the head may still change.
      position.headBytes = Math.min(maxHead, position.offset + bytesRead);
      position.head = await headOf(file, position.headBytes);
    }
    const { isSkipping } = followed;
    const lines = splitLines(chunk.subarray(0, bytesRead), position, { isLast, isSkipping });
    followed.isSkipping = lines.isSkipping;
    if (lines.used === 0) return hasRead;
    if (lines.blocks.length > 0) await take(lines.blocks);
    position.offset += lines.used;
    hasRead = true;
  }
}
