/** Reads Sigma rules out of an archive by strangers: bounded in files and bytes, whatever its headers claim; nothing is written to disk. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { unpackTar } from 'modern-tar';
import { type Archive, ArchiveError, manifestName, type PackFile, signatureName } from './packs.files.ts';

export interface ArchiveLimits {
  files: number;
  /** Unpacked. */
  bytes: number;
}
const limits: ArchiveLimits = { files: 20_000, bytes: 256 * 1024 * 1024 };
const maxPathLength = 500;
/** Unpacked at once before the limit is tested: about a thousand times as much at most. */
const pushBytes = 32 * 1024;
const tooLarge = ({ bytes }: ArchiveLimits) =>
  new ArchiveError(`The archive unpacks to more than ${Math.round(bytes / 1024 / 1024)} MB.`);
const tooMany = ({ files }: ArchiveLimits) =>
  new ArchiveError(`The archive has more than ${files.toLocaleString('en-GB')} files.`);

/** Files of tools, such as `.github`, are none. */
const isRule = (path: string): boolean => /\.ya?ml$/i.test(path) && !/(^|\/)\./.test(path);
const isWanted = (path: string): boolean => isRule(path) || path === manifestName || path === signatureName;

/** Path without a leading folder that all files share, as archives of repositories have. */
function withoutRoot(files: readonly PackFile[]): PackFile[] {
  const [root] = files[0]?.path.split('/') ?? [];
  if (root === undefined || !files.every(({ path }) => path.startsWith(`${root}/`))) return [...files];
  return files.map(({ path, bytes }) => ({ path: path.slice(root.length + 1), bytes }));
}

/** Rules and manifest among files of a repository or an archive. */
export function archiveOf(files: readonly PackFile[], folder: string): Archive {
  const below = folder.replace(/^\/+|\/+$/g, '');
  const rules = files.filter(({ path }) => isRule(path) && (below === '' || path.startsWith(`${below}/`)));
  if (rules.length === 0)
    throw new ArchiveError(
      below === '' ? 'There is no .yml or .yaml file in it.' : `There is no .yml or .yaml file below “${below}”.`,
    );
  const named = (name: string) => files.find(({ path }) => path === name)?.bytes;
  return {
    rules: rules.sort((a, b) => (a.path < b.path ? -1 : 1)),
    manifest: named(manifestName),
    signature: named(signatureName),
  };
}

/** Reads a .zip, .tar or .tar.gz. Throws `ArchiveError`. */
export async function readArchive(bytes: Uint8Array, folder: string, most = limits): Promise<Archive> {
  const files = bytes[0] === 0x50 && bytes[1] === 0x4b ? await unzipped(bytes, most) : await untarred(bytes, most);
  const plain = files.filter(({ path }) => path.length <= maxPathLength && !path.split('/').includes('..'));
  const all = withoutRoot(plain);
  return archiveOf(
    all.filter(({ path }) => isWanted(path)),
    folder,
  );
}

async function unzipped(bytes: Uint8Array, most: ArchiveLimits): Promise<PackFile[]> {
  const files: PackFile[] = [];
  let size = 0;
  let count = 0;
  let failure: ArchiveError | undefined;
  const take = (file: UnzipFile) => {
    if (file.name.endsWith('/')) return;
    if (++count > most.files) failure ??= tooMany(most);
    if (failure || !isWanted(file.name.split('/').at(-1) ?? '')) {
      // Its place counts for the folder that all share, its content is not read.
      files.push({ path: file.name, bytes: new Uint8Array() });
      return;
    }
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      if (failure) return;
      if (error) {
        failure = new ArchiveError(`The file ${file.name.slice(0, 200)} of the archive is damaged.`);
        return;
      }
      size += chunk.length;
      if (size > most.bytes) {
        failure = tooLarge(most);
        file.terminate();
        return;
      }
      chunks.push(chunk);
      if (isLast) files.push({ path: file.name, bytes: Buffer.concat(chunks) });
    };
    try {
      file.start();
    } catch {
      failure = new ArchiveError(`The file ${file.name.slice(0, 200)} is compressed in a way that can’t be read. Use Deflate.`);
    }
  };
  const unzip = new Unzip(take);
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length && !failure; at += pushBytes) {
      unzip.push(bytes.subarray(at, at + pushBytes), at + pushBytes >= bytes.length);
      await nextTurn();
    }
  } catch {
    failure ??= new ArchiveError('The archive is damaged.');
  }
  if (failure) throw failure;
  return files;
}

async function untarred(bytes: Uint8Array, most: ArchiveLimits): Promise<PackFile[]> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let tar = bytes;
  if (isGzip)
    tar = await promisify(gunzip)(bytes, { maxOutputLength: most.bytes }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(most) : new ArchiveError('The archive is damaged.');
    });
  let count = 0;
  const entries = await unpackTar(tar, {
    strict: true,
    filter: ({ type }) => {
      if (++count > most.files) throw tooMany(most);
      return type === 'file' || type === undefined;
    },
  }).catch((error: unknown) => {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(isGzip ? 'The archive is damaged.' : 'This is no .zip, .tar or .tar.gz archive, or it is damaged.');
  });
  return entries.map(({ header, data }) => ({ path: header.name.replace(/^\.\//, ''), bytes: data ?? new Uint8Array() }));
}
