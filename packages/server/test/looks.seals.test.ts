/** Seals of the access log in the audit log, and the log in the hand-over archive. */
import { gunzipSync } from 'node:zlib';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { looksApi } from '@parapet/contract/looks.ts';
import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { shiftMs } from '@parapet/contract/rules/looks.ts';
import { unzipSync } from 'fflate';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { readScoped, scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { sealLooks } from '../src/domain/lookSeals.ts';
import { checkpointKey } from '../src/features/audit/chain.format.ts';
import { createAuditSealer } from '../src/features/audit/chain.sealer.ts';
import { verifyChain } from '../src/features/audit/chain.verify.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';

const range = {
  start: new Date(Date.now() - 2 * 86_400_000).toISOString(),
  end: new Date(Date.now() + 86_400_000).toISOString(),
};
const key = checkpointKey(Buffer.alloc(32, 7));

let t: TestApp;
let [partner, client, sibling] = [0, 0, 0];
let soc: TestUser;
let admin: TestUser;
beforeAll(async () => {
  t = await testApp();
  await t.organisation({ id: 1, isPartner: true, name: 'Provider' });
  partner = await t.organisation({ isPartner: true, parentId: 1 });
  [client, sibling] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  soc = await t.user({ organisationId: 1, role: 'Partner Analyst' });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
});
afterAll(() => t.close());

const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
/** Reads data of both clients; a reason for a view writes the looks. */
async function look() {
  for (const of of [client, sibling])
    expect((await t.call(alertsApi.list, { params: { client: of, ...range } }, soc)).statusCode).toBe(200);
  await t.call(looksApi.giveReason, { body: { reason: 'triage', view: 'archive' } }, soc);
}
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
const seal = () => system((tx) => sealLooks(tx, new Date()));
const verify = async () => {
  await createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog }).seal();
  return readScoped(
    t.db,
    'system',
    (tx) => verifyChain(tx, { organisationId: client, publicKey: key.publicKey, now: Date.now() }),
    {
      isolation: 'repeatable read',
    },
  );
};

test('seals an entry once it is closed, after which looks begin another one', async () => {
  await look();
  expect(await seal()).toBe(0);
  await end(shiftMs);
  // Late counts may follow.
  expect(await seal()).toBe(0);
  await end(16 * 60_000);
  expect(await seal()).toBe(2);
  expect(await seal()).toBe(0);
  const [sealed] = await rows();
  await system((tx) => sql`update access_looks set until = now() + interval '1 hour' where sealed_at is not null`.execute(tx));
  await look();
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
