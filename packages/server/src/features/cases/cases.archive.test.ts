/** Signed archives of cases: their contents by reader, and every change of a byte found. */
import { casesApi } from '@parapet/contract/cases.ts';
import { unzipSync, zipSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped } from '../../core/db/scope.ts';
import { recordAudits, systemAuditor } from '../../domain/audit.ts';
import { readEvidence } from './cases.archive.ts';
import { verifyArchive } from './cases.verify.ts';

const internalNote = 'INTERNAL-NOTE-MARKER';
const t = useTestApp();
let client: number;
let admin: TestUser;
let analyst: TestUser;
let caseId: number;

beforeAll(async () => {
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

describe('events', () => {
  const store = (count: number, size: number) =>
    scoped(t.db, 'system', async (tx) => {
      const at = Date.now() - 3_600_000;
      const made = await seedCase(t.db, { organisationId: client, at, alerts: 1 });
      const member = await tx.selectFrom('case_alerts').selectAll().where('case_id', '=', made.id).executeTakeFirstOrThrow();
      const event = {
        text: '',
        why: JSON.stringify({ condition: '', items: [] }),
        document: JSON.stringify({ x: 'x'.repeat(size) }),
      };
      const of = { organisation_id: client, alert_id: member.alert_id, alert_at: member.alert_at };
      await tx
        .insertInto('alert_events')
        .values(
          Array.from({ length: count }, (_, n) => ({
            ...of,
            ...event,
            event_id: crypto.randomUUID(),
            event_at: new Date(at + n),
          })),
        )
        .execute();
      return { id: made.id, members: [{ ...member, joined_by: '' }] };
    });

  test('beyond fifty of an alert are counted as left out', async () => {
    const { id } = await store(53, 10);
    const archive = await save(analyst, 'client', id);
    expect(textOf(archive, 'events.ndjson').trim().split('\n')).toHaveLength(50);
    expect(JSON.parse(textOf(archive, 'manifest.json')).omittedEvents).toBe(3);
  });

  test('beyond the bytes are counted, the newest first', async () => {
    const { members } = await store(4, 1_000);
    const scope = { organisationIds: [client] };
    const { bytes, omitted } = await scoped(t.db, scope, (tx) => readEvidence(tx, scope, members, 2_500));
    expect(bytes.toString('utf8').trim().split('\n')).toHaveLength(2);
    expect(omitted).toBe(2);
  });
});

test('extracts entries of its responses, and none of another case whose id a response has', async () => {
  const of = { organisation_id: client, action: 'isolate', target: 'host-1', expires_at: new Date(Date.now() + 60_000) } as const;
  const log = (responseId: number, target: number, action: 'response.verified' | 'response.fileTaken', after: object) =>
    ({ action, organisationId: client, target: String(target), after: { ...after, responseId } }) as never;
  const own = await scoped(t.db, 'system', async (tx) => {
    const own = await insertRow(tx, 'responses', { ...of, case_id: caseId } as never);
    // A response without a case, whose entry names its id: the same number as the case.
    await recordAudits(tx, systemAuditor(client), [
      log(own, caseId, 'response.verified', { id: own, marker: 'OF-THE-CASE' }),
      log(own, own, 'response.fileTaken', { path: 'FILE-OF-THE-CASE', sha256: '' }),
      log(caseId, caseId, 'response.verified', { id: caseId === own ? own + 1_000 : caseId, marker: 'OF-ANOTHER' }),
    ]);
    return own;
  });
  expect(own).toBeGreaterThan(0);
  const text = textOf(await save(analyst, 'all'), 'audit.json');
  expect(text).toContain('OF-THE-CASE');
  expect(text).toContain('FILE-OF-THE-CASE');
  expect(text).not.toContain('OF-ANOTHER');
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
      tx
        .selectFrom('audit')
        .select('after')
        .where('organisation_id', '=', client)
        .where('action', '=', 'case.exported')
        .orderBy('id')
        .execute(),
    );
  const before = (await exports()).length;
  await save(analyst);
  await save(analyst, 'all');
  await save(admin, 'all');
  expect((await exports()).slice(before)).toEqual(['client', 'all', 'client'].map((contents) => ({ after: { contents } })));
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
