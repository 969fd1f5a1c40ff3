import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { bestPractices } from '@parapet/contract/rules/practices.ts';
import { defaultIndustryAverage, riskOf } from '@parapet/contract/rules/risk.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { createRiskService } from './risk.service.ts';
import { listInputs } from './risk.store.ts';

const t = useTestApp();
let partner: number;
let partnerAdmin: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
});

async function ok<E extends Endpoint>(endpoint: E, input: InputOf<E>, user: TestUser): Promise<AnswerOf<E>> {
  const answer = await t.call(endpoint, input, user);
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.json();
}
const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
const around = () => ({
  start: new Date(Date.now() - dayMs).toISOString(),
  end: new Date(Date.now() + dayMs).toISOString(),
});

const addDevices = (
  organisationId: number,
  device_type: 'server' | 'workstation' | 'networkDevice',
  count: number,
  last: Date | null,
) =>
  system((tx) =>
    tx
      .insertInto('devices')
      .values(
        Array.from({ length: count }, (_, at) => ({
          organisation_id: organisationId,
          name: `${device_type}-${last ? 'on' : 'off'}-${at}`,
          device_type,
          agent_version: null,
          agent_updated_at: null,
          last_event_at: last,
        })),
      )
      .execute(),
  );
const addCase = (organisationId: number, status: string, score: number, at = new Date(Date.now() - dayMs)) =>
  system((tx) =>
    tx
      .insertInto('cases')
      .values({
        organisation_id: organisationId,
        title: 'A case',
        status: status as 'open',
        score,
        criticality: 3,
        created_at: at,
        first_alert_at: at,
        last_alert_at: at,
        closed_at: status.endsWith('closed') ? at : null,
      } as never)
      .execute(),
  );

/** 2 of 4 servers and 3 of 5 workstations reporting, with cases of every status. */
async function aClient(parentId: number | undefined = partner): Promise<{ id: number; admin: TestUser }> {
  const id = await t.organisation(parentId === undefined ? {} : { parentId });
  await addDevices(id, 'server', 2, new Date());
  await addDevices(id, 'server', 2, null);
  await addDevices(id, 'workstation', 3, new Date());
  await addDevices(id, 'workstation', 2, null);
  await addDevices(id, 'networkDevice', 3, new Date());
  return { id, admin: await t.user({ organisationId: id, role: 'Administrator' }) };
}

describe('score inputs', () => {
  test('combine reporting devices, open cases and practices by the formulas', async () => {
    const { id, admin } = await aClient();
    for (const [status, score] of [
      ['open', 100],
      ['open', 50.55],
      ['assigned', 40],
      ['investigating', 20],
      ['escalated', 30],
    ] as const)
      await addCase(id, status, score);
    await addCase(id, 'closed', 900);
    await addCase(id, 'escalated:closed', 900);
    const details = await ok(riskApi.details, { params: { client: id, ...around() } }, admin);
    expect(details.monitoredDevices).toEqual({
      totalServers: 4,
      totalWorkstations: 5,
      monitoredServers: 2,
      monitoredWorkstations: 3,
      additionalServers: 2,
      additionalWorkstations: 2,
      clientOrganizationID: id,
      updatingUserAccountId: null,
      version: 0,
    });
    expect(details.caseRiskScores).toEqual([
      { status: 'open', riskScoreSum: 150.55 },
      { status: 'assigned', riskScoreSum: 40 },
      { status: 'investigating', riskScoreSum: 50 },
      { status: 'malicious', riskScoreSum: 0 },
    ]);
    expect(details.practices.map((practice) => practice.id)).toEqual(bestPractices.map((practice) => practice.id));
    expect(details.practices.every((practice) => !practice.isChecked)).toBe(true);
    // 1000·(1 − 23/45) = 488.9; 1000; 15.055 + 10 + 50 = 75.055 → 0.3 each: 469.2 → 569
    const score = await ok(riskApi.score, { params: { client: id } }, admin);
    expect(score).toEqual({
      riskScore: 569,
      tempScore: 569,
      deviceScore: 489,
      practiceScore: 1000,
      caseScore: 75,
      industryAverage: defaultIndustryAverage,
      industry: '',
      organisations: 0,
    });
  });

  test('exclude cases opened after the end', async () => {
    const { id, admin } = await aClient();
    await addCase(id, 'open', 10, new Date(Date.now() - 10 * dayMs));
    await addCase(id, 'open', 5, new Date(Date.now() - dayMs));
    const until = { start: new Date(Date.now() - 20 * dayMs).toISOString(), end: new Date(Date.now() - 5 * dayMs).toISOString() };
    const details = await ok(riskApi.details, { params: { client: id, ...until } }, admin);
    expect(details.caseRiskScores[0]).toEqual({ status: 'open', riskScoreSum: 10 });
  });

  test('assume one workstation for a client without devices', async () => {
    const id = await t.organisation({ parentId: partner });
    const { monitoredDevices } = await ok(riskApi.details, { params: { client: id, ...around() } }, partnerAdmin);
    expect(monitoredDevices).toMatchObject({
      totalServers: 0,
      totalWorkstations: 1,
      monitoredWorkstations: 0,
      additionalWorkstations: 1,
    });
    expect(await ok(riskApi.score, { params: { client: id } }, partnerAdmin)).toMatchObject({ riskScore: 700, tempScore: 700 });
  });
});

describe('device totals', () => {
  const save = (user: TestUser, client: number, totalServers: number, totalWorkstations: number, version: number) =>
    t.call(riskApi.saveDevices, { params: { client }, body: { totalServers, totalWorkstations, version } }, user);

  test('save, audit and change the score immediately', async () => {
    const { id, admin } = await aClient();
    const saved = await save(admin, id, 10, 100, 0);
    expect([saved.statusCode, saved.json()]).toEqual([
      200,
      expect.objectContaining({
        totalServers: 10,
        additionalServers: 8,
        additionalWorkstations: 97,
        version: 1,
        updatingUserAccountId: admin.id,
      }),
    ]);
    const { deviceScore } = await ok(riskApi.score, { params: { client: id } }, admin);
    expect(deviceScore).toBe(Math.round(1000 * (1 - 23 / 200)));
    const rows = await system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'riskDevices.changed').where('organisation_id', '=', id).execute(),
    );
    expect(rows).toMatchObject([
      {
        actor_user_id: admin.id,
        before: { totalServers: 4, totalWorkstations: 5 },
        after: { totalServers: 10, totalWorkstations: 100 },
      },
    ]);
  });

  test('return 400 when below the reporting devices', async () => {
    const { id, admin } = await aClient();
    const answer = await save(admin, id, 1, 100, 0);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors).toEqual({ totalServers: ['2 servers already report; the total cannot be lower.'] });
    const { monitoredDevices } = await ok(riskApi.details, { params: { client: id, ...around() } }, admin);
    expect(monitoredDevices).toMatchObject({ totalServers: 4, version: 0 });
  });

  test('save two zeros as one workstation', async () => {
    const id = await t.organisation({ parentId: partner });
    expect((await save(partnerAdmin, id, 0, 0, 0)).json()).toMatchObject({ totalServers: 0, totalWorkstations: 1 });
  });

  test('return 409 with both versions on conflict; one of many concurrent writes wins', async () => {
    const { id, admin } = await aClient();
    expect((await save(admin, id, 10, 10, 7)).statusCode).toBe(409);
    const first = await Promise.all([10, 11, 12, 13].map((servers) => save(admin, id, servers, 10, 0)));
    expect(first.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409, 409]);
    const again = await Promise.all([20, 21, 22].map((servers) => save(admin, id, servers, 10, 1)));
    expect(again.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
    expect((await save(admin, id, 30, 10, 1)).json().versions).toEqual({ yours: 1, current: 2 });
  });

  test('return 400 for hostile numbers', async () => {
    const { id, admin } = await aClient();
    for (const servers of [-1, 1.5, 1e300, 10_000_001, '9', null])
      expect((await save(admin, id, servers as number, 10, 0)).statusCode).toBe(400);
  });
});

describe('best practices', () => {
  const save = (user: TestUser, client: number, practices: { id: string; isChecked: boolean }[]) =>
    t.call(riskApi.savePractices, { params: { client }, body: { practices } }, user);

  test('save individually, last write wins, auditing changes only', async () => {
    const { id, admin } = await aClient();
    const mfa = { id: 'mfa', isChecked: true };
    const answer = (await save(admin, id, [{ id: 'mfa', isChecked: false }, mfa, { id: 'backups', isChecked: true }])).json();
    const done = answer.results.filter((practice: { isChecked: boolean }) => practice.isChecked);
    expect(done.map((practice: { id: string }) => practice.id).sort()).toEqual(['backups', 'mfa']);
    expect((await ok(riskApi.score, { params: { client: id } }, admin)).practiceScore).toBe(
      Math.round(1000 * (1 - 2 / bestPractices.length)),
    );
    expect((await save(admin, id, [mfa])).statusCode).toBe(200);
    const rows = await system((tx) =>
      tx
        .selectFrom('audit')
        .selectAll()
        .where('action', '=', 'riskPractices.changed')
        .where('organisation_id', '=', id)
        .execute(),
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.after).toEqual([
      { id: 'backups', isChecked: true },
      { id: 'mfa', isChecked: true },
    ]);
  });

  test('return 400 for unknown ones without saving the others', async () => {
    const { id, admin } = await aClient();
    expect(
      (
        await save(admin, id, [
          { id: 'mfa', isChecked: true },
          { id: 'no-such', isChecked: true },
        ])
      ).statusCode,
    ).toBe(400);
    const { practices } = await ok(riskApi.details, { params: { client: id, ...around() } }, admin);
    expect(practices.some((practice) => practice.isChecked)).toBe(false);
  });

  test('reject readers and foreign users', async () => {
    const { id } = await aClient();
    const reader = await t.user({ organisationId: id, role: 'Manager' });
    const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
    for (const user of [reader, stranger]) expect((await save(user, id, [{ id: 'mfa', isChecked: true }])).statusCode).toBe(403);
  });
});

describe('scope All', () => {
  test('returns one score from summed counts, clients worst first, practices done when all clients have them', async () => {
    const own = await t.organisation({ isPartner: true });
    const admin = await t.user({ organisationId: own, role: 'Administrator' });
    const worse = await aClient(own);
    const better = await aClient(own);
    await addCase(worse.id, 'investigating', 100);
    for (const { id } of [worse, better])
      await t.call(
        riskApi.savePractices,
        { params: { client: id }, body: { practices: [{ id: 'mfa', isChecked: true }] } },
        admin,
      );
    await t.call(
      riskApi.savePractices,
      { params: { client: better.id }, body: { practices: [{ id: 'logs', isChecked: true }] } },
      admin,
    );
    const all = await ok(riskApi.details, { params: { client: 0, ...around() } }, admin);
    expect(all.monitoredDevices).toMatchObject({ clientOrganizationID: 0, totalServers: 8, monitoredWorkstations: 6 });
    expect(all.practices.filter(({ isChecked }) => isChecked).map(({ id }) => id)).toEqual(['mfa']);
    const { results, total } = await ok(riskApi.clients, {}, admin);
    expect([results.map((row) => row.clientOrganizationID), total]).toEqual([[worse.id, better.id], 2]);
    expect(results[0]!.tempScore).toBeGreaterThan(results[1]!.tempScore);
    const score = await ok(riskApi.score, { params: { client: 0 } }, admin);
    const expected = riskOf({
      devices: { totalServers: 8, totalWorkstations: 10, monitoredServers: 4, monitoredWorkstations: 6 },
      checked: 3,
      practices: 2 * bestPractices.length,
      cases: { open: 0, assigned: 0, investigating: 100, malicious: 0 },
    });
    expect(score).toMatchObject(expected);
    const history = await ok(riskApi.history, { params: { client: 0, ...around() } }, admin);
    expect(history.results.at(-1)?.riskScore).toBe(score.riskScore);
  });

  test('rejects client users', async () => {
    const { admin } = await aClient();
    expect((await t.call(riskApi.score, { params: { client: 0 } }, admin)).statusCode).toBe(403);
    expect((await t.call(riskApi.clients, {}, admin)).statusCode).toBe(403);
  });
});

describe('history', () => {
  test('stores the first snapshot of a day; the job adds one per day', async () => {
    const { id, admin } = await aClient();
    const now = { at: Date.now() };
    const risk = createRiskService({ db: t.db, clock: { now: () => now.at } });
    const history = async () =>
      (
        await ok(
          riskApi.history,
          {
            params: {
              client: id,
              start: new Date(now.at - 30 * dayMs).toISOString(),
              end: new Date(now.at + dayMs).toISOString(),
            },
          },
          admin,
        )
      ).results;
    expect(await history()).toEqual([]);
    const { riskScore } = await ok(riskApi.score, { params: { client: id } }, admin);
    await addCase(id, 'malicious', 75);
    const later = await ok(riskApi.score, { params: { client: id } }, admin);
    expect([later.riskScore, later.caseScore]).toEqual([riskScore, 1000]);
    await risk.takeSnapshots();
    expect(await history()).toHaveLength(1);
    now.at += dayMs;
    await risk.takeSnapshots();
    const days = await history();
    expect(days).toHaveLength(2);
    expect(days[1]).toMatchObject({ caseScore: 1000, date: new Date(now.at).toISOString().slice(0, 10) });
  });

  test('averages industries of five or more clients, anonymously and case-insensitively', async () => {
    const industry = 'Testing of bridges';
    const ids: number[] = [];
    const join = async (text: string) => {
      const id = await t.organisation({ parentId: partner });
      await system((tx) => tx.updateTable('organisations').set({ industry: text }).where('id', '=', id).execute());
      ids.push(id);
      return id;
    };
    for (const text of [industry, industry, industry.toUpperCase(), ` ${industry}`]) await join(text);
    for (const id of ids) await ok(riskApi.score, { params: { client: id } }, partnerAdmin);
    const read = () => ok(riskApi.score, { params: { client: ids[0]! } }, partnerAdmin);
    expect(await read()).toMatchObject({ industry, industryAverage: defaultIndustryAverage, organisations: 0 });
    const fifth = await join(industry);
    await t.call(
      riskApi.savePractices,
      { params: { client: fifth }, body: { practices: bestPractices.map(({ id }) => ({ id, isChecked: true })) } },
      partnerAdmin,
    );
    await ok(riskApi.score, { params: { client: fifth } }, partnerAdmin);
    // Four times 700, once 400.
    expect(await read()).toMatchObject({ industry, industryAverage: 640, organisations: 5 });
  });
});

test('isolates tenants by row-level security when a store applies no scope', async () => {
  const { id } = await aClient();
  const rows = await scoped(t.db, { organisationIds: [partner] }, (tx) => listInputs(tx, 'system', { now: Date.now() }));
  expect(rows.map((row) => row.id)).not.toContain(id);
});
