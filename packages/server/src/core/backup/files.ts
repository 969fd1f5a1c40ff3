/** Files outside the database: each content is stored once, and a list of them whenever they changed. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type ListedFile, listName } from './names.ts';
import type { BackupStore } from './objects.ts';

/** The clock of a file system is coarse: a folder that changed this recently is read again. */
const settledMs = 2_000;

interface KnownFolder {
  changedMs: number;
  files: ListedFile[];
  folders: string[];
}

export interface FilesArchive {
  /** Stores what is new; every file that stood there at `asOf` is listed. */
  ship(chain: string, asOf: number): Promise<void>;
  /** To be called when objects were removed from the store. */
  forget(): void;
}

export function createFilesArchive(store: BackupStore, folder: string | undefined): FilesArchive {
  const known = new Map<string, KnownFolder>();
  let stored: Set<string> | undefined;
  let listed: { chain: string; text: string } | undefined;

  async function storeFile(path: string): Promise<ListedFile | undefined> {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!content) return undefined;
    const object = `files/${store.digest(content)}`;
    stored ??= new Set(await store.list('files/'));
    if (!stored.has(object)) await store.put(object, content);
    stored.add(object);
    return { path: relative(folder as string, path), object, size: content.length };
  }

  async function readFolder(at: string, now: number): Promise<KnownFolder> {
    const { mtimeMs } = await stat(at);
    const before = known.get(at);
    if (before && before.changedMs === mtimeMs && mtimeMs < now - settledMs) return before;
    const entries = await readdir(at, { withFileTypes: true });
    const files: ListedFile[] = [];
    for (const entry of entries) {
      if (!entry.isFile() || entry.name.endsWith('.part')) continue;
      const file = await storeFile(join(at, entry.name));
      if (file) files.push(file);
    }
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(at, name));
    const found = { changedMs: mtimeMs, files, folders };
    known.set(at, found);
    return found;
  }

  async function walk(at: string, now: number): Promise<ListedFile[]> {
    const found = await readFolder(at, now).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return [];
    const below: ListedFile[] = [];
    for (const each of found.folders) below.push(...(await walk(each, now)));
    return [...found.files, ...below];
  }

  return {
    async ship(chain, asOf) {
      const files = folder === undefined ? [] : await walk(folder, asOf);
      const text = JSON.stringify(files.sort((one, other) => (one.path < other.path ? -1 : 1)));
      if (listed?.chain === chain && listed.text === text) return;
      await store.put(listName(chain, asOf), Buffer.from(text));
      listed = { chain, text };
    },
    forget() {
      known.clear();
      [stored, listed] = [undefined, undefined];
    },
  };
}
