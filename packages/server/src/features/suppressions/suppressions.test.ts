import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { bulkCasesOn } from '../../../test/cases.fixture.ts';
import { changedAccount } from '../../../test/database.ts';
import { runSuppressionPreviews } from '../../../test/previews.fixture.ts';
import { type Seeded, type SeedRule, seedAlerts, seedRule } from '../../../test/seed.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { createSuppressionsService } from './suppressions.service.ts';

const now = Date.now();
const t = useTestApp();
let partner: number;
let rule: SeedRule;
let other: SeedRule;
let analyst: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  rule = await seedRule(t.db, { key: 'noisy', title: 'Noisy rule' });
  other = await seedRule(t.db);
});

const client = () => t.organisation({ parentId: partner });
const caseOf = (
  organisationId: number,
  alerts: readonly Seeded[],
  set: { status?: 'malicious'; verdict?: 'Malicious'; confidence?: number } = {},
) =>
  scoped(t.db, 'system', async (tx) => {
    const times = { first_alert_at: new Date(now), last_alert_at: new Date(now) };
    const { id } = await tx
      .insertInto('cases')
      .values({ organisation_id: organisationId, title: 'A case', criticality: 3, alert_count: alerts.length, ...times, ...set })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const alert of alerts)
      await tx
        .insertInto('case_alerts')
        .values({
          organisation_id: organisationId,
          case_id: id,
          alert_id: alert.id,
          alert_at: new Date(alert.at),
          rule_id: alert.rule.id,
          criticality: 3,
          joined_by: 'test',
        })
        .execute();
    return id;
  });
const caseNow = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('cases').where('id', '=', id).select(['is_excluded', 'version']).executeTakeFirstOrThrow(),
  );
const historyOf = (id: number) =>
  scoped(t.db, 'system', (tx) =>
    tx.selectFrom('case_history').where('case_id', '=', id).select(['text', 'is_internal', 'actor_user_id']).execute(),
  );

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const create = (body: object, user: TestUser | undefined = analyst) =>
  t.call(suppressionsApi.create, { body: { reason: 'A scanner of ours', endTime: inDays(30), ...body } } as never, user);
const startPreview = (match: object, user: TestUser | undefined = analyst, days = 90) =>
  t.call(rulesApi.startPreview, { body: { change: { kind: 'suppression', ...match }, days } } as never, user);
async function preview(match: object, user: TestUser | undefined = analyst, days = 90) {
  const { id } = (await startPreview(match, user, days)).json();
  await runSuppressionPreviews(t);
  return vi.waitUntil(
    async () => {
      const answer = rulesApi.getPreview.answer.parse(
        (await t.call(rulesApi.getPreview, { params: { id } } as never, user)).json(),
      );
      return answer.state === 'done' && answer;
    },
    { timeout: 30_000 },
  );
}
const end = (id: number, user: TestUser | undefined = analyst) => t.call(suppressionsApi.end, { params: { id } } as never, user);
const list = (id: number, user: TestUser | undefined = analyst, query = {}) =>
  t.call(suppressionsApi.list, { params: { client: id }, query } as never, user);

describe('a suppression', () => {
  test('previews matches of 90 days with their malicious share', async () => {
    const id = await client();
    const alerts = await seedAlerts(t.db, id, [
      { at: now - hourMs, rule, device: 'SRV-1', user: 'Ana' },
      { at: now - 2 * hourMs, rule, device: 'srv-1', user: 'bob' },
      { at: now - 3 * hourMs, rule, device: 'srv-2', user: 'ana' },
      { at: now - 4 * hourMs, rule: other, device: 'srv-1', user: null },
      { at: now - 91 * dayMs, rule, device: 'srv-1' },
    ]);
    await caseOf(id, [alerts[0]!], { status: 'malicious' });
    await caseOf(id, [alerts[1]!], { verdict: 'Malicious', confidence: 90 });
    const reviewed = await caseOf(id, [alerts[2]!]);
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('case_reviews')
        .values({ organisation_id: id, case_id: reviewed, decision_id: 15 } as never)
        .execute(),
    );
    const of = async (match: object) => {
      const { clients, ...found } = await preview({ clientOrganizationID: id, ...match });
      return { ...found, ...clients[0]! };
    };
    const whole = await of({ ruleID: 'noisy' });
    expect(whole).toMatchObject({ lost: 3, before: 4, after: 1, events: 4, isPartial: true });
    // By day, with the malicious cases named.
    const days = new Map<string, number>();
    for (const { at } of alerts.slice(0, 3)) {
      const day = new Date(at).toISOString().slice(0, 10);
      days.set(day, (days.get(day) ?? 0) + 1);
    }
    const byDay = [...days].map(([day, lost]) => ({ day, lost, gained: 0 })).sort((a, b) => (a.day < b.day ? -1 : 1));
    expect(whole.days).toEqual(byDay);
    expect(whole.maliciousCases.map((each) => each.alerts)).toEqual([1, 1, 1]);
    expect(whole.maliciousCases.map((each) => each.caseID)).toContain(reviewed);
    expect(whole.examples.map(({ kind, deviceName }) => [kind, deviceName])).toEqual(
      ['SRV-1', 'srv-1', 'srv-2'].map((device) => ['lost', device]),
    );
    expect((await of({ deviceName: 'sRv-1' })).lost).toBe(3);
    const one = await of({ ruleID: 'noisy', deviceName: 'SRV-1', userName: 'ANA' });
    expect([one.lost, one.maliciousCases.length]).toEqual([1, 1]);
    expect(await of({ userName: 'nobody%' })).toMatchObject({ lost: 0, days: [], maliciousCases: [], examples: [] });
  });

  test('needs a second person and the preview of the first where it hides alerts of malicious cases', async () => {
    const id = await client();
    const [alert] = await seedAlerts(t.db, id, [{ at: now - hourMs, rule, device: 'SRV-1' }]);
    const malicious = await caseOf(id, [alert!], { status: 'malicious' });
    const match = { clientOrganizationID: id, ruleID: null, deviceName: 'SRV-1', userName: null };
    const refused = async (more: object, user = analyst) => {
      const answer = await create({ ...match, ...more }, user);
      expect([answer.statusCode, answer.body]).toEqual([409, expect.stringContaining(`malicious case ${malicious}`)]);
    };
    await refused({});
    const { id: previewID } = await preview(match);
    await refused({ previewID });
    const second = await t.user({ organisationId: partner, role: 'Administrator' });
    const other = await preview({ ...match, ruleID: 'noisy' });
    await refused({ previewID: other.id }, second);
    expect((await create({ ...match, previewID }, second)).statusCode).toBe(200);
  });

  describe('that hides alerts of a malicious case', () => {
    let match: { clientOrganizationID: number; ruleID: null; deviceName: string; userName: null };
    let malicious: number;
    let second: TestUser;
    beforeEach(async () => {
      const id = await client();
      const [alert] = await seedAlerts(t.db, id, [{ at: now - 2 * dayMs, rule, device: 'SRV-1' }]);
      malicious = await caseOf(id, [alert!], { status: 'malicious' });
      match = { clientOrganizationID: id, ruleID: null, deviceName: 'SRV-1', userName: null };
      second = await t.user({ organisationId: partner, role: 'Administrator' });
    });
    const system = <T>(work: Parameters<typeof scoped<T>>[2]) => scoped(t.db, 'system', work);
    const save = async (previewID: number) => {
      const answer = await create({ ...match, previewID }, second);
      return [answer.statusCode, answer.statusCode === 200 ? '' : (answer.json().error as string)];
    };
    const changedBy = (by: TestUser, account: TestUser, days: number) => changedAccount(t.database.ownerUrl, by, account, days);
    const refusal = (text: string) => [409, expect.stringContaining(text)];

    test('needs a preview that names the case, of at most 7 days ago', async () => {
      const short = await preview(match, analyst, 1);
      const text = `The preview does not name malicious case ${malicious}. Run the preview again`;
      expect(await save(short.id)).toEqual(refusal(text));
      const { id } = await preview(match);
      const age = (days: number) =>
        system((tx) =>
          tx
            .updateTable('rule_previews')
            .set({ requested_at: new Date(Date.now() - days * dayMs) })
            .where('id', '=', id)
            .execute(),
        );
      await age(7.1);
      expect(await save(id)).toEqual(refusal('older than 7 days. Run the preview again.'));
      await age(6.9);
      expect(await save(id)).toEqual([200, '']);
    });

    test('refuses the person who created or changed the account that ran the preview', async () => {
      const made = await t.user({ organisationId: partner, role: 'Administrator' });
      const { id } = await preview(match, made);
      await changedBy(second, made, 29);
      const text = 'You created, invited or changed the account that ran the preview';
      expect(await save(id)).toEqual(refusal(text));
    });

    test('needs a preview by an account that is a day old and not deleted', async () => {
      const made = await t.user({ organisationId: partner, role: 'Administrator' });
      const { id } = await preview(match, made);
      const set = (values: object) => system((tx) => tx.updateTable('users').set(values).where('id', '=', made.id).execute());
      await set({ created_at: new Date(Date.now() - 23 * hourMs) });
      expect(await save(id)).toEqual(refusal('less than 24 hours old'));
      await set({ created_at: new Date(Date.now() - 25 * hourMs), is_deleted: true });
      expect(await save(id)).toEqual(refusal('was deleted. Run the preview again.'));
      await set({ is_deleted: false });
      await system((tx) => tx.updateTable('rule_previews').set({ requested_by: null }).where('id', '=', id).execute());
      expect(await save(id)).toEqual(refusal('was deleted. Run the preview again.'));
    });

    test('leaves it out of a selection, for cases of 90 days, unless a suppression stands already', async () => {
      const service = createSuppressionsService({
        db: t.db,
        setExcluded: bulkCasesOn(systemClock).setExcluded,
        clock: systemClock,
      });
      const scope = { organisationIds: [match.clientOrganizationID] };
      const terms = { reason: 'A scanner of ours', endTime: inDays(30) };
      const actor = { userId: analyst.id, displayName: 'Ada', organisationId: partner, email: '', address: '' } as never;
      const alerts = await seedAlerts(t.db, match.clientOrganizationID, [
        { at: now - hourMs, rule, device: 'srv-1' },
        { at: now - 95 * dayMs, rule, device: 'OLD' },
        { at: now - hourMs, rule, device: 'old' },
        { at: now - 2 * hourMs, rule, device: 'Old' },
      ]);
      await caseOf(match.clientOrganizationID, [alerts[1]!], { status: 'malicious' });
      const ids = alerts.map(({ id }) => id);
      const suppressed = async () => {
        const { created, faults } = await scoped(t.db, scope, (tx) => service.createLike(tx, scope, actor, ids, terms));
        expect(faults).toEqual([expect.stringContaining(`malicious case ${malicious}.`)]);
        return created.map(({ alertId }) => alertId);
      };
      // The first of those on OLD covers the others.
      expect(await suppressed()).toEqual([ids[1]]);
      await caseOf(match.clientOrganizationID, [alerts[2]!], { status: 'malicious' });
      expect(await suppressed()).toEqual([]);
    });
  });

  test('excludes fully covered open cases, and includes them once ended', async () => {
    const id = await client();
    const [a, b, c, d] = await seedAlerts(t.db, id, [
      { at: now, rule, device: 'WS-1' },
      { at: now, rule: other, device: 'ws-1' },
      { at: now, rule, device: 'ws-2' },
      { at: now, rule: other, device: 'WS-1', user: 'x' },
    ]);
    const whole = await caseOf(id, [a!]);
    const mixed = await caseOf(id, [b!, c!]);
    const outside = await caseOf(id, [d!]);
    const byRule = (await create({ clientOrganizationID: id, ruleID: 'noisy' })).json();
    expect(byRule).toMatchObject({
      clientOrganizationID: id,
      ruleID: 'noisy',
      rule: 'Noisy rule',
      deviceName: null,
      reason: 'A scanner of ours',
      owner: 'Test Partner Analyst',
      isActive: true,
      hidden: 0,
    });
    expect(await caseNow(whole)).toEqual({ is_excluded: true, version: 2 });
    expect(await caseNow(mixed)).toEqual({ is_excluded: false, version: 1 });
    const byDevice = (await create({ clientOrganizationID: id, deviceName: 'wS-1' })).json();
    for (const one of [whole, mixed, outside]) expect((await caseNow(one)).is_excluded).toBe(true);
    expect(await historyOf(mixed)).toMatchObject([{ is_internal: true, actor_user_id: analyst.id }]);

    // The first case is still covered by its device.
    expect((await end(byRule.id)).statusCode).toBe(200);
    expect((await caseNow(whole)).is_excluded).toBe(true);
    expect((await caseNow(mixed)).is_excluded).toBe(false);
    expect((await end(byRule.id)).statusCode).toBe(200);
    expect((await end(byDevice.id)).statusCode).toBe(200);
    for (const one of [whole, mixed, outside]) expect((await caseNow(one)).is_excluded).toBe(false);
    expect((await list(id)).json()).toMatchObject({ total: 2, results: [{ isActive: false }, { isActive: false }] });
    const audit = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .where('organisation_id', '=', id)
        .where('action', 'like', 'suppression.%')
        .select('action')
        .execute(),
    );
    expect(audit.map(({ action }) => action).sort()).toEqual([
      'suppression.created',
      'suppression.created',
      'suppression.ended',
      'suppression.ended',
    ]);
  });

  test('keeps closed cases, and includes cases again after its end', async () => {
    const id = await client();
    const [a, b] = await seedAlerts(t.db, id, [
      { at: now, rule, device: 'closed' },
      { at: now, rule, device: 'open' },
    ]);
    const [closed, open] = [await caseOf(id, [a!]), await caseOf(id, [b!])];
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ closed_at: new Date() }).where('id', '=', closed).execute(),
    );
    await create({ clientOrganizationID: id, ruleID: 'noisy', endTime: new Date(Date.now() + hourMs).toISOString() });
    expect((await caseNow(closed)).is_excluded).toBe(false);
    expect((await caseNow(open)).is_excluded).toBe(true);
    const { setExcluded } = bulkCasesOn(systemClock);
    const at = (clock: { now(): number }) => createSuppressionsService({ db: t.db, setExcluded, clock }).releaseCases();
    await at(systemClock);
    expect((await caseNow(open)).is_excluded).toBe(true);
    await at({ now: () => Date.now() + 2 * hourMs });
    expect((await caseNow(open)).is_excluded).toBe(false);
  });

  test('appears in the lists of its client and of all, active ones first', async () => {
    const id = await client();
    const first = (await create({ clientOrganizationID: id, userName: 'a' })).json();
    await create({ clientOrganizationID: id, userName: 'b', endTime: inDays(10) });
    await end(first.id);
    const answer = suppressionsApi.list.answer.parse((await list(id)).json());
    expect(answer.results.map(({ userName, isActive }) => [userName, isActive])).toEqual([
      ['b', true],
      ['a', false],
    ]);
    expect((await list(0, analyst, { pageSize: 1 })).json().results).toHaveLength(1);
  });

  test('excludes once when created concurrently', async () => {
    const id = await client();
    const [a] = await seedAlerts(t.db, id, [{ at: now, rule, device: 'busy' }]);
    const one = await caseOf(id, [a!]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ clientOrganizationID: id, deviceName: 'BUSY' })));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    expect(await caseNow(one)).toEqual({ is_excluded: true, version: 2 });
  });
});

describe('a request', () => {
  test('returns 400 for a missing end, reason or matching, and an unknown rule', async () => {
    const id = await client();
    const what = { clientOrganizationID: id, ruleID: 'noisy' };
    for (const wrong of [
      { ...what, endTime: undefined },
      { ...what, endTime: inDays(-1) },
      { ...what, endTime: inDays(367) },
      { ...what, reason: '    a' },
      { clientOrganizationID: id },
      { clientOrganizationID: id, deviceName: ' ', userName: '', ruleID: null },
      { clientOrganizationID: id, ruleID: 'no such rule' },
      { clientOrganizationID: 0, ruleID: 'noisy' },
    ])
      expect([wrong, (await create(wrong)).statusCode]).toEqual([wrong, 400]);
    expect((await startPreview({ clientOrganizationID: id })).statusCode).toBe(400);
    expect((await list(id)).json().total).toBe(0);
  });

  test('returns 401, 403 and 404 to unauthorised and foreign callers', async () => {
    const [id, elsewhere] = [await client(), await t.organisation()];
    const stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
    const own = (await create({ clientOrganizationID: id, ruleID: 'noisy' })).json();
    const clientAdmin = await t.user({ organisationId: id, role: 'Administrator' });
    const what = { clientOrganizationID: id, ruleID: 'noisy' };
    const noOne = { token: 'none' } as TestUser;
    for (const [user, status] of [
      [noOne, 401],
      [clientAdmin, 403],
      [stranger, 403],
    ] as const) {
      expect((await create(what, user)).statusCode).toBe(status);
      expect((await startPreview(what, user)).statusCode).toBe(status);
      expect((await list(id, user)).statusCode).toBe(status);
    }
    expect((await create({ ...what, clientOrganizationID: elsewhere })).statusCode).toBe(403);
    expect((await end(own.id, stranger)).statusCode).toBe(404);
    expect((await end(2_147_483_647)).statusCode).toBe(404);
    expect((await list(id)).json()).toMatchObject({ total: 1, results: [{ isActive: true }] });
  });
});
