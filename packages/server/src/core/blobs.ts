/**
 * Files that are no rows: pictures, logos, later reports and collected files. An S3 bucket when one is configured, else a folder. A file is
 * whole or not there: it is written beside its place and then moved.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '@parapet/contract/problem.ts';
import { AwsClient } from 'aws4fetch';
import type { S3Config } from './config.s3.ts';

export interface Blobs {
  put(key: string, bytes: Buffer, type: string): Promise<void>;
  /** Undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>;
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>;
}

export interface ListableBlobs extends Blobs {
  /** Keys below a folder, such as `archive/`, in ascending order; all keys for ''. */
  list(folder: string): Promise<string[]>;
}

/** Folders and names of letters, digits, `-`, `_` and `.`; no part starts with a dot, so that no key leads elsewhere. */
const keyShape = /^[A-Za-z0-9_-][\w.-]*(?:\/[A-Za-z0-9_-][\w.-]*)*$/;

function checked(key: string): string {
  if (key.length > 300 || !keyShape.test(key)) throw new TypeError(`"${key.slice(0, 100)}" is no key of a file.`);
  return key;
}

/** @param s3TimeoutMs limit of a request to S3 with its repetitions, milliseconds */
export const openBlobs = (s3: S3Config | undefined, folder: string, s3TimeoutMs = 15_000): ListableBlobs =>
  s3 ? s3Blobs(s3, s3TimeoutMs) : folderBlobs(folder);

function folderBlobs(folder: string): ListableBlobs {
  const pathOf = (key: string) => join(folder, ...checked(key).split('/'));
  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const beside = `${path}.${randomUUID()}.part`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(beside, bytes, { mode: 0o600, flush: true });
      await rename(beside, path);
    },
    get: (key) =>
      readFile(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    remove: (key) => rm(pathOf(key), { force: true }),
    async list(below) {
      const top = below === '' ? folder : pathOf(below.replace(/\/$/, ''));
      const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
        .sort();
    },
  };
}

const attempts = 3;
const firstPauseMs = 50;

interface Answer {
  ok: boolean;
  status: number;
  body: Buffer;
}

function s3Blobs({ endpoint, bucket, region, accessKeyId, secretAccessKey }: S3Config, timeoutMs: number): ListableBlobs {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  const request = (
    key: string,
    init: { method: string; body?: Uint8Array<ArrayBuffer>; headers?: Record<string, string> },
  ): Promise<Answer> => askAt(`/${checked(key)}`, init);
  const askAt = async (path: string, init: RequestInit): Promise<Answer> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      for (let attempt = 1; ; attempt++) {
        const signed = await client.sign(`${endpoint}/${bucket}${path}`, init);
        // The signal beside the request: within it, as the client’s own fetch passes it, it does not end a wait for a silent server.
        const response = await fetch(signed, { signal });
        // The body too is within the limit.
        if (response.status < 500 && response.status !== 429)
          return { ok: response.ok, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
        await response.body?.cancel();
        if (attempt === attempts) throw new Error(`status ${response.status}`);
        await pause(firstPauseMs * 2 ** attempt * Math.random(), undefined, { signal });
      }
    } catch {
      throw problem.unavailable('File storage is unavailable. Try again in a moment.');
    }
  };
  /** A bucket that is not there is a fault of the configuration, not a missing file. */
  const isMissing = ({ status, body }: Answer): boolean => status === 404 && !body.includes('NoSuchBucket');
  const refused = (what: string, { status }: Answer): Error => new Error(`The store of files answered ${status} when ${what}.`);
  return {
    async put(key, bytes, type) {
      const answer = await request(key, { method: 'PUT', body: new Uint8Array(bytes), headers: { 'content-type': type } });
      if (!answer.ok) throw refused(`${key} was to be stored`, answer);
    },
    async get(key) {
      const answer = await request(key, { method: 'GET' });
      if (answer.ok) return answer.body;
      if (!isMissing(answer)) throw refused(`${key} was to be read`, answer);
      return undefined;
    },
    async remove(key) {
      const answer = await request(key, { method: 'DELETE' });
      if (!answer.ok && !isMissing(answer)) throw refused(`${key} was to be removed`, answer);
    },
    async list(below) {
      const keys: string[] = [];
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: below, ...(token && { 'continuation-token': token }) });
        const answer = await askAt(`?${query}`, { method: 'GET' });
        if (!answer.ok) throw refused(`the files below "${below}" were to be listed`, answer);
        const page = answer.body.toString();
        // Keys have no characters that XML escapes.
        keys.push(...[...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key));
        token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(page)?.[1];
      }
      return keys.sort();
    },
  };
}
