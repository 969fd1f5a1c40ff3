/** File helpers. Durable writes survive power loss: write to a temporary file, sync, rename, sync the folder. */
import { mkdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeDurably(path: string, text: string | Buffer, mode = 0o600): Promise<void> {
  const beside = `${path}.new`;
  const file = await open(beside, 'w', mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  await syncFolder(dirname(path));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Parses a JSON file; undefined when it is missing, unreadable or malformed. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

export const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Stats of a path; undefined if it is missing, inaccessible, or below a file (where Node.js 20 throws despite `throwIfNoEntry`). */
export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

export function makePrivateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Writes all parts; a single write may be partial. */
export async function writeAll(file: FileHandle, parts: readonly Buffer[], position: number): Promise<void> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  let { bytesWritten: at } = await file.writev(parts, position);
  if (at === length) return;
  const bytes = Buffer.concat(parts);
  while (at < length) at += (await file.write(bytes, at, length - at, position + at)).bytesWritten;
}
