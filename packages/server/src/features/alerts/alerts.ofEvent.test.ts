import { randomUUID } from 'node:crypto';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import pg from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type Seeded, type SeededCase, seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { packAlertEvents } from '../../domain/alertEvents.pack.ts';

const now = Date.now();
const eventAt = now - 3 * dayMs;

const t = useTestApp();
let client: number;
let elsewhere: number;
let analyst: TestUser;
let partnerAnalyst: TestUser;
let inCase: SeededCase;
let late: Seeded;
let theirs: Seeded;
const event = randomUUID();

const copyTo = ({ id, at }: Seeded, organisationId: number, eventId = event, copiedAt = eventAt, isRecent = false) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    tx
      .insertInto('alert_events')
      .values({
        organisation_id: organisationId,
        alert_id: id,
        alert_at: new Date(at),
        event_id: eventId,
        event_at: new Date(copiedAt),
        text: 'copy',
        why: JSON.stringify({ condition: '', items: [] }),
        document: JSON.stringify({}),
        is_recent: isRecent,
      })
      .execute(),
  );

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  elsewhere = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  const rule = await seedRule(t.db);
  const at = (ms: number) => ({ at: ms, rule });
  inCase = await seedCase(t.db, { organisationId: client, alerts: [at(eventAt - dayMs)] });
  [late] = (await seedAlerts(t.db, client, [at(eventAt + 60_000), at(eventAt)])) as [Seeded, Seeded];
  [theirs] = (await seedAlerts(t.db, elsewhere, [at(eventAt)])) as [Seeded];
  await copyTo(inCase.alerts[0]!, client);
  await copyTo(late, client);
  // The same event is no other one of this instant, and an ID is unique within an organisation only.
  await copyTo(late, client, randomUUID());
  await copyTo(theirs, elsewhere);
});

async function ofEvent(user: TestUser, client: number, id: string = event, at = eventAt) {
  const params = { client, event: id, at: new Date(at).toISOString() };
  return t.call(alertsApi.ofEvent, { params }, user);
}

test('lists the alerts with a copy of the event, newest first, with their cases', async () => {
  for (const [user, chosen] of [
    [analyst, client],
    [partnerAnalyst, 0],
  ] as const) {
    const answer = alertsApi.ofEvent.answer.parse((await ofEvent(user, chosen)).json());
    expect(answer.results.map(({ id, caseID }) => [id, caseID])).toEqual([
      [late.id, null],
      [inCase.alerts[0]!.id, inCase.id],
    ]);
  }
});

test('lists none of another organisation, of another event or of another instant', async () => {
  expect((await ofEvent(analyst, elsewhere)).statusCode).toBe(403);
  expect((await ofEvent(analyst, client, randomUUID())).json()).toEqual({ results: [] });
  expect((await ofEvent(analyst, client, event, eventAt + 1)).json()).toEqual({ results: [] });
});

test('lists an alert whose copy is packed between two statements of the call', async () => {
  const packed = randomUUID();
  await copyTo(late, client, packed, eventAt, true);
  const owner = new pg.Client({ connectionString: t.database.ownerUrl });
  await owner.connect();
  try {
    await owner.query('begin');
    await owner.query('lock table case_alerts in access exclusive mode');
    const answer = ofEvent(analyst, client, packed);
    const isWaiting = async () =>
      (await owner.query("select from pg_locks where relation = 'case_alerts'::regclass and not granted")).rowCount === 1;
    await vi.waitUntil(isWaiting, { timeout: 20_000 });
    expect(await packAlertEvents(t.db, Date.now() + 2 * 3_600_000, 60_000)).toBe(1);
    await owner.query('rollback');
    expect(alertsApi.ofEvent.answer.parse((await answer).json()).results.map(({ id }) => id)).toEqual([late.id]);
  } finally {
    await owner.end();
  }
});

test.each(['no-id', '1', "' or 1=1"])('rejects %s as an event', async (id) => {
  expect((await ofEvent(analyst, client, id)).statusCode).toBe(400);
});
