/** Counts of a client's month, on a real database, with a clock that the test moves. */
import { randomUUID } from 'node:crypto';
import { billingApi as api } from '@parapet/contract/billing.ts';
import { billedCounts, gigabytesOf, isOverdue, monthAfter } from '@parapet/contract/rules/billing.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { insertMarks, newWords } from '../isolation/isolation.marks.ts';
import { countDue, countOrganisation } from './billing.counts.ts';

const t = useTestApp();
let partner: number;
let partnerAdmin: TestUser;
const clock = movableClock(Date.parse('2026-10-20T10:00:00Z'));
const moveTo = (at: string) => clock.moveTo(Date.parse(at));

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true }).catch(() => 1);
  partner = await t.organisation({ isPartner: true });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const count = (client: number) => countOrganisation({ db: t.db, clock }, client);
const newClient = (name?: string) => t.organisation({ parentId: partner, ...(name && { name }) });

async function device(client: number, name: string, day: string, more: { type?: string; agent?: boolean } = {}): Promise<string> {
  const id = randomUUID();
  await system(async (tx) => {
    await tx
      .insertInto('devices')
      .values({ id, organisation_id: client, name, device_type: more.type ?? 'server' })
      .execute();
    await sql`insert into device_days (organisation_id, day, device_id) values (${client}, ${day}::date, ${id}) on conflict do nothing`.execute(
      tx,
    );
    if (more.agent)
      await tx
        .insertInto('agents')
        .values({
          organisation_id: client,
          device_id: id,
          machine_id: randomUUID(),
          key_hash: Buffer.from(randomUUID()),
          platform: 'linux-x64',
          version: '1.0.0',
        })
        .execute();
  });
  return id;
}

/** A connection that lists a device and users. */
async function connection(
  client: number,
  kind: string,
  listed: { device?: string; seen?: string; users?: string[] },
): Promise<void> {
  await system(async (tx) => {
    const name = `${kind} ${randomUUID()}`;
    const { id } = await tx
      .insertInto('connections')
      .values({ organisation_id: client, kind, name, account: name, settings: '{}', secrets: Buffer.from('x') })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (listed.device)
      await sql`insert into connection_devices (organisation_id, connection_id, vendor_id, name, os, device_id, last_seen_at, read_at)
        values (${client}, ${id}, ${randomUUID()}, 'x', '', ${listed.device}, ${listed.seen}, now())`.execute(tx);
    for (const [place, user] of (listed.users ?? []).entries())
      await sql`insert into connection_users (organisation_id, connection_id, vendor_id, name, has_mailbox, read_at)
        values (${client}, ${id}, ${randomUUID()}, ${user}, ${place === 0 && kind === 'entra'}, now())`.execute(tx);
  });
}

const rowOf = async (client: number, month: string) => {
  const answer = await t.call(api.list, { params: { client }, query: { month } }, partnerAdmin);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().results[0];
};
const itemsOf = async (client: number, month: string) => {
  const input = { params: { client }, query: { month, page: 1, pageSize: 200 } };
  return (await t.call(api.items, input, partnerAdmin)).json().results as { name: string; sources: string[]; kind: string }[];
};

describe('counts', () => {
  test('counts a device once that agent, endpoint protection and events show', async () => {
    moveTo('2026-10-20T10:00:00Z');
    const client = await newClient();
    const retained = await device(client, 'SRV-01', '2026-10-03', { agent: true });
    await connection(client, 'crowdstrike', { device: retained, seen: '2026-10-19T08:00:00Z' });
    const alias = await device(client, 'srv-01.alder.example', '2026-10-05');
    await connection(client, 'sentinelone', { device: alias, seen: '2026-10-18T08:00:00Z' });
    await device(client, 'PC-07', '2026-10-11', { type: 'workstation' });
    await device(client, 'Firewall', '2026-10-11', { type: 'networkDevice' });
    await device(client, 'setup-test-abcd', '2026-10-11');
    await device(client, 'OLD-01', '2026-09-30');
    await count(client);
    expect((await rowOf(client, '2026-10')).counts).toMatchObject({ devices: 3, servers: 2, workstations: 1, users: null });

    await system((tx) => tx.updateTable('devices').set({ merged_into: retained }).where('id', '=', alias).execute());
    await count(client);
    expect((await rowOf(client, '2026-10')).counts).toMatchObject({ devices: 2, servers: 1, workstations: 1 });
    expect(await itemsOf(client, '2026-10')).toEqual([
      expect.objectContaining({
        name: 'SRV-01',
        sources: ['agent', 'crowdstrike', 'sentinelone'],
        firstDay: '2026-10-03',
        lastDay: '2026-10-19',
      }),
      expect.objectContaining({ name: 'PC-07', sources: ['events'] }),
    ]);
  });

  test('counts a user of several directories once, and leaves who leaves within the month', async () => {
    moveTo('2026-10-20T10:00:00Z');
    const client = await newClient();
    await connection(client, 'entra', { users: ['mara@alder.example', 'jonas@alder.example'] });
    await connection(client, 'okta', { users: ['mara@alder.example', 'ines@alder.example'] });
    await count(client);
    expect((await rowOf(client, '2026-10')).counts).toMatchObject({ users: 3, mailboxes: 1 });
    await system((tx) => tx.deleteFrom('connection_users').where('name', '=', 'ines@alder.example').execute());
    await count(client);
    expect((await rowOf(client, '2026-10')).counts).toMatchObject({ users: 3 });
    moveTo('2026-11-20T10:00:00Z');
    await count(client);
    expect((await rowOf(client, '2026-11')).counts).toMatchObject({ users: 2 });
    const readAt = new Date('2026-11-15T10:00:00Z');
    await system((tx) =>
      tx.updateTable('connection_users').set({ read_at: readAt }).where('organisation_id', '=', client).execute(),
    );
    moveTo('2026-12-20T10:00:00Z');
    await count(client);
    expect((await rowOf(client, '2026-12')).counts).toMatchObject({ users: null });
  });

  test('closes the last month of a client that left, and counts no later one', async () => {
    moveTo('2026-10-20T10:00:00Z');
    const client = await newClient();
    await device(client, 'SRV-01', '2026-10-03');
    await count(client);
    const deactivatedAt = new Date('2026-10-25T10:00:00Z');
    await system((tx) =>
      tx.updateTable('organisations').set({ deactivated_at: deactivatedAt }).where('id', '=', client).execute(),
    );
    await device(client, 'SRV-02', '2026-10-24');
    moveTo('2026-11-05T10:00:00Z');
    await countDue({ db: t.db, clock });
    const months = await system((tx) =>
      tx.selectFrom('billing_months').select(['servers', 'closed_at']).where('organisation_id', '=', client).execute(),
    );
    expect(months).toEqual([{ servers: 2, closed_at: expect.any(Date) }]);
  });

  test('counts what was stored in whole gigabytes', async () => {
    const client = await newClient();
    const key = await t.ingestKey(client);
    const event = { message: 'x'.repeat(1_000), host: { name: 'SRV-01' } };
    await t.send(key, [event]);
    const read = () => system((tx) => tx.selectFrom('ingest_bytes').selectAll().where('organisation_id', '=', client).execute());
    const [{ bytes } = { bytes: 0 }] = await read();
    expect(Number(bytes)).toBeGreaterThan(1_000);
    expect(Number(bytes)).toBeLessThan(1_200);
    await t.send(key, [event]);
    expect(Number((await read())[0]?.bytes)).toBe(Number(bytes));
    expect([0, 1, 1_000_000_000, 1_000_000_001].map(gigabytesOf)).toEqual([0, 1, 1, 2]);
  });

  test('leaves the marked objects of the isolation probe out', async () => {
    moveTo('2026-10-20T10:00:00Z');
    const client = await newClient();
    await device(client, 'SRV-01', '2026-10-03');
    await count(client);
    const before = (await rowOf(client, '2026-10')).counts;
    const words = newWords();
    await system((tx) => insertMarks(tx, client, words, new Date('2026-12-01T00:00:00Z')));
    await count(client);
    expect((await rowOf(client, '2026-10')).counts).toEqual(before);
    expect(JSON.stringify(await itemsOf(client, '2026-10'))).not.toContain(words.name);
  });
});

describe('months', () => {
  test('closes a month two days after its end, and never changes it again', async () => {
    moveTo('2026-10-31T10:00:00Z');
    const client = await newClient();
    await device(client, 'SRV-01', '2026-10-30');
    await count(client);
    moveTo('2026-11-02T23:00:00Z');
    await device(client, 'SRV-02', '2026-10-31');
    await count(client);
    expect(await rowOf(client, '2026-10')).toMatchObject({ counts: { servers: 2 }, closedAt: null });
    moveTo('2026-11-03T01:00:00Z');
    await count(client);
    const closed = await rowOf(client, '2026-10');
    expect(closed).toMatchObject({ counts: { servers: 2 }, closedAt: '2026-11-03T01:00:00.000Z' });
    await device(client, 'SRV-03', '2026-10-31');
    moveTo('2026-11-09T01:00:00Z');
    await count(client);
    expect(await rowOf(client, '2026-10')).toEqual(closed);
    for (const change of [
      sql`update billing_months set servers = 9 where organisation_id = ${client} and month = '2026-10-01'`,
      sql`update billing_items set name = 'x' where organisation_id = ${client} and month = '2026-10-01'`,
      sql`insert into billing_items (organisation_id, month, key, kind, name, sources, first_day, last_day)
        values (${client}, '2026-10-01', 'device:x', 'server', 'x', '{}', '2026-10-01', '2026-10-01')`,
    ])
      await expect(system((tx) => change.execute(tx))).rejects.toThrow('the month is closed');
  });

  test('keeps a correction as a line of its own, on the screen and in the CSV', async () => {
    moveTo('2026-09-20T10:00:00Z');
    const client = await newClient('=Reef "Charter"');
    await device(client, 'SRV-01', '2026-09-03');
    await count(client);
    const correct = (amount: number, reason = 'Counted twice before a merge') =>
      t.call(api.correct, { params: { client }, body: { month: '2026-09', measure: 'servers', amount, reason } }, partnerAdmin);
    expect((await correct(-1)).statusCode).toBe(409);
    moveTo('2026-10-03T01:00:00Z');
    await count(client);
    expect((await correct(0)).statusCode).toBe(400);
    expect((await correct(4)).statusCode).toBe(200);
    expect((await correct(-1, '=SUM(A1)')).statusCode).toBe(200);
    const row = await rowOf(client, '2026-09');
    expect(row.counts.servers).toBe(1);
    expect(row.corrections).toMatchObject([{ amount: 4 }, { amount: -1, reason: '=SUM(A1)' }]);
    expect(billedCounts(row.counts, row.corrections)).toMatchObject({ servers: 4, devices: 4, workstations: 0 });
    const csv = (await t.call(api.csv, { params: { client }, query: { month: '2026-09' } }, partnerAdmin)).body;
    const lines = csv.trim().split('\r\n').slice(1);
    expect(lines).toEqual([
      `"2026-09","'=Reef ""Charter""","Monitor","Closed","Count",1,1,0,,,0,""`,
      `"2026-09","'=Reef ""Charter""","Monitor","Closed","Correction",4,4,,,,,"Counted twice before a merge"`,
      `"2026-09","'=Reef ""Charter""","Monitor","Closed","Correction",-1,-1,,,,,"'=SUM(A1)"`,
    ]);
    await expect(
      system((tx) => sql`update billing_corrections set amount = 9 where organisation_id = ${client}`.execute(tx)),
    ).rejects.toThrow('permission denied');
  });

  test('counts months back for an organisation that is counted first', async () => {
    moveTo('2026-11-20T10:00:00Z');
    const client = await newClient();
    await device(client, 'SRV-01', '2026-08-03');
    await device(client, 'SRV-02', '2025-08-03');
    await count(client);
    expect(await rowOf(client, '2026-08')).toMatchObject({ counts: { servers: 1 }, closedAt: expect.any(String) });
    expect(await rowOf(client, '2025-08')).toBeUndefined();
  });

  test('counts every hour', async () => {
    moveTo('2026-11-20T10:00:00Z');
    const client = await newClient();
    const run = () => countDue({ db: t.db, clock });
    await run();
    const first = (await rowOf(client, '2026-11')).countedAt;
    clock.moveTo(clock.now() + 59 * 60_000);
    await run();
    expect((await rowOf(client, '2026-11')).countedAt).toBe(first);
    clock.moveTo(clock.now() + 2 * 60_000);
    await run();
    expect((await rowOf(client, '2026-11')).countedAt).not.toBe(first);
  });

  test('ends months by UTC', () => {
    expect([monthAfter('2026-12'), monthAfter('2026-01', -1), monthAfter('2026-11', -12)]).toEqual([
      '2027-01',
      '2025-12',
      '2025-11',
    ]);
    const end = Date.parse('2026-11-03T00:00:00Z');
    expect([isOverdue('2026-10', end - 1), isOverdue('2026-10', end)]).toEqual([false, true]);
  });
});

describe('access', () => {
  test('refuses clients’ administrators, analysts and other partners', async () => {
    const client = await newClient();
    const other = await t.organisation({ isPartner: true });
    const users = [
      await t.user({ organisationId: client, role: 'Administrator' }),
      await t.user({ organisationId: partner, role: 'Partner Analyst' }),
      await t.user({ organisationId: other, role: 'Administrator' }),
    ];
    for (const user of users)
      expect((await t.call(api.list, { params: { client }, query: { month: '2026-10' } }, user)).statusCode).toBe(403);
  });
});
