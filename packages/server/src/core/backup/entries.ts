/** Files of a base backup as one stream of bytes, in parts: length and JSON of each entry, then its content. */
import { chown, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Entry {
  /** Relative, with slashes. */
  path: string;
  /** Undefined for a folder. */
  size?: number;
}

const partBytes = 8 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** Collects entries and hands them to `putPart` in parts of 8 MiB. */
export function createPacker(putPart: (part: Buffer) => Promise<void>) {
  let pieces: Buffer[] = [];
  let size = 0;

  async function flush(): Promise<void> {
    if (size === 0) return;
    const part = Buffer.concat(pieces);
    [pieces, size] = [[], 0];
    await putPart(part);
  }
  async function write(bytes: Buffer): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      const piece = rest.subarray(0, partBytes - size);
      pieces.push(piece);
      size += piece.length;
      rest = rest.subarray(piece.length);
      if (size === partBytes) await flush();
    }
  }
  async function header(entry: Entry): Promise<void> {
    const text = Buffer.from(JSON.stringify(entry));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    await write(Buffer.concat([length, text]));
  }
  return {
    folder: (path: string) => header({ path }),
    async bytes(path: string, content: Buffer): Promise<void> {
      await header({ path, size: content.length });
      await write(content);
    },
    /** A file in use, up to its present size; false when it is gone. */
    async file(path: string, source: string): Promise<boolean> {
      const handle = await open(source, 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (!handle) return false;
      try {
        const { size } = await handle.stat();
        await header({ path, size });
        for (let left = size; left > 0; ) {
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(pieceBytes, left)), 0, null, null);
          // A file that became shorter is completed by zeros; the recovery cuts it again.
          const piece = bytesRead === 0 ? Buffer.alloc(Math.min(pieceBytes, left)) : buffer.subarray(0, bytesRead);
          await write(piece);
          left -= piece.length;
        }
        return true;
      } finally {
        await handle.close();
      }
    },
    end: flush,
  };
}

/** Writes the entries of a stream below `folder`, owned by `uid` if given. Returns the number of files. */
export async function unpack(parts: AsyncIterable<Buffer>, folder: string, uid?: number): Promise<number> {
  const source = parts[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  let files = 0;

  /** Up to `most` bytes; empty at the end. */
  async function take(most: number): Promise<Buffer> {
    while (held.length === 0) {
      const { value, done } = await source.next();
      if (done) return held;
      held = Buffer.from(value);
    }
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    return taken;
  }
  async function exactly(size: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = size; left > 0; ) {
      const piece = await take(left);
      if (piece.length === 0) throw new Error('The base backup ends in the middle of a file.');
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }
  async function writeFile(path: string, size: number): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    try {
      for (let left = size; left > 0; ) {
        const piece = await exactly(Math.min(pieceBytes, left));
        await handle.writeFile(piece);
        left -= piece.length;
      }
      if (uid !== undefined) await handle.chown(uid, uid);
    } finally {
      await handle.close();
    }
  }

  for (;;) {
    const first = await take(4);
    if (first.length === 0) return files;
    const length = first.length === 4 ? first : Buffer.concat([first, await exactly(4 - first.length)]);
    const { path, size } = JSON.parse((await exactly(length.readUInt32BE())).toString()) as Entry;
    const target = join(folder, path);
    if (!target.startsWith(`${folder}/`)) throw new Error(`The base backup has a file outside its folder: ${path}`);
    if (size === undefined) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      if (uid !== undefined) await chown(target, uid, uid);
    } else {
      await writeFile(target, size);
      files += 1;
    }
  }
}
