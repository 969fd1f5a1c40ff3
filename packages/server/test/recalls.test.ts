/** Archived days brought back for a case: searchable through the event store, never double, gone after their release. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsApi } from '@parapet/contract/events.ts';
import { type CaseRecalls, recallsApi } from '@parapet/contract/recalls.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../src/core/blobs.ts';
import { movableClock } from '../src/core/clock.ts';
import { scoped, type Tx } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { mergeBlocks } from '../src/domain/events/merge.ts';
import { createArchiveService } from '../src/features/archive/archive.service.ts';
import { createRecallsService } from '../src/features/recalls/recalls.service.ts';
import { createRetentionService } from '../src/features/retention/retention.service.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { seedCase } from './seed.ts';
import { eventRows, putEvents } from './storedEvents.ts';

let t: TestApp;
let folder: string;
let blobs: Blobs;
let partner: number;
let client: number;
let caseId: number;
let analyst: TestUser;
const clock = movableClock(Date.now());
const noon = (days: number) => new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs + dayMs / 2);
const dayOf = (days: number) => noon(days).toISOString().slice(0, 10);
const parts = () => ({ db: t.db, clock, log: silentLog, blobs, eventRetentionDays: 30 });

beforeAll(async () => {
  t = await testApp();
  folder = await mkdtemp(join(tmpdir(), 'recalls-'));
  blobs = openBlobs(undefined, folder);
  partner = await t.organisation({ isPartner: true });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  clock.moveTo(Date.now());
  client = await t.organisation({ parentId: partner });
  caseId = (await seedCase(t.db, { organisationId: client })).id;
  await system(async (tx) => {
    await sql`select make_partitions(${dayOf(120)}::date, ${dayOf(0)}::date)`.execute(tx);
    await tx.updateTable('organisations').set({ event_retention_days: 10, archive_months: 6 }).where('id', '=', client).execute();
  });
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const idOf = (text: string) => `00000000-0000-4000-8000-${Buffer.from(text.slice(0, 6).padEnd(6, '-')).toString('hex')}`;
const put = (days: number, ...texts: string[]) =>
  system((tx) =>
    putEvents(
      tx,
      client,
      texts.map((text, index) => ({ at: noon(days).getTime() + index, id: idOf(text), text, document: { message: text } })),
    ),
  );
const archive = () => createArchiveService(parts()).run();
const run = () => createRecallsService(parts()).run();
const drop = () => createRetentionService({ ...parts(), alertRetentionMonths: 13, longestWindowMs: 0 }).dropOld();
const request = (first: number, last: number, user = analyst, keepDays = 7) =>
  t.call(recallsApi.request, { params: { caseId }, body: { firstDay: dayOf(first), lastDay: dayOf(last), keepDays } }, user);
const recalls = async () => (await t.call(recallsApi.list, { params: { caseId } }, analyst)).json<CaseRecalls>();
const release = (id: number, user = analyst) => t.call(recallsApi.release, { params: { caseId, id } }, user);
const stored = () => system(async (tx) => (await eventRows(tx, client)).map(({ text }) => text));

describe('archived days', () => {
  test('become searchable for a case, and leave with its release', async () => {
    await put(50, 'fifty', 'more');
    await put(40, 'forty');
    await archive();
    expect(await stored()).toEqual([]);
    expect((await recalls()).archive).toEqual({ firstDay: dayOf(50), lastDay: dayOf(40), events: 3 });
    expect((await request(55, 45)).json<CaseRecalls>().recalls).toMatchObject([
      { state: 'loading', files: 1, loadedFiles: 0, events: 2 },
    ]);
    await run();
    const [recall] = (await recalls()).recalls;
    expect(recall).toMatchObject({ state: 'ready', loadedFiles: 1, failure: '', requestedBy: 'Test Partner Analyst' });
    const query = { search: 'fifty' };
    const range = { client, start: noon(60).toISOString(), end: noon(40).toISOString() };
    const found = await t.call(eventsApi.search, { params: range, query }, analyst);
    expect(found.statusCode, found.body).toBe(200);
    expect(found.json().results.map(({ text }: { text: string }) => text)).toEqual(['fifty']);
    expect((await release(recall!.id)).json<CaseRecalls>().recalls).toMatchObject([{ state: 'released', files: 0 }]);
    expect(await stored()).toEqual([]);
    expect((await recalls()).archive.events).toBe(3);
    const actions = await system((tx) =>
      tx.selectFrom('audit').select(['action', 'visibility']).where('organisation_id', '=', client).orderBy('id').execute(),
    );
    expect(actions.filter(({ action }) => action.startsWith('recall.'))).toEqual(
      ['recall.requested', 'recall.released'].map((action) => ({ action, visibility: 'internal' })),
    );
  });

  test('show no event twice: resent, in two parts, in two recalls, and loaded twice', async () => {
    await put(50, 'first', 'second');
    await archive();
    // A shipper resends an archived event: it is stored, archived as a second part, and stored once more.
    await put(50, 'first');
    await archive();
    await put(50, 'first');
    await request(50, 50);
    await request(51, 49);
    await run();
    await run();
    expect((await stored()).sort()).toEqual(['first', 'second']);
    expect(await mergeBlocks(t.db, Date.now())).toBe(0);
    const [second, first] = (await recalls()).recalls;
    await release(second!.id);
    expect((await stored()).sort()).toEqual(['first', 'second']);
    await release(first!.id);
    expect(await stored()).toEqual(['first']);
  });

  test('stay while retention, archive and months pass, until their time is over', async () => {
    await put(100, 'hundred');
    await archive();
    await request(100, 100);
    await run();
    await drop();
    await archive();
    expect(await stored()).toEqual(['hundred']);
    // The file stays as long as it is needed.
    await system((tx) => tx.updateTable('organisations').set({ archive_months: 0 }).where('id', '=', client).execute());
    await archive();
    expect((await recalls()).archive.events).toBe(1);
    clock.moveTo(Date.now() + 8 * dayMs);
    await run();
    expect(await stored()).toEqual([]);
    expect((await recalls()).recalls).toMatchObject([{ state: 'released', releasedAt: expect.any(String) }]);
    await archive();
    expect((await recalls()).archive.events).toBe(0);
  });

  test.each<[string, (key: string) => Promise<void>]>([
    ['is missing', (key) => blobs.remove(key)],
    ['was changed', (key) => blobs.put(key, Buffer.from('PAR1 changed'), '')],
  ])('name the day whose file %s, and load the rest', async (_fault, breaks) => {
    await put(50, 'fifty');
    await put(40, 'forty');
    await archive();
    const { key } = await system((tx) =>
      tx.selectFrom('archive_files').select('key').where('organisation_id', '=', client).orderBy('day').executeTakeFirstOrThrow(),
    );
    await breaks(key);
    await request(50, 40);
    await run();
    expect((await recalls()).recalls).toMatchObject([
      { state: 'ready', failure: `The events of ${dayOf(50)} are missing: their file in the archive is missing or was changed.` },
    ]);
    expect(await stored()).toEqual(['forty']);
  });

  test('stop loading when a release comes in between', async () => {
    await put(50, 'fifty');
    await archive();
    const { id } = (await request(50, 50)).json<CaseRecalls>().recalls[0]!;
    const releasing: Blobs = {
      ...blobs,
      async get(key) {
        await release(id);
        return blobs.get(key);
      },
    };
    await createRecallsService({ ...parts(), blobs: releasing }).run();
    expect(await stored()).toEqual([]);
  });
});

test('refuses ranges without events, in the wrong order or too long, and others’ cases', async () => {
  await put(50, 'fifty');
  await archive();
  expect((await request(30, 20)).json().error).toMatch(/The archive has no events of/);
  expect((await request(40, 50)).json().errors).toEqual({ lastDay: ['The last day must not be before the first.'] });
  expect((await request(120, 20)).json().errors).toEqual({ lastDay: ['Select at most 31 days.'] });
  const clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
  expect((await request(50, 50, clientAdmin)).statusCode).toBe(403);
  const elsewhere = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
  expect((await request(50, 50, elsewhere)).statusCode).toBe(404);
  const { id } = (await request(50, 50)).json<CaseRecalls>().recalls[0]!;
  expect((await release(id, elsewhere)).statusCode).toBe(404);
  caseId = (await seedCase(t.db, { organisationId: client })).id;
  expect((await release(id)).statusCode).toBe(404);
});
