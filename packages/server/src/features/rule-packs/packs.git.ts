/** Reads the files of a Git repository over https, without its history; the clone is removed afterwards. */
import * as fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import git, { type HttpClient } from 'isomorphic-git';
import { NotPublic, type Outbound } from '../../core/outbound.ts';
import { ArchiveError, type PackFile } from './packs.files.ts';

const maxFileBytes = 1024 * 1024;
const maxEntries = 100_000;
const maxBytes = 256 * 1024 * 1024;

export interface Repository {
  files: PackFile[];
  /** Hash of the commit. */
  commit: string;
}

/** Throws `ArchiveError` if the repository cannot be read. */
export async function readRepository(
  outbound: Pick<Outbound, 'fetch'>,
  { address, branch, folder }: { address: string; branch: string; folder: string },
): Promise<Repository> {
  const dir = await mkdtemp(join(tmpdir(), 'rule-pack-'));
  const http = clientOf(outbound);
  try {
    const ref = branch === '' ? {} : { ref: branch };
    await git.clone({
      fs,
      http,
      dir,
      url: address,
      ...ref,
      singleBranch: true,
      depth: 1,
      noTags: branch === '',
      noCheckout: true,
    });
    const commit = await git.resolveRef({ fs, dir, ref: branch === '' ? 'HEAD' : await fullNameOf(dir, branch) });
    const files = await readFiles(dir, commit, folder.replace(/^\/+|\/+$/g, ''));
    return { files, commit };
  } catch (error) {
    throw faultOf(error as Error & { code?: string; data?: { statusCode?: number } }, branch);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Files below a folder, one after another, so that limits hold before more is unpacked. */
async function readFiles(dir: string, commit: string, folder: string): Promise<PackFile[]> {
  const files: PackFile[] = [];
  let entries = 0;
  let size = 0;
  await git.walk({
    fs,
    dir,
    trees: [git.TREE({ ref: commit })],
    async map(path, [entry]) {
      if (++entries > maxEntries)
        throw new ArchiveError(`The repository has more than ${maxEntries.toLocaleString('en-GB')} files.`);
      const isWay = path === '.' || folder === '' || `${folder}/`.startsWith(`${path}/`);
      const isBelow = folder === '' || path.startsWith(`${folder}/`);
      if (!entry || (await entry.type()) !== 'blob') return isWay || isBelow ? path : null;
      if (!/\.(ya?ml|json|sig)$/i.test(path) || !(isBelow || !path.includes('/'))) return null;
      const bytes = await entry.content();
      if (!bytes || bytes.length > maxFileBytes) return null;
      size += bytes.length;
      if (size > maxBytes) throw new ArchiveError(`The repository unpacks to more than ${maxBytes / 1024 / 1024} MB.`);
      files.push({ path, bytes });
      return null;
    },
    async iterate(walk, children) {
      for (const child of children) await walk(child);
      return [];
    },
  });
  return files;
}

async function fullNameOf(dir: string, branch: string): Promise<string> {
  for (const ref of [`refs/remotes/origin/${branch}`, `refs/tags/${branch}`]) {
    const isHere = await git.resolveRef({ fs, dir, ref }).then(
      () => true,
      () => false,
    );
    if (isHere) return ref;
  }
  return branch;
}

function faultOf(error: Error & { code?: string; data?: { statusCode?: number } }, branch: string): Error {
  if (error instanceof ArchiveError) return error;
  if (error instanceof NotPublic) return new ArchiveError('The address is not public, or does not start with https://.');
  const status = error.data?.statusCode;
  if (error.code === 'HttpError')
    return new ArchiveError(
      status === 401 || status === 403 || status === 404
        ? 'There is no public repository at this address.'
        : `The server of the repository returned status ${status}. A moved repository needs its new address.`,
    );
  if (error.code === 'NotFoundError') return new ArchiveError(`The repository has no branch or tag “${branch}”.`);
  return new ArchiveError(`The repository can’t be read: ${error.message.slice(0, 300)}`);
}

function clientOf(outbound: Pick<Outbound, 'fetch'>): HttpClient {
  return {
    async request({ url, method = 'GET', headers = {}, body }) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body ?? []) chunks.push(chunk);
      const response = await outbound.fetch(url, {
        method,
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      async function* read(): AsyncIterableIterator<Uint8Array> {
        for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
      }
      return {
        url,
        method,
        headers: Object.fromEntries(response.headers),
        statusCode: response.status,
        statusMessage: response.statusText,
        body: read(),
      };
    },
  };
}
