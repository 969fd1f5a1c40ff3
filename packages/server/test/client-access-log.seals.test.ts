/** Seals of the access log in the audit log, and the log in the hand-over archive. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { shiftMs } from '@parapet/contract/rules/client-access-log.ts';
import { unzipSync } from 'fflate';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { openBlobs } from '../src/core/blobs.ts';
import { systemClock } from '../src/core/clock.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { sealAccesses } from '../src/domain/accessSeals.ts';
import { recordAudit, systemAuditor } from '../src/domain/audit.ts';
import { checkpointKey } from '../src/features/audit/chain.format.ts';
import { createAuditSealer } from '../src/features/audit/chain.sealer.ts';
import { verifyAll, verifyChain } from '../src/features/audit/chain.verify.ts';
import { erase } from '../src/features/erasure/erasure.job.ts';
import { type TestUser, useTestApp } from './app.ts';
import { runAs } from './database.ts';
import { confirmErasure, erasureDeps } from './erasure.fixture.ts';

const range = {
  start: new Date(Date.now() - 2 * 86_400_000).toISOString(),
  end: new Date(Date.now() + 86_400_000).toISOString(),
};
const key = checkpointKey(Buffer.alloc(32, 7));

const t = useTestApp();
let [partner, client, sibling] = [0, 0, 0];
let soc: TestUser;
let admin: TestUser;
beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, parentId: 1 });
  [client, sibling] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  soc = await t.user({ organisationId: 1, role: 'Partner Analyst' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
});

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
/** Reads data of both clients; a reason for a view writes the accesses. */
async function readBoth() {
  for (const of of [client, sibling])
    expect((await t.call(alertsApi.list, { params: { client: of, ...range } }, soc)).statusCode).toBe(200);
  await t.call(clientAccessLogApi.giveReason, { body: { reason: 'triage', view: 'archive' } }, soc);
}
/** An entry that ended an hour ago. */
const insertAccess = (of: number) =>
  system((tx) =>
    sql`insert into access_looks (organisation_id, user_id, person_name, person_organisation_name, view, first_at, last_at, until, looks, kinds,
      channels, is_opened) select ${of}, ${soc.id}, 'SOC', 'Provider', '', e, e, e, 1, array['alerts'], array['portal'], true
      from (select now() - interval '1 hour' as e) e`.execute(tx),
  );
const end = (ms: number) =>
  system(async (tx) => {
    const by = sql`${sql.lit(ms)} * interval '1 ms'`;
    await sql`update access_shifts set started_at = started_at - ${by}, until = until - ${by} where until > now()`.execute(tx);
    await sql`update access_looks set first_at = first_at - ${by}, last_at = last_at - ${by}, until = until - ${by}
      where sealed_at is null`.execute(tx);
  });
const rows = (of = client) =>
  system((tx) =>
    tx.selectFrom('access_looks').select(['id', 'looks', 'sealed_at']).where('organisation_id', '=', of).orderBy('id').execute(),
  );
const seal = () => system((tx) => sealAccesses(tx, new Date()));
const verify = async (organisationId = client) => {
  await createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
  return readScoped(t.db, 'system', (tx) => verifyChain(tx, { organisationId, publicKey: key.publicKey, now: Date.now() }), {
    isolation: 'repeatable read',
  });
};

test('seals an entry once it is closed, after which accesses begin another one', async () => {
  await readBoth();
  expect(await seal()).toBe(0);
  await end(shiftMs);
  // Late counts may follow.
  expect(await seal()).toBe(0);
  await end(16 * 60_000);
  expect(await seal()).toBe(2);
  expect(await seal()).toBe(0);
  const [sealed] = await rows();
  await system((tx) => sql`update access_looks set until = now() + interval '1 hour' where sealed_at is not null`.execute(tx));
  await readBoth();
  expect(await rows()).toMatchObject([
    { ...sealed, looks: 1 },
    { looks: 1, sealed_at: null },
  ]);
  expect((await verify()).broken).toBeUndefined();
});

test('names an entry that was changed or removed after its seal', async () => {
  const [sealed] = await rows();
  const set = (values: object) =>
    system((tx) => tx.updateTable('access_looks').set(values).where('id', '=', sealed!.id).execute());
  for (const [change, back] of [
    [{ looks: 99 }, { looks: 1 }],
    [{ person_name: 'Mallory' }, { person_name: 'Test Partner Analyst' }],
    [{ reason: 'maintenance' }, { reason: null }],
    // Of another organisation, so that its name would be shown.
    [{ user_id: admin.id }, { user_id: soc.id }],
  ]) {
    await set(change!);
    expect((await verify()).broken).toMatchObject({
      kind: 'edited',
      text: expect.stringContaining(`entry ${sealed!.id} of the access log`),
    });
    await set(back!);
    expect((await verify()).broken).toBeUndefined();
  }
  // The portal’s role deletes none; the owner of the database does.
  await expect(system((tx) => sql`delete from access_looks where id = ${sealed!.id}`.execute(tx))).rejects.toThrow(
    /permission denied/,
  );
  const removed = async (id: number) => {
    await runAs(
      t.database.ownerUrl,
      `create table removed_look as select * from access_looks where id = ${id}`,
      `delete from access_looks where id = ${id}`,
    );
    const { broken } = await verify();
    await runAs(
      t.database.ownerUrl,
      'insert into access_looks overriding system value select * from removed_look',
      'drop table removed_look',
    );
    return broken;
  };
  expect(await removed(sealed!.id)).toMatchObject({
    kind: 'removed',
    text: `entry ${sealed!.id} of the access log was removed after it was sealed`,
  });
  expect((await verify()).broken).toBeUndefined();
});

test('seals nothing of a client that is being erased, whose removed entries break no chain', async () => {
  const erased = await t.organisation({ parentId: partner, name: 'Coral' });
  const [host, second] = [await t.user({ organisationId: 1, role: 'Host' }), await t.user({ organisationId: 1, role: 'Host' })];
  const seals = () =>
    system((tx) =>
      tx.selectFrom('audit').select('id').where('organisation_id', '=', erased).where('action', '=', 'looks.sealed').execute(),
    );
  await insertAccess(erased);
  await confirmErasure(t, erased, host, second);
  expect(await seal()).toBe(0);
  expect(await seals()).toEqual([]);
  // A job that began before the erasure was confirmed, and wrote its entry after.
  await system(async (tx) => {
    await sql`update organisations set erased_at = null where id = ${erased}`.execute(tx);
    expect(await sealAccesses(tx, new Date())).toBe(1);
    await sql`update organisations set erased_at = now() where id = ${erased}`.execute(tx);
  });
  await createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
  const folder = await mkdtemp(join(tmpdir(), 'access-log-'));
  expect(await erase(erasureDeps(t.db, openBlobs(undefined, folder)), erased)).toBe(true);
  await rm(folder, { recursive: true });
  expect(await rows(erased)).toEqual([]);
  expect(await seals()).toHaveLength(1);
  expect((await verify(erased)).broken).toBeUndefined();
});

test.each([
  ['a number of entries', { entries: 5 }],
  ['no entries', {}],
  ['an entry that is a number', { entries: [7] }],
  ['another kind of ID', { entries: [{ id: 'x', lastAt: new Date().toISOString(), sha256: '' }] }],
  ['an ID out of range', { entries: [{ id: 1e30, lastAt: new Date().toISOString(), sha256: '' }] }],
  ['another kind of time', { entries: [{ id: 1, lastAt: 'tomorrow', sha256: '' }] }],
])('names a malformed seal: %s', async (_, after) => {
  const of = await t.organisation({ parentId: partner });
  await system((tx) => recordAudit(tx, systemAuditor(of), { action: 'looks.sealed', organisationId: of, after: after as never }));
  expect((await verify(of)).broken).toMatchObject({
    kind: 'edited',
    entryId: expect.any(Number),
    text: expect.stringContaining('is no well-formed seal of the access log'),
  });
});

test('verifies the logs after one that cannot be verified, and fails in the end', async () => {
  const [first, later] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  for (const of of [first, later]) await insertAccess(of);
  expect(await seal()).toBe(2);
  await createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
  // A fault of the database at rows of the first.
  await runAs(
    t.database.ownerUrl,
    `create policy fault on access_looks as restrictive using (1 / (organisation_id - ${first}) >= -1)`,
  );
  await expect(verifyAll({ db: t.db, clock: systemClock, publicKey: key.publicKey, log: silentLog })).rejects.toThrow(
    '1 audit logs could not be verified',
  );
  await runAs(t.database.ownerUrl, 'drop policy fault on access_looks');
  const verified = await system((tx) =>
    tx.selectFrom('audit_verifications').select('organisation_id').where('organisation_id', 'in', [first, later]).execute(),
  );
  expect(verified).toEqual([{ organisation_id: later }]);
});

test('enters the hand-over archive with its digests and without names that the client may not know', async () => {
  const answer = await t.call(
    offboardingApi.archive,
    { params: { client } },
    await t.user({ organisationId: partner, role: 'Administrator' }),
  );
  expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200);
  const file = unzipSync(answer.rawPayload)['access-log/00001.ndjson.gz']!;
  const entries = gunzipSync(file)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toMatchObject([
    { person: 'SOC Analyst', requests: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { person: 'SOC Analyst', requests: 1, sha256: null },
  ]);
  const { after } = await system((tx) =>
    tx
      .selectFrom('audit')
      .select('after')
      .where('organisation_id', '=', client)
      .where('action', '=', 'looks.sealed')
      .executeTakeFirstOrThrow(),
  );
  expect(after).toEqual({ entries: [{ id: entries[0]!.id, lastAt: expect.any(String), sha256: entries[0]!.sha256 }] });
  expect(admin.organisationId).toBe(client);
});
