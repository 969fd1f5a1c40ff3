import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// @ts-expect-error it brings no types
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListableBlobs, openBlobs } from './blobs.ts';

const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
let folder: string;
let s3: { run(): Promise<AddressInfo>; close(): Promise<void> };
let s3Endpoint: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-blobs-'));
  s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'files' }],
  });
  s3Endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

const bucket = (bucketName = 'files', accessKeyId = keys.accessKeyId) =>
  openBlobs({ endpoint: s3Endpoint, bucket: bucketName, region: 'us-east-1', ...keys, accessKeyId }, '');
const places: [string, () => ListableBlobs][] = [
  ['a folder', () => openBlobs(undefined, join(folder, 'files'))],
  ['an S3 bucket', () => bucket()],
];

describe.each(places)('%s', (_name, open) => {
  const every = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256));

  test('returns the latest content byte for byte until it is removed', async () => {
    const blobs = open();
    await blobs.put('profile-pictures/7.png', Buffer.from('old'), 'image/png');
    await blobs.put('profile-pictures/7.png', every, 'image/png');
    expect(await blobs.get('profile-pictures/7.png')).toEqual(every);
    await blobs.remove('profile-pictures/7.png');
    expect(await blobs.get('profile-pictures/7.png')).toBeUndefined();
  });

  test('lists the keys of a folder and below it', async () => {
    const blobs = open();
    for (const key of ['listed/b/2', 'listed/a', 'listed-not/c']) await blobs.put(key, Buffer.from(key), 'text/plain');
    expect(await blobs.list('listed/')).toEqual(['listed/a', 'listed/b/2']);
    expect(await blobs.list('')).toEqual(expect.arrayContaining(['listed-not/c', 'listed/a']));
    expect(await blobs.list('nothing/')).toEqual([]);
  });

  test('returns undefined for unknown keys and removes them without an error', async () => {
    expect(await open().get('none/here.png')).toBeUndefined();
    await open().remove('none/here.png');
  });

  test.each([
    '../secret',
    'a/../../b',
    '/etc/passwd',
    'a//b',
    'a/.hidden',
    '',
    '.',
    'a\\b',
    'a/b\0.png',
    'ä',
    'a/%2e%2e/b',
    'a?b',
    'a#b',
    'x'.repeat(301),
  ])('rejects keys outside the store: %j', async (key) => {
    const blobs = open();
    await expect((async () => blobs.put(key, Buffer.from('x'), 'image/png'))()).rejects.toThrow('is no key of a file');
    await expect((async () => blobs.get(key))()).rejects.toThrow('is no key of a file');
    await expect((async () => blobs.remove(key))()).rejects.toThrow('is no key of a file');
  });
});

test('writes files to a folder atomically and readable by the owner only', async () => {
  const blobs = openBlobs(undefined, join(folder, 'own'));
  const contents = ['first', 'second'].map((text) => Buffer.from(text.repeat(50_000)));
  await Promise.all(Array.from({ length: 20 }, (_, i) => blobs.put('a/b.png', contents[i % 2] as Buffer, 'image/png')));
  const stored = await blobs.get('a/b.png');
  expect(contents.some((content) => stored?.equals(content))).toBe(true);
  expect(await readdir(join(folder, 'own', 'a'))).toEqual(['b.png']);
  expect((await stat(join(folder, 'own', 'a', 'b.png'))).mode & 0o077).toBe(0);
  expect(await readFile(join(folder, 'own', 'a', 'b.png'))).toEqual(stored);
});

describe('an S3 bucket', () => {
  test('throws for a missing bucket and a wrong key instead of reporting missing files', async () => {
    await expect(bucket('files', 'wrong').get('a.png')).rejects.toThrow(/answered 403/);
    await expect(bucket('files', 'wrong').put('a.png', Buffer.from('x'), 'image/png')).rejects.toThrow(/answered 403/);
    await expect(bucket('elsewhere').put('a.png', Buffer.from('x'), 'image/png')).rejects.toThrow(/answered 404/);
    await expect(bucket('elsewhere').get('a.png')).rejects.toThrow(/answered 404/);
    await expect(bucket('elsewhere').remove('a.png')).rejects.toThrow(/answered 404/);
  });

  test('throws unavailable when unreachable', async () => {
    const closed = await listen(() => undefined);
    const endpoint = addressOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    const blobs = openBlobs({ endpoint, bucket: 'files', region: 'us-east-1', ...keys }, '');
    await expect(blobs.get('a.png')).rejects.toMatchObject({ code: 'unavailable' });
  });

  // The server above accepts any signature of this version, so it is computed here by the rules that AWS publishes.
  test('receives requests signed with Signature Version 4, never the secret', async () => {
    const requests: IncomingMessage[] = [];
    const server = await listen((request) => requests.push(request));
    const secret = 'a-secret-of-the-test';
    const config = { endpoint: addressOf(server), bucket: 'files', region: 'eu-central-1', accessKeyId: 'AKIDEXAMPLE' };
    await openBlobs({ ...config, secretAccessKey: secret }, '').put('a/b.png', Buffer.from('x'), 'image/png');
    await new Promise((resolve) => server.close(resolve));
    const [{ method, url, headers } = {} as IncomingMessage] = requests;
    expect([method, url, headers['content-type']]).toEqual(['PUT', '/files/a/b.png', 'image/png']);

    const date = String(headers['x-amz-date']);
    const place = `${date.slice(0, 8)}/eu-central-1/s3/aws4_request`;
    const [, signed = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\S+, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(
        String(headers.authorization),
      ) ?? [];
    expect(signed.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-content-sha256', 'x-amz-date']));
    const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
    const request = [method, url, '', lines.join(''), signed, headers['x-amz-content-sha256']].join('\n');
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
    const key = place.split('/').reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
    const hash = createHash('sha256').update(request).digest('hex');
    expect(signature).toBe(hmac(key, ['AWS4-HMAC-SHA256', date, place, hash].join('\n')).toString('hex'));
    expect(JSON.stringify(headers)).not.toContain(secret);
  });
});

async function listen(onRequest: (request: IncomingMessage) => void): Promise<Server> {
  const server = createServer((request, response) => {
    onRequest(request);
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test('ends a request to a bucket whose server never responds', async () => {
  const silent = createNetServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const blobs = openBlobs({ endpoint, bucket: 'files', region: 'us-east-1', ...keys }, '', 300);
  await expect(blobs.put('a', Buffer.from('a'), 'text/plain')).rejects.toThrow('File storage is unavailable');
  await expect(blobs.get('a')).rejects.toThrow('File storage is unavailable');
  silent.close();
});

test('reports a bucket whose server fails as unavailable', async () => {
  const failing = createServer((_request, response) => response.writeHead(500).end()).listen(0, '127.0.0.1');
  await once(failing, 'listening');
  const endpoint = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
  const blobs = openBlobs({ endpoint, bucket: 'files', region: 'us-east-1', ...keys }, '');
  await expect(blobs.put('a', Buffer.from('a'), 'text/plain')).rejects.toMatchObject({ code: 'unavailable' });
  failing.close();
});

test('reports a bucket whose server stops within a file or a list as unavailable', async () => {
  const stopping = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half');
  }).listen(0, '127.0.0.1');
  await once(stopping, 'listening');
  const blobs = openBlobs({ endpoint: addressOf(stopping), bucket: 'files', region: 'us-east-1', ...keys }, '', 300);
  await expect(blobs.get('a')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(blobs.list('')).rejects.toMatchObject({ code: 'unavailable' });
  stopping.closeAllConnections();
  stopping.close();
});
