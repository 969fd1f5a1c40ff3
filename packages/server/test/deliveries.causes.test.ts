/** Each cause writes its delivery in its own transaction, through the services that people and jobs reach. */
import { randomUUID } from 'node:crypto';
import { bulkApi } from '@parapet/contract/bulk.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { reportsApi } from '@parapet/contract/reports.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import type { Peer } from '@parapet/world/peers/peer.ts';
import { startWebhook } from '@parapet/world/peers/webhook.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { movableClock, systemClock } from '../src/core/clock.ts';
import { scoped } from '../src/core/db/scope.ts';
import { silentLog } from '../src/core/log.ts';
import { createWatch } from '../src/features/cases/cases.watch.ts';
import { createCorrelationService } from '../src/features/correlation/correlation.service.ts';
import { createDecisioningService } from '../src/features/decisioning/decisioning.service.ts';
import { slaTimersNotified } from '../src/features/deliveries/deliveries.causes.ts';
import { sendDigests } from '../src/features/mail-subscriptions/mail-subscriptions.digests.ts';
import { createReportSchedules } from '../src/features/reports/reports.schedules.ts';
import { createSilenceService } from '../src/features/silence/silence.service.ts';
import { type TestApp, type TestUser, testApp } from './app.ts';
import { correlationFixture } from './correlation.fixture.ts';
import { type DeliveriesFixture, deliveriesFixture, everything } from './deliveries.fixture.ts';
import { seedRule } from './seed.ts';

let t: TestApp;
let d: DeliveriesFixture;
let hook: Peer;
let partner: number;
let client: number;
let target: number;
let analyst: TestUser;

beforeAll(async () => {
  hook = await startWebhook();
  t = await testApp();
  d = await deliveriesFixture([hook], { given: t.database });
});
afterAll(async () => {
  await d.close();
  await t.close();
  await hook.close();
});
beforeEach(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  ({ id: target } = await d.target(partner, hook));
  await d.rule(partner, everything(target));
});

const rows = async () => (await d.rows(target)).map(({ event, facts, client_id: of }) => ({ event, of, facts }));

test('queues a case that correlation opens, and its verdict', async () => {
  const rule = await seedRule(t.db, { title: 'Ransom notes', criticality: 5 });
  await correlationFixture(t).raised(client, [{ at: Date.now() - 60_000, rule, device: 'WS-1', user: 'ana' }]);
  await createCorrelationService({ db: t.db, log: silentLog }).run(client);
  const [opened] = await rows();
  expect(opened).toMatchObject({
    event: 'case.opened',
    of: client,
    facts: { criticality: 5, status: 'open', verdict: null, alerts: 1 },
  });
  const decisioning = createDecisioningService({
    db: t.db,
    clock: systemClock,
    lookUp: async () => [],
    writeProse: async () => undefined,
    log: silentLog,
  });
  await decisioning.run(client);
  const [first, alert, judged, ...others] = await d.rows(target);
  expect([first, alert, judged].map((row) => row!.event)).toEqual(['case.opened', 'alert.raised', 'case.verdict']);
  expect(others).toEqual([]);
  expect(alert!.facts).toMatchObject({ title: 'Ransom notes', case: first!.object_id });
  expect(judged!.facts.verdict).not.toBeNull();
});

test('queues each changed status of a case', async () => {
  const id = await d.case(client);
  const call = (caseStatus: 'investigating' | 'assigned' | 'open') =>
    t.call(casesApi.changeStatus, { body: { incidentID: id, caseStatus } }, analyst);
  expect((await call('investigating')).statusCode).toBe(200);
  expect((await call('assigned')).statusCode).toBe(200);
  expect(await rows()).toMatchObject([
    { event: 'case.statusChanged', of: client, facts: { previousStatus: 'open', status: 'investigating' } },
    { event: 'case.statusChanged', facts: { previousStatus: 'investigating', status: 'assigned' } },
  ]);
});

test('queues an acknowledgement, which names its person and channel and ends the escalation', async () => {
  await d.rule(partner, { ...everything(target), events: ['case.opened'], afterMinutes: 15 });
  const id = await d.case(client);
  await d.queue(client, { event: 'case.opened', objectId: id });
  const acknowledge = () => t.call(casesApi.acknowledge, { body: { incidentID: id } }, analyst);
  const [first, second] = [await acknowledge(), await acknowledge()];
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  expect(second.json().case.version).toBe(first.json().case.version);
  const detail = (await t.call(casesApi.detail, { params: { id, clientOrgId: client } }, analyst)).json();
  expect(detail.caseGeneralInfo.acknowledgement).toMatchObject({ by: 'Test Partner Analyst', channel: 'portal' });
  expect((await rows()).map(({ event }) => event)).toEqual(['case.opened', 'case.opened', 'case.acknowledged']);
  await d.update(target, `settings = '{"url": "${hook.url}/"}'`);
  d.clock.moveTo(Date.now() + 20 * 60_000);
  await d.worker().drain();
  expect((await d.rows(target)).map(({ state, unless_acknowledged: escalates }) => [escalates, state])).toContainEqual([
    true,
    'notNeeded',
  ]);
});

test('holds a bulk change while it may be undone, and removes what was undone', async () => {
  const worker = await testApp({ PORTAL_ROLES: 'worker,api' }, t.database);
  try {
    const ids = [await d.case(client), await d.case(client)];
    const range = { start: new Date(Date.now() - 3_600_000).toISOString(), end: new Date(Date.now() + 3_600_000).toISOString() };
    const body = {
      which: { ids, selectedClientOrganizationID: client, ...range },
      change: { do: 'status', caseStatus: 'investigating' },
    };
    const started = await t.call(bulkApi.cases, { body } as never, analyst);
    expect(started.statusCode, started.body).toBe(200);
    const { id } = started.json();
    const stateIs = async (state: string) => {
      for (let tries = 0; tries < 200; tries++) {
        if ((await t.call(bulkApi.get, { params: { id } } as never, analyst)).json().state === state) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`The job never became ${state}.`);
    };
    await stateIs('done');
    d.clock.moveTo(Date.now());
    await d.worker().drain();
    expect((await d.rows(target)).map(({ state, attempts }) => ({ state, attempts }))).toEqual([
      { state: 'queued', attempts: 0 },
      { state: 'queued', attempts: 0 },
    ]);
    expect((await t.call(bulkApi.undo, { params: { id } } as never, analyst)).statusCode).toBe(200);
    await stateIs('undone');
    expect(await rows()).toEqual([]);
  } finally {
    // The database goes on.
    await worker.application.close();
    await worker.db.close();
  }
});

test('queues a response that needs approval, without its note', async () => {
  const admin = await t.user({ organisationId: partner, role: 'Administrator' });
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('devices')
      .values({ id: randomUUID(), organisation_id: client, name: 'SRV-09', device_type: 'server', last_event_at: new Date() })
      .execute(),
  );
  const body = { clientOrganizationID: client, action: 'isolate' as const, target: 'SRV-09', note: 'secret note' };
  const answer = await t.call(responseRequestsApi.request, { body }, admin);
  expect(answer.statusCode, answer.body).toBe(200);
  const [row] = await rows();
  expect(row).toMatchObject({
    event: 'response.approvalNeeded',
    of: client,
    facts: { response: 'Isolation of SRV-09', case: null },
  });
  expect(JSON.stringify(row)).not.toContain('secret note');
});

test('queues a silent source once', async () => {
  const [deviceId, since] = [randomUUID(), new Date(Date.now() - 7_200_000)];
  await scoped(t.db, 'system', async (tx) => {
    await tx
      .insertInto('devices')
      .values({
        id: deviceId,
        organisation_id: client,
        name: 'FW-01',
        device_type: 'networkDevice',
        last_event_at: since,
        silent_since: since,
      })
      .execute();
    await tx.insertInto('device_silences').values({ organisation_id: client, device_id: deviceId, since }).execute();
  });
  const silence = createSilenceService({ db: t.db, clock: systemClock, take: async () => [], log: silentLog });
  await silence.watch(client);
  await silence.watch(client);
  expect(await rows()).toMatchObject([
    { event: 'source.silent', of: client, facts: { sources: ['FW-01'], count: 1, since: since.toISOString() } },
  ]);
});

test('queues a scheduled report once', async () => {
  const admin = await t.user({ organisationId: partner, role: 'Administrator' });
  const reader = await t.user({ organisationId: client, role: 'Analyst' });
  const body = { dayOfMonth: 5, recipients: [reader.email] };
  expect((await t.call(reportsApi.addSchedule, { params: { client }, body }, admin)).statusCode).toBe(200);
  await scoped(t.db, 'system', (tx) =>
    tx.updateTable('report_schedules').set({ last_month: '' }).where('organisation_id', '=', client).execute(),
  );
  const clock = movableClock(Date.parse('2026-11-05T09:00:00Z'));
  const schedules = createReportSchedules({
    db: t.db,
    clock,
    reports: {
      makePdf: async () => ({
        report: { clientOrganizationName: 'C', summary: [] } as never,
        bytes: Buffer.from('%PDF'),
        name: 'r.pdf',
      }),
    },
    blobs: { put: async () => {}, get: async () => undefined, remove: async () => {} },
    brand: d.deps.brand,
    outbox: { queue: async () => ({ id: 1, messageId: '<1@x>' }) },
    log: silentLog,
  });
  await schedules.sendDue();
  await schedules.sendDue();
  expect(await rows()).toMatchObject([{ event: 'report.ready', of: client, facts: { month: '2026-10' } }]);
});

test('queues each SLA timer at risk and missed once, and none if its transaction is undone', async () => {
  const id = await d.case(client, { criticality: 5, created_at: new Date(Date.now() - 2 * 3_600_000) });
  const at = new Date();
  const watch = (fails: boolean) =>
    createWatch({
      db: t.db,
      clock: movableClock(at.getTime()),
      onSlaNotified: async (tx, notified) => {
        await slaTimersNotified(tx, at, notified);
        if (fails) throw new Error('undone');
      },
    }).watchClocks();
  await expect(watch(true)).rejects.toThrow('undone');
  expect(await rows()).toEqual([]);
  await watch(false);
  await watch(false);
  expect(await rows()).toMatchObject([
    { event: 'case.slaWarning', of: client, facts: { timer: 'acknowledge', isMissed: true, criticality: 5 } },
  ]);
  expect((await d.rows(target))[0]!.object_id).toBe(id);
});

test('queues the weekly digest of each client once, also of a quiet week, and none of a partner', async () => {
  const quiet = await t.organisation({ parentId: partner });
  const at = new Date('2026-11-23T06:00:00Z');
  await d.case(client, { criticality: 5, created_at: new Date(at.getTime() - 3_600_000) });
  const mails = { originFor: async () => 'https://portal.example', send: async () => {} };
  await sendDigests(t.db, mails as never, 'week', at);
  await sendDigests(t.db, mails as never, 'week', at);
  await sendDigests(t.db, mails as never, 'day', at);
  expect(await rows()).toMatchObject([
    { event: 'digest.weekly', of: client, facts: { opened: 1, closed: 0, open: { critical: 1, high: 0 } } },
    { event: 'digest.weekly', of: quiet, facts: { opened: 0, minutesToClose: null } },
  ]);
});
