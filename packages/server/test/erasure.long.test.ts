/** Erasure of one client: everything of the catalogue, files, keys and the content of its audit entries; the chain and others stay. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBlobs } from '../src/core/blobs.ts';
import { canonicalJson } from '../src/core/canonical.ts';
import { systemClock } from '../src/core/clock.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { type ErasureCertificate, isCertified } from '../src/domain/erasureCertificate.ts';
import { checkpointKey, leafOf } from '../src/features/audit/chain.format.ts';
import { createAuditSealer } from '../src/features/audit/chain.sealer.ts';
import { listLinks } from '../src/features/audit/chain.store.ts';
import { verifyLog } from '../src/features/audit/chain.verify.ts';
import { erase } from '../src/features/erasure/erasure.job.ts';
import { deletionOrder } from '../src/features/erasure/erasure.order.ts';
import { readCatalogue } from '../src/features/erasure/erasure.store.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { runAs } from './database.ts';
import { confirmErasure, erasureDeps, fillClient, pictureOf, rowsOf, seedOfKey } from './erasure.fixture.ts';
import { textsOf } from './pdf.ts';

let t: TestApp;
let folder: string;
let partner: number;
let client: number;
let host: TestUser;
let second: TestUser;
const key = checkpointKey(seedOfKey);
/** Tables with rows after an erasure: the audit chain and its own record. */
const remaining = ['audit', 'audit_chain', 'audit_checkpoints', 'erasure_parts', 'erasures', 'retention_requests'];

beforeAll(async () => {
  t = await testApp();
  folder = await mkdtemp(join(tmpdir(), 'erasure-'));
  await t.organisation({ isPartner: true, id: 1 });
  host = await t.user({ organisationId: 1, role: 'Host' });
  second = await t.user({ organisationId: 1, role: 'Host' });
  partner = await t.organisation({ isPartner: true });
});
beforeEach(async () => {
  client = await t.organisation({ parentId: partner, name: 'Coral Foods' });
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true });
});

const blobs = () => openBlobs(undefined, folder);
const seal = () => createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
const verify = (organisationId = client) => verifyLog(t.db, { organisationId, publicKey: key.publicKey, now: Date.now() });
const certificateOf = (format: 'json' | 'pdf') =>
  t.call(retentionApi.certificate, { params: { client }, query: { format } }, host);
const stateOf = async () => (await t.call(retentionApi.get, { params: { client } }, host)).json<RetentionState>();

test('removes every row and file of the client, keeps others’ and the chain, and certifies it', async () => {
  const other = await t.organisation({ parentId: partner });
  const [admin, othersAdmin] = [await fillClient(t, client, blobs()), await fillClient(t, other, blobs())];
  await seal();
  const [before, othersBefore] = [await rowsOf(t, client), await rowsOf(t, other)];
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining(['alerts', 'agents', 'cases', 'event_blocks', 'ingest_keys', 'sessions', 'tags', 'users']),
  );
  await confirmErasure(t, client, host, second);
  await seal();
  expect(await erase(erasureDeps(t.db, blobs()), client)).toBe(true);

  expect(Object.keys(await rowsOf(t, client))).toEqual(remaining);
  expect(await rowsOf(t, other)).toEqual(othersBefore);
  expect([await blobs().get(pictureOf(admin)), (await blobs().get(pictureOf(othersAdmin)))?.toString()]).toEqual([
    undefined,
    'picture',
  ]);
  await seal();
  expect(await verify()).toMatchObject({ erased: expect.any(Number), unsealed: 0 });
  expect((await verify()).broken).toBeUndefined();

  const certificate = (await certificateOf('json')).json<ErasureCertificate>();
  expect(isCertified(certificate)).toBe(true);
  expect(createHash('sha256').update(canonicalJson(certificate.content)).digest('hex')).toBe(certificate.sha256);
  const { tables, files, auditEntries, ...who } = certificate.content;
  expect(who).toMatchObject({
    clientName: 'Coral Foods',
    reason: 'Contract ended',
    requestedBy: { id: host.id, name: 'SOC Analyst' },
    confirmedBy: { id: second.id },
  });
  expect(files).toEqual({ count: 1, bytes: 7 });
  expect(auditEntries).toBe((await verify()).erased);
  expect(Object.fromEntries(tables.map(({ table, rows }) => [table, rows]))).toEqual(
    Object.fromEntries(Object.entries(before).filter(([table]) => !remaining.includes(table))),
  );
  expect(tables.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(
    textsOf((await certificateOf('pdf')).rawPayload)
      .join('')
      .replaceAll(/\s/g, ''),
  ).toContain(certificate.sha256);
  expect((await stateOf()).erasure).toMatchObject({ finishedAt: expect.any(String), sha256: certificate.sha256 });
});

test('removes the archive, also a file whose writing was interrupted', async () => {
  await fillClient(t, client, blobs());
  const keys = [`archive/${client}/2026-01-02-0001.parquet`, `archive/${client}/manifest-2026-01-02.json`];
  for (const key of keys) await blobs().put(key, Buffer.from('events'), '');
  await scoped(t.db, 'system', (tx) =>
    tx.insertInto('archive_writes').values({ key: keys[0]!, organisation_id: client, day: '2026-01-02' }).execute(),
  );
  await confirmErasure(t, client, host, second);
  await seal();
  await erase(erasureDeps(t.db, blobs()), client);
  expect(await Promise.all(keys.map((key) => blobs().get(key)))).toEqual([undefined, undefined]);
  expect((await certificateOf('json')).json<ErasureCertificate>().content.files).toEqual({ count: 3, bytes: 19 });
});

test('leaves no text of the client in the database but in its certificate', async () => {
  await fillClient(t, client, blobs());
  await confirmErasure(t, client, host, second);
  await seal();
  await erase(erasureDeps(t.db, blobs()), client);
  const [audit, organisation] = await runAs(
    t.database.ownerUrl,
    `select * from audit where organisation_id = ${client} order by id`,
    `select * from organisations where id = ${client}`,
  );
  expect(JSON.stringify([audit!.rows, organisation!.rows])).not.toMatch(/Secret|Coral/);
  expect(organisation!.rows[0]).toMatchObject({ name: `Erased client ${client}`, parent_id: partner });
  expect(audit!.rows.map(({ action }) => action)).toEqual(expect.arrayContaining(['tag.saved', 'erasure.finished']));
});

test('waits until the audit log is sealed', async () => {
  await fillClient(t, client, blobs());
  await confirmErasure(t, client, host, second);
  expect(await erase(erasureDeps(t.db, blobs()), client)).toBe(false);
  expect((await certificateOf('json')).statusCode).toBe(409);
  await seal();
  expect(await erase(erasureDeps(t.db, blobs()), client)).toBe(true);
});

test('stops under a legal hold, and refuses clients that are active, unconfirmed or erased', async () => {
  await fillClient(t, client, blobs());
  await expect(scoped(t.db, 'system', (tx) => sql`select * from erase_rows(${client}, 'tags', 10)`.execute(tx))).rejects.toThrow(
    /no confirmed erasure/,
  );
  await confirmErasure(t, client, host, second);
  await seal();
  await runAs(t.database.ownerUrl, `update organisations set held_since = now() where id = ${client}`);
  await expect(erase(erasureDeps(t.db, blobs()), client)).rejects.toThrow(/under legal hold/);
  await runAs(t.database.ownerUrl, `update organisations set held_since = null where id = ${client}`);
  const refused = await t.call(organisationsApi.reactivate, { params: { id: client } }, host);
  expect([refused.statusCode, refused.json().error]).toEqual([409, expect.stringContaining('can’t be reactivated')]);
  await erase(erasureDeps(t.db, blobs()), client);
  const body = { kind: 'hold', reason: 'Too late' } as const;
  expect((await t.call(retentionApi.request, { params: { client }, body }, host)).statusCode).toBe(409);
});

test('finds an order of deletion for every foreign key, and names circles', async () => {
  const { tables, references } = await readScoped(t.db, 'system', readCatalogue);
  const order = deletionOrder(tables, references);
  expect(order.toSorted()).toEqual(tables.toSorted());
  for (const { child, parent } of references)
    if (order.includes(child) && order.includes(parent)) expect(order.indexOf(child)).toBeLessThan(order.indexOf(parent));
  expect(() =>
    deletionOrder(
      ['a', 'b'],
      [
        { child: 'a', parent: 'b' },
        { child: 'b', parent: 'a' },
      ],
    ),
  ).toThrow(/in a circle: a, b/);
});

describe('verification of the audit log', () => {
  const broken = async () => (await verify()).broken?.text;
  /** As the owner of the database, with the true leaf. */
  const empty = async (position: number) => {
    const [link] = await readScoped(t.db, 'system', (tx) => listLinks(tx, 'system', client, { above: position - 1, limit: 1 }));
    await runAs(
      t.database.ownerUrl,
      `update audit_chain set erased_leaf = decode('${leafOf(link!.entry!, link!.salt)}', 'hex') where audit_id = ${link!.auditId}`,
    );
    const before = await broken();
    await runAs(
      t.database.ownerUrl,
      `update audit set target = '', before = null, after = null, address = '' where id = ${link!.auditId}`,
    );
    return before;
  };

  test('names content that was removed without an erasure, and content beside an erased leaf', async () => {
    await fillClient(t, client, blobs());
    await seal();
    expect(await broken()).toBeUndefined();
    expect(await empty(1)).toBe('the entry has content, but is marked as erased');
    expect(await broken()).toBe('entries have no content, but the organisation was not erased');
  });

  test('names content that was removed beyond the certificate, and a changed certificate', async () => {
    await fillClient(t, client, blobs());
    await confirmErasure(t, client, host, second);
    await seal();
    await erase(erasureDeps(t.db, blobs()), client);
    await seal();
    const { lastPosition, broken: before } = await verify();
    expect(before).toBeUndefined();
    await empty(lastPosition);
    expect(await broken()).toMatch(/\d+ entries have no content, but the certificate of the erasure names \d+/);
    await runAs(
      t.database.ownerUrl,
      `update erasures set certificate = jsonb_set(certificate, '{content,auditEntries}', '1000') where organisation_id = ${client}`,
    );
    expect(await broken()).toBe('the certificate of the erasure is not valid');
  });
});
