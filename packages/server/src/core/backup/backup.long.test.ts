/** Backup of an embedded database under writes, and its restore. */
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBlobs } from '../blobs.ts';
import { systemClock } from '../clock.ts';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded.ts';
import { masterKeyOf } from '../keys/master.ts';
import { silentLog } from '../log.ts';
import { type Archive, openArchive } from './archive.ts';
import { isManifest } from './names.ts';
import { type BackupStore, openBackupStore } from './objects.ts';
import { prune } from './prune.ts';
import { listAvailable, restore } from './restore.ts';

const log = silentLog;
const settings = { fsync: 'off' };
const key = masterKeyOf('a backup key of the tests, long enough');
let folder: string;
let postgres: EmbeddedPostgres;
let client: pg.Client;
let store: BackupStore;
let archive: Archive;
let restores = 0;

const openStore = (name = 'backup') => openBackupStore(openBlobs(undefined, join(folder, name)), key);
const deps = () => ({
  ownerUrl: postgres.ownerUrl,
  dataDir: join(folder, 'data'),
  filesDir: join(folder, 'data', 'files'),
  store,
  clock: systemClock,
  log,
});
const write = (text: string) => client.query('insert into notes (text) values ($1)', [text]);
const fill = () => client.query('insert into notes (text) select repeat(md5(i::text), 30) from generate_series(1, 25000) i');

async function restored(at?: Date): Promise<{ notes: string[]; folder: string; restoredTo: Date }> {
  const dataDir = join(folder, `restored-${++restores}`);
  let notes: string[] = [];
  const { restoredTo } = await restore({
    store,
    dataDir,
    at,
    log,
    settings,
    async work(connectionString) {
      const reader = new pg.Client({ connectionString });
      await reader.connect();
      const { rows } = await reader.query<{ text: string }>('select text from notes where length(text) < 100 order by id');
      notes = rows.map(({ text }) => text);
      await reader.end();
    },
  });
  return { notes, folder: dataDir, restoredTo };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-backup-'));
  postgres = await startEmbedded({ dataDir: join(folder, 'data'), log, settings });
  client = new pg.Client({ connectionString: postgres.ownerUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('create table notes (id integer generated always as identity primary key, text text not null)');
  store = openStore();
  archive = await openArchive(deps());
}, 60_000);

afterAll(async () => {
  await archive.close();
  await client.end().catch(() => undefined);
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe('a backup', () => {
  test('restores what was written before, during and after the base backup and a change of process, with files', async () => {
    const files = join(folder, 'data', 'files');
    await mkdir(join(files, 'logos'), { recursive: true });
    await writeFile(join(files, 'logos', '7.png'), 'a logo');
    await write('before');
    const base = archive.takeBase();
    for (let i = 0; i < 20; i++) await write(`during ${i}`);
    const { chain, parts } = await base;
    expect(parts.length).toBeGreaterThan(0);
    await archive.close();
    archive = await openArchive(deps());
    expect((await archive.latestBase())?.chain).toBe(chain);
    await fill();
    await write('after');
    const until = await archive.ship();
    await write('never stored');
    const found = await restored();
    expect(found.notes).toEqual(['before', ...Array.from({ length: 20 }, (_, i) => `during ${i}`), 'after']);
    expect(found.restoredTo).toEqual(until);
    expect(await readFile(join(found.folder, 'files', 'logos', '7.png'), 'utf8')).toBe('a logo');
  }, 120_000);

  test('restores the state of a time', async () => {
    await write('early');
    await archive.ship();
    const at = new Date();
    // Within one millisecond, early and late are the same time.
    while (Date.now() <= at.getTime()) await pause(1);
    await write('late');
    await archive.ship();
    const { notes } = await restored(at);
    expect(notes).toContain('early');
    expect(notes).not.toContain('late');
  }, 120_000);

  test('rejects times outside its range, and folders with data', async () => {
    await expect(restored(new Date(Date.now() + 60_000))).rejects.toThrow('The backup reaches to');
    await expect(restored(new Date(0))).rejects.toThrow('The oldest base backup ended at');
    await expect(restore({ store, dataDir: join(folder, 'data'), log, work: async () => undefined })).rejects.toThrow(
      'is not empty',
    );
  });

  test('contains nothing readable, and rejects objects that were changed, moved or encrypted with another key', async () => {
    await write('a secret of a client');
    await archive.ship();
    const names = (await store.list('')).filter((name) => name.includes('/wal/'));
    for (const name of names) expect((await readFile(join(folder, 'backup', name))).includes('a secret')).toBe(false);
    const [first = '', second = ''] = names;
    const blobs = openBlobs(undefined, join(folder, 'backup'));
    const other = openBackupStore(blobs, masterKeyOf('another key of the tests, long enough'));
    await expect(other.get(first)).rejects.toThrow('is encrypted with another key');
    await blobs.put('moved', (await blobs.get(first)) as Buffer, '');
    await expect(store.get('moved')).rejects.toThrow('was changed');
    await rm(join(folder, 'backup', 'moved'));
    expect(second).not.toBe(first);
    await appendFile(join(folder, 'backup', first), 'x');
    await expect(store.get(first)).rejects.toThrow('was changed');
  });

  test('ends the log at the first gap', async () => {
    const [available] = await listAvailable(store);
    const gap = available!.pieces.at(-1)!;
    await store.remove(gap.name);
    expect((await listAvailable(store))[0]!.until).toBeLessThanOrEqual(gap.asOf);
  });
});

test('keeps base backups by number and age, with the log that they need', async () => {
  store = openStore('pruned');
  await archive.close();
  archive = await openArchive(deps());
  const first = await archive.takeBase();
  await fill();
  await archive.ship();
  // A base backup is named by its second.
  const began = Math.floor(Date.now() / 1000);
  await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(began);
  const second = await archive.takeBase();
  await archive.ship();
  // The log before the first base backup.
  await prune(store, { number: 2, days: 1 }, first.chain, Date.now());
  expect(await listAvailable(store)).toHaveLength(2);
  expect(await prune(store, { number: 1, days: 1 }, first.chain, Date.now())).toBe(0);
  // A storage that refuses the manifests for a moment.
  const refusing: BackupStore = {
    ...store,
    get: (name) => (isManifest(name) ? Promise.reject(new Error('The storage timed out.')) : store.get(name)),
  };
  expect(await prune(refusing, { number: 1, days: 1 }, first.chain, Date.now() + 2 * 86_400_000)).toBe(0);
  expect(await listAvailable(store)).toHaveLength(2);
  const removed = await prune(store, { number: 1, days: 1 }, first.chain, Date.now() + 2 * 86_400_000);
  expect(removed).toBeGreaterThan(first.parts.length);
  expect((await listAvailable(store)).map(({ manifest }) => manifest.endedAt)).toEqual([second.endedAt]);
  await write('kept');
  await archive.ship();
  expect((await restored()).notes).toContain('kept');
  expect((await store.list(`${first.chain}/bases/`)).length).toBe(second.parts.length + 1);
}, 120_000);
