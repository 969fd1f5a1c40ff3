import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../src/core/blobs.ts';
import { systemClock } from '../src/core/clock.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { readArchive } from '../src/domain/events/archiveFile.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { createArchiveService } from '../src/features/archive/archive.service.ts';
import { archiveFiles } from '../src/features/offboarding/offboarding.archive.ts';
import { createRetentionService } from '../src/features/retention/retention.service.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { eventRows, putEvents } from './storedEvents.ts';

let t: TestDatabase;
let folder: string;
let blobs: Blobs;
let client = 700;
/** Noon of a day in the past. */
const noon = (days: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs + dayMs / 2);
const dayOf = (days: number) => noon(days).toISOString().slice(0, 10);

beforeAll(async () => {
  t = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'archive-'));
  blobs = openBlobs(undefined, folder);
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  client += 1;
  await system((tx) => sql`select make_partitions(${dayOf(200)}::date, ${dayOf(0)}::date)`.execute(tx));
  await system((tx) =>
    tx
      .insertInto('organisations')
      .values({ id: client, name: `Client ${client}`, event_retention_days: 10, archive_months: 2 })
      .execute(),
  );
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const put = (days: number, ...texts: string[]) =>
  system((tx) =>
    putEvents(
      tx,
      client,
      texts.map((text, index) => ({ at: noon(days).getTime() + index, text, document: { text, days, ü: '\ud800' } })),
    ),
  );
const archive = (given: Partial<Parameters<typeof createArchiveService>[0]> = {}) =>
  createArchiveService({ db: t.db, clock: systemClock, blobs, log: silentLog, eventRetentionDays: 30, ...given }).run();
const drop = () =>
  createRetentionService({
    db: t.db,
    clock: systemClock,
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  }).dropOld();
const hot = () => system(async (tx) => (await eventRows(tx, client)).map(({ text }) => text).sort());
const files = () =>
  system((tx) =>
    tx
      .selectFrom('archive_files')
      .selectAll()
      .select(sql<string>`day::text`.as('day'))
      .where('organisation_id', '=', client)
      .orderBy('id')
      .execute(),
  );
const textsIn = async (key: string) => {
  const texts: string[] = [];
  for await (const events of readArchive((await blobs.get(key))!))
    texts.push(...events.map(({ document }) => document.text as string));
  return texts;
};
const manifestOf = async (days: number) => JSON.parse(String(await blobs.get(`archive/${client}/manifest-${dayOf(days)}.json`)));
const set = (values: { archive_months?: number; held_since?: Date | null }) =>
  system((tx) => tx.updateTable('organisations').set(values).where('id', '=', client).execute());

describe('the archive', () => {
  test('takes whole days past their retention, each with a manifest, and leaves the rest', async () => {
    await put(12, 'a', 'b');
    await put(11, 'c');
    await put(9, 'd');
    await archive();
    expect(await hot()).toEqual(['d']);
    const listed = await files();
    expect(listed.map(({ day, part, rows }) => [day, part, rows])).toEqual([
      [dayOf(12), 1, 2],
      [dayOf(11), 1, 1],
    ]);
    const [first] = listed;
    expect(await textsIn(first!.key)).toEqual(['a', 'b']);
    const bytes = (await blobs.get(first!.key))!;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await manifestOf(12)).toEqual({
      organisationId: client,
      day: dayOf(12),
      files: [
        {
          file: `${dayOf(12)}-0001.parquet`,
          rows: 2,
          bytes: bytes.length,
          sha256,
          firstAt: noon(12).toISOString(),
          lastAt: new Date(noon(12).getTime() + 1).toISOString(),
        },
      ],
    });
    await archive();
    expect(await files()).toEqual(listed);
  });

  test('makes another part of late events, and of days that are too large for one', async () => {
    for (let index = 0; index < 5; index++) await put(13, `early ${index}`);
    await archive({ eventsPerFile: 2 });
    await put(13, 'late');
    await archive();
    expect((await files()).map(({ part, rows }) => [part, rows])).toEqual([
      [1, 2],
      [2, 2],
      [3, 1],
      [4, 1],
    ]);
    expect((await manifestOf(13)).files).toHaveLength(4);
  });

  test('keeps events that the retention job would delete or drop by the month', async () => {
    await put(100, 'old');
    await drop();
    expect(await hot()).toEqual(['old']);
    await expect(
      system((tx) => sql`select remove_over_age('event_blocks', ${client}, ${noon(12)}, 10)`.execute(tx)),
    ).rejects.toThrow(/go to the archive/);
    await set({ archive_months: 0 });
    await drop();
    expect(await hot()).toEqual([]);
  });

  test('removes files past their months with their manifest, but not under a legal hold', async () => {
    await put(100, 'old');
    await put(20, 'young');
    await set({ held_since: new Date() });
    await archive();
    expect(await files()).toEqual([]);
    await set({ held_since: null, archive_months: 12 });
    await archive();
    expect(await files()).toHaveLength(2);
    await set({ held_since: new Date(), archive_months: 2 });
    await archive();
    expect(await files()).toHaveLength(2);
    const [old] = await files();
    await expect(system((tx) => sql`select remove_archive_file(${old!.id})`.execute(tx))).rejects.toThrow(/is needed/);
    await set({ held_since: null });
    await archive();
    expect((await files()).map(({ day }) => day)).toEqual([dayOf(20)]);
    expect([await blobs.get(old!.key), await blobs.get(`archive/${client}/manifest-${dayOf(100)}.json`)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test('removes what an interrupted run has written, and stops once the client is being erased', async () => {
  await put(12, 'a');
  const key = `archive/${client}/${dayOf(12)}-0001.parquet`;
  // The process ends after the file was stored, before the events leave.
  const ended: Blobs = { ...blobs, get: () => Promise.reject(new Error('killed')) };
  await archive({ blobs: ended });
  expect(await blobs.get(key)).toBeDefined();
  await set({ archive_months: 0 });
  await archive();
  expect([await blobs.get(key), await hot()]).toEqual([undefined, ['a']]);
  await set({ archive_months: 2 });
  const erased: Blobs = {
    ...blobs,
    async put(...file) {
      await system((tx) => tx.updateTable('organisations').set({ erased_at: new Date() }).where('id', '=', client).execute());
      await blobs.put(...file);
    },
  };
  await put(11, 'b');
  await archive({ blobs: erased });
  expect([(await files()).map(({ day }) => day), await hot()]).toEqual([[dayOf(12)], ['b']]);
});

describe('events stay searchable', () => {
  test.each<[string, Partial<Blobs>]>([
    ['cannot be written', { put: () => Promise.reject(new Error('disk full')) }],
    ['is not there afterwards', { get: async () => undefined }],
    ['reads as another one', { get: async (key) => Buffer.concat([(await blobs.get(key))!, Buffer.from('x')]) }],
  ])('when the file %s', async (_fault, broken) => {
    await put(12, 'a');
    await archive({ blobs: { ...blobs, ...broken } });
    expect([await hot(), await files()]).toEqual([['a'], []]);
    await archive();
    expect([await hot(), (await files()).map(({ rows }) => rows)]).toEqual([[], [1]]);
  });

  test('when their blocks are merged while the file is written', async () => {
    await put(12, 'a');
    await put(12, 'b');
    let isMerged = false;
    const merging: Blobs = {
      ...blobs,
      async put(key, bytes, type) {
        if (!isMerged) await mergeBlocks(t.db, Date.now());
        isMerged = true;
        return blobs.put(key, bytes, type);
      },
    };
    await archive({ blobs: merging });
    expect([await hot(), await files()]).toEqual([['a', 'b'], []]);
    await archive();
    expect([await hot(), (await files()).map(({ rows }) => rows)]).toEqual([[], [2]]);
  });
});

test('comes along in the hand-over archive', async () => {
  await put(12, 'a');
  await archive();
  const [file] = await files();
  const scope = { organisationIds: [client] };
  const handed = new Map<string, Buffer>();
  for await (const { name, bytes } of archiveFiles({ db: t.db, blobs }, scope, client, {}, new Date())) handed.set(name, bytes);
  const name = `archive/${dayOf(12)}-0001.parquet`;
  expect(handed.get(name)).toEqual(await blobs.get(file!.key));
  const manifest = JSON.parse(String(handed.get('manifest.json')));
  expect(manifest.files).toContainEqual({ file: name, rows: 1, sha256: file!.sha256 });
});
