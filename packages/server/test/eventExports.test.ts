import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventExport, eventExportsApi } from '@parapet/contract/eventExports.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Blobs, openBlobs } from '../src/core/blobs.ts';
import { movableClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import type { Actor } from '../src/core/http/actor.ts';
import { silentLog } from '../src/core/log.ts';
import { readArchive } from '../src/domain/events/archiveFile.ts';
import { findActorOfUser } from '../src/features/auth/auth.store.ts';
import { createExportsService, exportKey } from '../src/features/events/exports.service.ts';
import { createExportWorker, type ExportWorkerDeps } from '../src/features/events/exports.worker.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { seedMonths } from './seed.ts';
import { putEvents } from './storedEvents.ts';

const now = Date.now();
const [start, end] = [new Date(now - dayMs).toISOString(), new Date(now + 1).toISOString()];
const clock = movableClock(now);
let t: TestApp;
let folder: string;
let blobs: Blobs;
let partner: number;
let client: number;
let analyst: TestUser;

const worker = (more: Partial<ExportWorkerDeps> = {}) =>
  createExportWorker({ db: t.db, clock, blobs, log: silentLog, actorNow: findActorOfUser, ...more });
const service = () => createExportsService({ db: t.db, clock, blobs });
const actor = async (): Promise<Actor> => {
  const found = await scoped(t.db, 'system', (tx) => findActorOfUser(tx, analyst.id, undefined));
  return { ...found!, address: '' };
};
const put = (organisationId: number, texts: readonly string[]) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    putEvents(
      tx,
      organisationId,
      texts.map((text, index) => ({ at: now - index * 1_000, received_at: now, text, document: { text, n: 1e21 } })),
    ),
  );
const begin = (body: object, user = analyst) =>
  t.call(eventExportsApi.start, { body: { client, start, end, format: 'ndjson', ...body } } as never, user);
const listed = async (user = analyst) =>
  (await t.call(eventExportsApi.list, {}, user)).json<{ results: EventExport[] }>().results;
async function content(id: number): Promise<Buffer> {
  const { bytes } = await service().file(await actor(), id);
  const parts: Buffer[] = [];
  for await (const part of bytes as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}
const exported = async (body: object): Promise<EventExport> => {
  const answer = await begin(body);
  expect(answer.statusCode).toBe(200);
  await worker().run();
  const { id } = answer.json<EventExport>();
  return (await listed()).find((each) => each.id === id)!;
};

beforeAll(async () => {
  t = await testApp();
  folder = await mkdtemp(join(tmpdir(), 'exports-'));
  blobs = openBlobs(undefined, folder);
  await seedMonths(t.db, now - dayMs, now + dayMs);
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  clock.moveTo(now);
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
});

describe('exports of events', () => {
  test('writes every match as lines of JSON, newest first', async () => {
    await put(client, ['one', 'two needle', '=three needle']);
    const job = await exported({ search: 'needle' });
    expect(job).toMatchObject({ state: 'done', events: 2, isCut: false, failure: '' });
    const lines = (await content(job.id)).toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { text: 'two needle', clientOrganizationID: client, document: { text: 'two needle' } },
      { text: '=three needle' },
    ]);
    expect(lines[0]).toContain('"n":1e+21');
    expect(job.bytes).toBe((await content(job.id)).length);
  });

  test('writes CSV without formulas, and Parquet with the client of each event', async () => {
    await put(client, ['=cmd|calc', 'plain']);
    await put(partner, ['of the partner']);
    const csv = (await content((await exported({ format: 'csv' })).id)).toString();
    expect(csv).toContain('"\'=cmd|calc"');
    const bytes = await content((await exported({ format: 'parquet', client: 0 })).id);
    const texts: string[] = [];
    for await (const events of readArchive(bytes)) texts.push(...events.map(({ text }) => text));
    expect(texts.sort()).toEqual(['=cmd|calc', 'of the partner', 'plain']);
    expect(bytes.includes('organisation_id')).toBe(true);
  });

  test('reads page by page, and ends at the limit', async () => {
    await put(
      client,
      Array.from({ length: 2_500 }, (_, n) => `event ${n}`),
    );
    const job = await exported({});
    expect(job).toMatchObject({ state: 'done', events: 2_500 });
    const texts = (await content(job.id)).toString().trimEnd().split('\n');
    expect(new Set(texts).size).toBe(2_500);
    await begin({});
    await worker({ maxEvents: 100 }).run();
    expect((await listed())[0]).toMatchObject({ state: 'done', events: 100, isCut: true });
  });

  test('stops when the requester may no longer see the events, and starts over after an interruption', async () => {
    await put(client, ['one']);
    await begin({});
    await worker({ actorNow: async () => undefined }).run();
    expect((await listed())[0]).toMatchObject({
      state: 'failed',
      failure: 'Stopped: you may no longer see all of these events.',
    });
    const { id } = (await begin({})).json<EventExport>();
    await scoped(t.db, 'system', (tx) =>
      tx
        .updateTable('event_exports')
        .set({ state: 'running', claimed_at: new Date(now - dayMs), events: 7, parts: 3 })
        .where('id', '=', id)
        .execute(),
    );
    await worker().run();
    expect((await listed())[0]).toMatchObject({ id, state: 'done', events: 1 });
  });

  test('fails an export whose process ended three times, instead of ending a fourth', async () => {
    await put(client, ['one']);
    const { id } = (await begin({})).json<EventExport>();
    const interrupted = (attempts: number) =>
      scoped(t.db, 'system', (tx) =>
        tx
          .updateTable('event_exports')
          .set({ state: 'running', claimed_at: new Date(now - dayMs), attempts })
          .where('id', '=', id)
          .execute(),
      );
    await interrupted(3);
    await worker().run();
    expect((await listed())[0]).toMatchObject({ id, state: 'failed', failure: expect.stringContaining('three attempts') });
    await interrupted(2);
    await worker().run();
    expect((await listed())[0]).toMatchObject({ id, state: 'done', events: 1 });
  });

  test('writes pages of large events in parts, and reads fewer at a time', async () => {
    const large = 'x'.repeat(200_000);
    await put(
      client,
      Array.from({ length: 120 }, (_, n) => `${n} ${large}`),
    );
    const job = await exported({});
    expect(job).toMatchObject({ state: 'done', events: 120, isCut: false });
    const { parts } = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('event_exports').select('parts').where('id', '=', job.id).executeTakeFirstOrThrow(),
    );
    expect(parts).toBeGreaterThan(4);
    expect(new Set((await content(job.id)).toString().trimEnd().split('\n')).size).toBe(120);
  });

  test('returns files to their requester only; limits, cancels and expires them', async () => {
    await put(client, ['one']);
    const other = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    const { id } = (await begin({})).json<EventExport>();
    await begin({});
    expect((await begin({})).json().error).toContain('2 of your exports are still being written');
    expect(await listed(other)).toEqual([]);
    for (const call of [eventExportsApi.cancel, eventExportsApi.file])
      expect((await t.call(call, { params: { id } }, other)).statusCode).toBe(404);
    expect((await t.call(eventExportsApi.file, { params: { id } }, analyst)).statusCode).toBe(409);
    expect((await t.call(eventExportsApi.cancel, { params: { id } }, analyst)).statusCode).toBe(200);
    await worker().run();
    const [left, ...none] = await listed();
    expect(none).toEqual([]);
    expect(left).toMatchObject({ state: 'done' });
    clock.moveTo(now + 2 * dayMs);
    await expect(content(left!.id)).rejects.toMatchObject({ code: 'notFound' });
    await worker().sweep();
    expect(await listed()).toEqual([]);
    expect(await blobs.get(exportKey(left!.id, 0))).toBeUndefined();
  });

  test('refuses other clients and long ranges, and audits requests and downloads', async () => {
    const foreign = await t.organisation();
    expect((await begin({ client: foreign })).statusCode).toBe(403);
    expect((await begin({ start: new Date(now - 32 * dayMs).toISOString() })).statusCode).toBe(400);
    await put(client, ['one']);
    await content((await exported({ search: 'one' })).id);
    const entries = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .where('organisation_id', '=', client)
        .where('action', 'in', ['events.exported', 'events.exportDownloaded'])
        .orderBy('id')
        .selectAll()
        .execute(),
    );
    expect(entries).toMatchObject([
      { action: 'events.exported', after: { search: 'one', format: 'ndjson' } },
      { action: 'events.exportDownloaded', after: { events: 1 } },
    ]);
  });
});
