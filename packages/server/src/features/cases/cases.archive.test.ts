/** Signed archives of cases: their contents by reader, and every change of a byte found. */
import { casesApi } from '@parapet/contract/cases.ts';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { verifyArchive } from './cases.verify.ts';

const internalNote = 'INTERNAL-NOTE-MARKER';
let t: TestApp;
let client: number;
let admin: TestUser;
let analyst: TestUser;
let caseId: number;

beforeAll(async () => {
  t = await testApp();
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Administrator' });
  const rule = await seedRule(t.db, { criticality: 4 });
  const at = Date.now() - 3_600_000;
  const alerts = [{ at, rule, device: 'SRV-01', user: 'ana' }];
  ({ id: caseId } = await seedCase(t.db, { organisationId: client, at, alerts }));
  await t.call(casesApi.saveNote, { body: { caseID: caseId, text: internalNote, isInternal: true } }, analyst);
  await scoped(t.db, 'system', async (tx) => {
    const member = await tx.selectFrom('case_alerts').selectAll().where('case_id', '=', caseId).executeTakeFirstOrThrow();
    const why = JSON.stringify({ condition: '', items: [] });
    const document = JSON.stringify({ message: 'guessed' });
    const event = { event_id: crypto.randomUUID(), event_at: new Date(at), text: 'guessed', why, document };
    await tx
      .insertInto('alert_events')
      .values({ organisation_id: client, alert_id: member.alert_id, alert_at: member.alert_at, ...event })
      .execute();
  });
});
afterAll(() => t.close());

const save = async (user: TestUser, contents: 'client' | 'all' = 'client', id = caseId) => {
  const answer = await t.call(casesApi.exportArchive, { params: { caseId: id }, query: { contents } }, user);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.rawPayload;
};
const textOf = (archive: Buffer, name: string) => Buffer.from(unzipSync(archive)[name] ?? []).toString('utf8');
const wholeText = (archive: Buffer) =>
  Object.values(unzipSync(archive))
    .map((bytes) => Buffer.from(bytes).toString('latin1'))
    .join('\n');

test('holds case, story, timeline, events, report and audit extract, all intact', async () => {
  const archive = await save(analyst);
  expect(verifyArchive(archive)).toMatchObject({
    faults: [],
    contents: 'client',
    files: ['case.json', 'story.txt', 'timeline.json', 'events.ndjson', 'report.pdf', 'audit.json'],
  });
  expect(JSON.parse(textOf(archive, 'events.ndjson'))).toMatchObject({ document: { message: 'guessed' } });
  expect(JSON.parse(textOf(archive, 'case.json')).caseGeneralInfo.id).toBe(caseId);
  expect(textOf(archive, 'report.pdf').slice(0, 5)).toBe('%PDF-');
});

describe('internal notes', () => {
  test('reach only an archive that staff save with them', async () => {
    expect(wholeText(await save(analyst, 'all'))).toContain(internalNote);
    expect(wholeText(await save(analyst))).not.toContain(internalNote);
    for (const contents of ['client', 'all'] as const) {
      const text = wholeText(await save(admin, contents));
      expect(text).not.toContain(internalNote);
      expect(text).not.toContain(analyst.email);
    }
  });
});

test('refuses other tenants, and records each export', async () => {
  const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  expect((await t.call(casesApi.exportArchive, { params: { caseId } }, stranger)).statusCode).toBe(404);
  const exports = () =>
    scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').select('id').where('organisation_id', '=', client).where('action', '=', 'case.exported').execute(),
    );
  const before = (await exports()).length;
  await save(analyst);
  expect(await exports()).toHaveLength(before + 1);
});

describe('verification', () => {
  test('names the file that was changed, added or removed, and a changed manifest', async () => {
    const entries = unzipSync(await save(analyst));
    const faultsOf = (changed: Record<string, Uint8Array>) => verifyArchive(Buffer.from(zipSync(changed))).faults;
    expect(faultsOf(entries)).toEqual([]);
    expect(faultsOf({ ...entries, 'story.txt': Buffer.from('Other') })).toEqual(['story.txt is missing or was changed.']);
    expect(faultsOf({ ...entries, 'extra.txt': Buffer.from('x') })).toEqual(['extra.txt is not listed in the manifest.']);
    const { 'events.ndjson': _, ...less } = entries;
    expect(faultsOf(less)).toEqual(['events.ndjson is missing or was changed.']);
    const manifest = Buffer.from(
      Buffer.from(entries['manifest.json'] ?? [])
        .toString('utf8')
        .replace('"client"', '"all"'),
    );
    expect(faultsOf({ ...entries, 'manifest.json': manifest })).toContain('The signature of manifest.json is wrong.');
    expect(verifyArchive(Buffer.from('no archive')).faults).toHaveLength(1);
  });
});
