import { type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ageSessions, type TestUser, useTestApp } from '../../../test/app.ts';
import { changedAccount } from '../../../test/database.ts';
import { eventRows, putEvents } from '../../../test/storedEvents.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createRetentionService } from './retention.service.ts';

const t = useTestApp();
let partner: number;
let client: number;
let host: TestUser;
let second: TestUser;
let partnerAdmin: TestUser;
let clientAdmin: TestUser;
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

beforeAll(async () => {
  await t.organisation({ isPartner: true, id: 1 });
  host = await t.user({ organisationId: 1, role: 'Host' });
  second = await t.user({ organisationId: 1, role: 'Host' });
  partner = await t.organisation({ isPartner: true });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
});
beforeEach(async () => {
  await scoped(t.db, 'system', (tx) =>
    sql`select make_partitions(${daysAgo(100).toISOString().slice(0, 10)}::date, ${daysAgo(0).toISOString().slice(0, 10)}::date)`.execute(
      tx,
    ),
  );
  client = await t.organisation({ parentId: partner, name: 'Coral Foods' });
  clientAdmin = await t.user({ organisationId: client, role: 'Administrator' });
});

const stateOf = async (user = host): Promise<RetentionState> =>
  (await t.call(retentionApi.get, { params: { client } }, user)).json();
const save = (eventRetentionDays: number | null, archiveMonths: number | null, user = partnerAdmin) =>
  t.call(retentionApi.save, { params: { client }, body: { eventRetentionDays, archiveMonths } }, user);
const limit = (minEventDays: number, maxEventDays: number | null, maxArchiveMonths = 84, user = host) =>
  t.call(retentionApi.saveLimits, { body: { minEventDays, maxEventDays, maxArchiveMonths } }, user);
const send = (kind: 'hold' | 'lift' | 'erase', user = host) =>
  t.call(retentionApi.request, { params: { client }, body: { kind, reason: 'Case 4 O 12/26' } }, user);
const decide = (id: number, isConfirmed = true, user = second) =>
  t.call(retentionApi.decide, { params: { client, id }, body: { isConfirmed } }, user);
const put = (...days: number[]) =>
  scoped(t.db, 'system', (tx) =>
    putEvents(
      tx,
      client,
      days.map((each) => ({ at: daysAgo(each), text: `${each} days` })),
    ),
  );
const left = () => scoped(t.db, 'system', async (tx) => (await eventRows(tx, client)).map(({ text }) => text));
const drop = () =>
  createRetentionService({
    db: t.db,
    clock: systemClock,
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  }).dropOld();
const actionsOf = () =>
  scoped(t.db, 'system', async (tx) =>
    (await tx.selectFrom('audit').select('action').where('organisation_id', '=', client).orderBy('id').execute()).map(
      ({ action }) => action,
    ),
  );

describe('retention of raw events', () => {
  test('accepts what the limits of the Host allow, with an audit entry, and the job obeys it', async () => {
    await put(6, 40, 70);
    expect((await limit(5, 60)).statusCode).toBe(200);
    expect((await save(61, 85)).json().errors).toEqual({
      eventRetentionDays: ['Enter 5 to 60 days.'],
      archiveMonths: ['Enter at most 84 months.'],
    });
    expect((await save(4, null)).statusCode).toBe(400);
    expect((await save(60, null)).json()).toMatchObject({ applied: { eventDays: 60, archiveMonths: 0 } });
    await drop();
    expect(await left()).toEqual(['40 days', '6 days']);
    await save(5, null);
    await drop();
    expect(await left()).toEqual([]);
    expect(await actionsOf()).toEqual(['retention.saved', 'retention.saved']);
    await limit(1, null);
  });

  test('follows limits that are narrowed later', async () => {
    await limit(1, 90);
    await save(90, null);
    await limit(1, null);
    expect((await stateOf()).applied.eventDays).toBe(30);
    await limit(45, 90);
    await save(null, null);
    expect((await stateOf()).applied.eventDays).toBe(45);
    await limit(1, null);
  });

  test('shows what is kept: oldest, size and growth', async () => {
    expect((await stateOf(clientAdmin)).kept).toEqual({ events: 0, oldest: null, bytes: 0, bytesPerDay: null });
    await put(2, 20);
    const { kept, applied, disk } = await stateOf(clientAdmin);
    expect(kept).toMatchObject({ events: 2, bytes: expect.any(Number), bytesPerDay: expect.any(Number) });
    expect(Date.parse(kept.oldest!)).toBeCloseTo(daysAgo(20).getTime(), -4);
    expect(kept.bytes).toBeGreaterThan(100);
    // One of two blocks of about equal size arrived within seven days.
    expect(kept.bytesPerDay! * 14).toBeGreaterThan(kept.bytes * 0.8);
    expect(kept.bytesPerDay! * 14).toBeLessThan(kept.bytes * 1.2);
    expect([applied.eventDays, disk]).toEqual([30, null]);
  });

  test('lists what is kept of every organisation in scope', async () => {
    const other = await t.organisation({ isPartner: true });
    await put(2, 20);
    await save(12, 3);
    const rowsOf = async (user: TestUser) =>
      (await t.call(retentionApi.list, {}, user)).json().results as { clientOrganizationID: number }[];
    const rows = await rowsOf(partnerAdmin);
    expect(rows.find(({ clientOrganizationID }) => clientOrganizationID === client)).toMatchObject({
      ...(await stateOf()).kept,
      clientOrganizationName: 'Coral Foods',
      eventDays: 12,
      archiveMonths: 3,
      archiveBytes: 0,
      isHeld: false,
    });
    expect(rows.some(({ clientOrganizationID }) => clientOrganizationID === other)).toBe(false);
    expect((await rowsOf(host)).some(({ clientOrganizationID }) => clientOrganizationID === other)).toBe(true);
    expect((await t.call(retentionApi.list, {}, clientAdmin)).statusCode).toBe(403);
  });

  test('returns 403 to others, and for limits to all but the provider’s Host', async () => {
    for (const user of [clientAdmin, await t.user({ organisationId: partner, role: 'Analyst' })])
      expect((await save(7, null, user)).statusCode).toBe(403);
    const elsewhere = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
    expect((await save(7, null, elsewhere)).statusCode).toBe(403);
    const partnersHost = await t.user({ organisationId: partner, role: 'Host' });
    for (const user of [partnerAdmin, partnersHost]) expect((await limit(1, null, 84, user)).statusCode).toBe(403);
    expect((await limit(31, null)).json().errors).toEqual({ minEventDays: ['Enter at most 30, the greatest number of days.'] });
  });
});

describe('a legal hold', () => {
  test('protects from its request on, and until a second person confirms its end', async () => {
    await put(40);
    expect((await send('hold')).statusCode).toBe(200);
    await drop();
    expect(await left()).toEqual(['40 days']);
    const { request } = await stateOf(second);
    expect(request).toMatchObject({ kind: 'hold', reason: 'Case 4 O 12/26', requestedBy: 'Test Host', refusal: null });
    expect((await decide(request!.id)).json()).toMatchObject({ hold: { reason: 'Case 4 O 12/26' }, request: null });
    await drop();
    expect(await left()).toEqual(['40 days']);
    const ended = (await send('lift')).json<RetentionState>().request!;
    await drop();
    expect(await left()).toEqual(['40 days']);
    expect((await decide(ended.id)).json()).toMatchObject({ hold: null });
    await drop();
    expect(await left()).toEqual([]);
    expect(await actionsOf()).toEqual([
      'retention.holdRequested',
      'retention.holdConfirmed',
      'retention.liftRequested',
      'retention.liftConfirmed',
    ]);
  });

  test('keeps whole months that would be dropped, while others’ events in them go', async () => {
    const other = await t.organisation({ parentId: partner });
    await put(95);
    await scoped(t.db, 'system', (tx) => putEvents(tx, other, [{ at: daysAgo(95), text: 'of another' }]));
    await decide((await send('hold')).json<RetentionState>().request!.id);
    await drop();
    expect(await left()).toEqual(['95 days']);
    expect(await scoped(t.db, 'system', (tx) => eventRows(tx, other))).toEqual([]);
    await expect(
      scoped(t.db, 'system', (tx) => sql`select remove_over_age('event_blocks', ${client}, ${daysAgo(30)}, 100)`.execute(tx)),
    ).rejects.toThrow(/under legal hold/);
  });

  test('takes no confirmation by the requester, who can withdraw it, or by a new account', async () => {
    const { id } = (await send('hold')).json<RetentionState>().request!;
    expect((await stateOf()).request?.refusal).toBe('You requested it yourself. Needs a different approver.');
    expect((await decide(id, true, host)).statusCode).toBe(403);
    const young = await t.user({ organisationId: 1, role: 'Host', ageMs: 3_600_000 });
    expect((await decide(id, true, young)).json().error).toMatch(/less than 24 hours old/);
    expect((await send('hold')).statusCode).toBe(409);
    expect((await decide(id, false, host)).json()).toMatchObject({ request: null, hold: null });
    expect((await decide(id)).statusCode).toBe(404);
    const other = (await send('hold')).json<RetentionState>().request!.id;
    client = await t.organisation({ parentId: partner, name: 'Amber Foods' });
    expect((await decide(other)).statusCode).toBe(404);
    await send('hold');
    expect((await decide(other)).statusCode).toBe(404);
  });

  test('takes no confirmation by the person who created the account of the requester, or for an account that was deleted', async () => {
    const made = await t.user({ organisationId: 1, role: 'Host' });
    const { id } = (await send('hold', made)).json<RetentionState>().request!;
    await changedAccount(t.database.ownerUrl, second, made, 29);
    const text = 'You created, invited or changed the account that requested it';
    expect((await stateOf(second)).request?.refusal).toContain(text);
    const answer = await decide(id);
    expect([answer.statusCode, answer.json().error]).toEqual([403, expect.stringContaining(text)]);
    const setDeleted = (isDeleted: boolean) =>
      scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: isDeleted }).where('id', '=', made.id).execute());
    await setDeleted(true);
    expect((await decide(id, true, host)).json().error).toBe('The account that requested it was deleted. Request it again.');
    await setDeleted(false);
    expect((await decide(id, true, host)).json()).toMatchObject({ hold: { reason: 'Case 4 O 12/26' } });
  });

  test('needs a fresh second factor and the Host, and stays hidden from the client', async () => {
    for (const user of [partnerAdmin, clientAdmin]) expect((await send('hold', user)).statusCode).toBe(403);
    const stale = await t.user({ organisationId: 1, role: 'Host' });
    await ageSessions(t, stale.id);
    expect((await send('hold', stale)).json()).toMatchObject({ stepUp: expect.any(Array) });
    const { id } = (await send('hold')).json<RetentionState>().request!;
    expect((await stateOf(clientAdmin)).request).toBeNull();
    expect((await decide(id, true, partnerAdmin)).statusCode).toBe(200);
    expect(await stateOf(clientAdmin)).toMatchObject({ hold: null, request: null });
    // The provider’s staff have no names for a partner.
    expect((await stateOf(partnerAdmin)).hold?.by).toBe('SOC Analyst');
  });

  test('refuses what does not apply', async () => {
    expect((await send('lift')).json().error).toBe('Coral Foods is not under legal hold.');
    expect((await send('erase')).json().error).toMatch(/still active/);
    client = partner;
    expect((await send('hold')).statusCode).toBe(409);
  });
});
