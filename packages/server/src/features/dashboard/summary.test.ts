import { casesApi } from '@parapet/contract/cases.ts';
import { type ClientSummary, dashboardApi } from '@parapet/contract/dashboard.ts';
import { devicesApi } from '@parapet/contract/devices.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { openStatuses } from '@parapet/contract/rules/cases.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedCase, seedMonths } from '../../../test/seed.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped } from '../../core/db/scope.ts';
import { countSummary, listBlind, listIncidents, listQuestions, listStory } from './summary.store.ts';

const now = Date.now();
const instant = (ago: number) => new Date(now - ago).toISOString();
const range = { start: instant(10 * dayMs), end: instant(-hourMs) };
const ago = (days: number) => new Date(now - days * dayMs);
const ids: Record<string, number> = {};
const t = useTestApp();
let client: number;
let sibling: number;
let manager: TestUser;
let administrator: TestUser;
let partnerAnalyst: TestUser;

beforeAll(async () => {
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner });
  sibling = await t.organisation({ parentId: partner });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  administrator = await t.user({ organisationId: client, role: 'Administrator' });
  partnerAnalyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  await seedMonths(t.db, now - 60 * dayMs, now);
  const aCase = async (name: string, days: number, set: object, more: object = {}) => {
    const { id } = await seedCase(t.db, {
      organisationId: client,
      at: now - days * dayMs,
      set: { title: name, ...set },
      ...more,
    });
    ids[name] = id;
  };
  await aCase('incident', 40, { status: 'malicious', analyst_name: 'Secret Analyst' }, { criticality: 5 });
  await aCase('attack', 6, {
    status: 'closed',
    closed_at: ago(5),
    investigation_status: 6,
    device_names: ['host-1', 'host-2', 'host-3', 'host-4'],
    user_names: ['ada'],
  });
  await aCase('harmless', 4, { status: 'closed', closed_at: ago(3), investigation_status: 4 });
  await aCase('question', 3, { status: 'escalated', investigation_status: 3, waiting_since: ago(2), wait_expires_at: ago(-1) });
  await aCase('expired', 2, { investigation_status: 3, waiting_since: ago(2), wait_expires_at: ago(1) });
  await aCase('refuted', 1, { status: 'closed', closed_at: ago(0), investigation_status: 6, resolution: 'falsePositive' });
  await aCase('suspected', 50, { verdict: 'Malicious', confidence: 94 });
  await seedCase(t.db, { organisationId: sibling, at: now - dayMs, set: { status: 'malicious' } });
  await scoped(t.db, 'system', async (tx) => {
    const response = (state: string, days: number, action = 'isolate', target = 'host-1') =>
      insertRow(tx, 'responses', {
        organisation_id: client,
        case_id: ids.attack!,
        action,
        target,
        state,
        requested_at: ago(days),
        expires_at: ago(-1),
        requested_by_name: 'Secret Analyst',
      } as never);
    await response('verified', 6);
    await response('acknowledged', 5, 'blockUser', 'ada');
    await response('released', 4, 'isolate', 'host-2');
    await response('requested', 30, 'isolate', 'host-3');
    const device = (name: string, device_type: string, days: number | null) =>
      insertRow(tx, 'devices', {
        organisation_id: client,
        name,
        device_type,
        last_event_at: days === null ? null : ago(days),
      } as never);
    await device('w-silent', 'workstation', 20);
    await device('s-silent', 'server', 10);
    await device('w-never', 'workstation', null);
    await device('w-live', 'workstation', 0);
  });
});

const inputOf = (id: number) => ({ params: { client: id, ...range } });
const summaryOf = async (user = manager): Promise<ClientSummary> =>
  dashboardApi.summary.answer.parse((await t.call(dashboardApi.summary, inputOf(client), user)).json());

describe('dashboard.summary', () => {
  test('equals the lists behind its numbers', async () => {
    const summary = await summaryOf();
    expect(summary).toMatchObject({ opened: 5, resolved: 3, open: 4, incidentTotal: 1, questionTotal: 1, actions: 2 });
    expect(summary).toMatchObject({ reporting: 1, devices: 4, alerts: 5, suspectedTotal: 1 });
    const cases = async (filters: object, start = new Date(0).toISOString()) => {
      const body = { selectedClientOrganizationID: client, start, end: range.end, filters };
      return (await t.call(casesApi.list, { body } as never, manager)).json().total;
    };
    expect(await cases({}, range.start)).toBe(summary.opened);
    expect(await cases({ status: ['closed', 'escalated:closed'] }, range.start)).toBe(summary.resolved);
    expect(await cases({ status: openStatuses })).toBe(summary.open);
    expect(await cases({ waiting: true })).toBe(summary.questionTotal);
    expect(await cases({ status: openStatuses, confirmed: true })).toBe(summary.incidentTotal);
    expect(await cases({ status: openStatuses, confirmed: false })).toBe(summary.open - summary.incidentTotal);
    expect(await cases({ status: openStatuses, verdict: ['Malicious'] })).toBe(summary.incidentTotal + summary.suspectedTotal);
    const responses = await t.call(
      responseRequestsApi.list,
      { ...inputOf(client), query: { state: ['acknowledged', 'verified'], action: [] } } as never,
      manager,
    );
    expect(responses.json().total).toBe(summary.actions);
    const devices = await t.call(
      devicesApi.list,
      { ...inputOf(client), query: { state: ['stale', 'silent', 'never'], type: [], tag: [] } } as never,
      manager,
    );
    expect(devices.json().total).toBe(summary.devices - summary.reporting);
  });

  test('names incidents of any time, open questions, and devices that do not report, servers first', async () => {
    const summary = await summaryOf();
    expect(summary.incidents).toEqual([{ id: ids.incident, title: 'incident', openedTime: instant(40 * dayMs) }]);
    expect(summary.questions).toMatchObject([{ id: ids.question, askedTime: instant(2 * dayMs), untilTime: instant(-dayMs) }]);
    expect(summary.blind.map(({ name }) => name)).toEqual(['s-silent', 'w-silent', 'w-never']);
  });

  test('tells the cases of the timeframe in order of time, with executed responses only', async () => {
    const { story } = await summaryOf();
    expect(story.map(({ title }) => title)).toEqual(['attack', 'harmless', 'question', 'expired', 'refuted']);
    expect(story[0]).toMatchObject({
      isMalicious: true,
      isHarmless: false,
      closedTime: instant(5 * dayMs),
      devices: ['host-1', 'host-2', 'host-3'],
      deviceTotal: 4,
      users: ['ada'],
      actions: [
        { action: 'isolate', target: 'host-1', isVerified: true },
        { action: 'blockUser', target: 'ada', isVerified: false },
      ],
    });
    expect(story.slice(1)).toMatchObject([
      { isHarmless: true },
      { isWaiting: true },
      { isWaiting: false },
      { isHarmless: true, isMalicious: false },
    ]);
  });

  test('counts approvals for those who may approve, and names no analyst', async () => {
    expect((await summaryOf()).approvals).toBe(0);
    const summary = await summaryOf(administrator);
    expect(summary.approvals).toBe(1);
    expect(JSON.stringify(summary)).not.toContain('Secret Analyst');
  });

  test('returns 401 to guests and 403 for foreign clients', async () => {
    expect((await t.call(dashboardApi.summary, inputOf(client))).statusCode).toBe(401);
    for (const id of [sibling, 0]) expect((await t.call(dashboardApi.summary, inputOf(id), manager)).statusCode).toBe(403);
    expect((await t.call(dashboardApi.summary, inputOf(0), partnerAnalyst)).json()).toMatchObject({ incidentTotal: 2 });
  });

  test('finds nothing for a foreign scope inside another’s transaction', async () => {
    const theirs = { organisationIds: [client] };
    const span = { start: now - 10 * dayMs, end: now };
    await scoped(t.db, { organisationIds: [sibling] }, async (tx) => {
      expect(await countSummary(tx, theirs, span, { now, mayApprove: true })).toMatchObject({
        open: 0,
        actions: 0,
        approvals: 0,
      });
      expect(await listIncidents(tx, theirs)).toEqual([]);
      expect(await listQuestions(tx, theirs, now)).toEqual([]);
      expect(await listBlind(tx, theirs, now)).toEqual([]);
      expect(await listStory(tx, theirs, span, now)).toEqual([]);
    });
  });
});
