/** Case reviews and what they teach (spec §2.7, §4, §7.4). */
import { casesApi } from '@parapet/contract/cases.ts';
import { reviewsApi } from '@parapet/contract/reviews.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { type SeedCase, type SeededCase, seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';

const t = useTestApp();
let partner: number;
let client: number;
let reviewer: TestUser;
let superAnalyst: TestUser;
let manager: TestUser;
let foreign: TestUser;

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Acme 100%' });
  reviewer = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  superAnalyst = await t.user({ organisationId: partner, role: 'Analyst' });
  manager = await t.user({ organisationId: client, role: 'Manager' });
  foreign = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
});

const system = <T>(work: (tx: Tx) => Promise<T>) => scoped(t.db, 'system', work);
const status = (id: number, caseStatus: 'closed' | 'investigating', user = reviewer) =>
  t.call(casesApi.changeStatus, { body: { incidentID: id, caseStatus } }, user);
/** A case that was closed by a person, and its review. */
const closed = async (seed: Partial<SeedCase> = {}): Promise<SeededCase & { review: number }> => {
  const made = await seedCase(t.db, {
    organisationId: client,
    ...seed,
    set: { status: 'investigating', investigation_status: 4, ...seed.set },
  });
  expect((await status(made.id, 'closed')).statusCode).toBe(200);
  return { ...made, review: (await reviewOf(made.id)).id };
};
const reviewOf = (caseId: number) =>
  system((tx) => tx.selectFrom('case_reviews').selectAll().where('case_id', '=', caseId).executeTakeFirstOrThrow());
const theCase = (id: number) => system((tx) => tx.selectFrom('cases').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const list = (filter: object = {}, user: TestUser | undefined = reviewer, page: object = {}) =>
  t.call(reviewsApi.list, { body: { filter, ...page } as never }, user);
const decide = (ID: number, decisionID: number, user = reviewer, notes = '') =>
  t.call(reviewsApi.updateDecision, { body: { ID, decisionID, notes } }, user);
const outcomesOf = (ruleId: number) =>
  system(async (tx) => {
    const row = await tx.selectFrom('rule_outcomes').selectAll().where('rule_id', '=', ruleId).executeTakeFirst();
    return row ? [row.malicious, row.benign] : undefined;
  });

describe('the list', () => {
  test('pages through reviews of closed cases, newest first, by any filter', async () => {
    const own = await t.organisation({ parentId: partner, name: 'Paged' });
    const made = [];
    for (let i = 0; i < 12; i++) made.push(await closed({ organisationId: own, set: { title: `Case no ${i}` } }));
    const first = (await list({ clientOrganizationID: own })).json();
    expect([first.total, first.results.length]).toEqual([12, 10]);
    expect(first.results[0]).toMatchObject({
      caseID: made[11]!.id,
      title: 'Case no 11',
      clientOrganizationName: 'Paged',
      decisionID: 14,
      statusTypeName: 'Pending',
      analystName: '',
      caseStatus: 'closed',
      caseClosedDate: expect.any(String),
      closedBy: expect.stringContaining('Partner Analyst'),
    });
    const second = (await list({ clientOrganizationID: own }, reviewer, { page: 2 })).json();
    expect(second.results.map(({ caseID }: { caseID: number }) => caseID)).toEqual([made[1]!.id, made[0]!.id]);
    const found = async (filter: object) => (await list({ clientOrganizationID: own, ...filter })).json().total;
    expect(await found({ text: 'no 11' })).toBe(1);
    expect(await found({ text: `#${made[3]!.id}` })).toBe(1);
    expect(await found({ text: '%' })).toBe(0);
    expect(await found({ decisionIDs: [15] })).toBe(0);
    expect(await found({ analystIDs: [0] })).toBe(12);
    expect(await found({ analystIDs: [reviewer.id] })).toBe(0);
    expect(await found({ start: new Date(Date.now() + 60_000).toISOString() })).toBe(0);
  });

  test('returns 401 to anonymous callers, 403 without access, and nothing to other tenants', async () => {
    await closed();
    expect((await t.call(reviewsApi.list, { body: {} })).statusCode).toBe(401);
    for (const user of [superAnalyst, manager]) expect((await list({}, user)).statusCode).toBe(403);
    expect((await list({}, foreign)).json()).toEqual({ results: [], total: 0 });
    expect((await list({ clientOrganizationID: client }, foreign)).statusCode).toBe(403);
  });
});

describe('the reviewer', () => {
  const give = (ID: number, caseID: number, AnalystUserAccountID: number | null, user = reviewer) =>
    t.call(reviewsApi.updateAnalyst, { body: { ID, caseID, AnalystUserAccountID } }, user);

  test('must be an authorised user, shown by first initial and surname', async () => {
    const { id, review } = await closed();
    const { results } = (await t.call(reviewsApi.analysts, {}, reviewer)).json();
    expect(results.map((user: { id: number }) => user.id)).toEqual([reviewer.id]);
    expect((await give(review, id, reviewer.id)).json()).toMatchObject({
      analystName: 'T. Partner Analyst',
      analystUserAccountID: reviewer.id,
    });
    expect((await list({ analystIDs: [reviewer.id] })).json().results).toMatchObject([{ caseID: id }]);
    for (const user of [superAnalyst, manager, foreign]) {
      const answer = await give(review, id, user.id);
      expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([400, ['AnalystUserAccountID']]);
    }
    expect((await give(review, id, null)).json()).toMatchObject({ analystName: '', analystUserAccountID: null });
  });

  test('rejects a user of another partner', async () => {
    await t.organisation({ id: 1, isPartner: true });
    const host = await t.user({ organisationId: 1, role: 'Host' });
    const { id, review } = await closed();
    expect((await give(review, id, foreign.id, host)).statusCode).toBe(400);
    expect((await give(review, id, host.id, host)).statusCode).toBe(200);
  });

  test('returns 404 for a mismatched or foreign review', async () => {
    const one = await closed();
    const two = await closed();
    expect((await give(one.review, two.id, null)).statusCode).toBe(404);
    expect((await give(one.review, one.id, null, foreign)).statusCode).toBe(404);
    expect((await give(one.review, one.id, null, superAnalyst)).statusCode).toBe(403);
  });
});

describe('the decision', () => {
  test('counts once per rule and is subtracted when it changes', async () => {
    const rules = [await seedRule(t.db), await seedRule(t.db)] as const;
    const at = Date.now() - 3_600_000;
    const { id, review } = await closed({
      alerts: [
        { at, rule: rules[0] },
        { at: at + 1_000, rule: rules[0] },
        { at: at + 2_000, rule: rules[1] },
      ],
    });
    const counted = async () => [await outcomesOf(rules[0].id), await outcomesOf(rules[1].id)];
    expect((await decide(review, 15, reviewer, 'It was')).json()).toMatchObject({
      decisionID: 15,
      statusTypeName: 'Malicious',
      notes: 'It was',
    });
    expect(await counted()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    await Promise.all([decide(review, 15, reviewer, 'It was'), decide(review, 15, reviewer, 'Again')]);
    expect(await counted()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    // An alert that joins later changes neither the counted nor the subtracted rules.
    const third = await seedRule(t.db);
    const [late] = await seedAlerts(t.db, client, [{ at, rule: third }]);
    await system((tx) =>
      tx
        .insertInto('case_alerts')
        .values({
          organisation_id: client,
          case_id: id,
          alert_id: late!.id,
          alert_at: new Date(at),
          rule_id: third.id,
          criticality: 3,
          joined_by: 'hand',
        })
        .execute(),
    );
    await decide(review, 12);
    expect([...(await counted()), await outcomesOf(third.id)]).toEqual([[0, 0], [0, 0], undefined]);
    await decide(review, 17);
    expect([...(await counted()), await outcomesOf(third.id)]).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    // Reopened and closed again, it needs another review.
    await status(id, 'investigating');
    expect((await list({ text: `#${id}` })).json().results).toMatchObject([{ caseClosedDate: null }]);
    await status(id, 'closed');
    expect(await reviewOf(id)).toMatchObject({ id: review, decision_id: 14, notes: '' });
  });

  test('counts one of two concurrent decisions', async () => {
    const { review, alerts } = await closed();
    await Promise.all([decide(review, 15), decide(review, 17), decide(review, 15), decide(review, 17)]);
    const { counted_outcome } = await reviewOf(
      (await list({ decisionIDs: [15, 17] })).json().results.find((row: { id: number }) => row.id === review).caseID,
    );
    expect(await outcomesOf(alerts[0]!.rule.id)).toEqual(counted_outcome === 'malicious' ? [1, 0] : [0, 1]);
  });

  test('stays hidden from clients and needs permission', async () => {
    const { id, review } = await closed();
    await decide(review, 15);
    const history = await system((tx) =>
      tx
        .selectFrom('case_history')
        .select(['text', 'is_internal'])
        .where('case_id', '=', id)
        .where('kind', '=', 'review')
        .execute(),
    );
    expect(history).toEqual([{ text: 'Review: Malicious', is_internal: true }]);
    expect((await decide(review, 17, foreign)).statusCode).toBe(404);
    expect((await decide(review, 17, superAnalyst)).statusCode).toBe(403);
    expect((await decide(review, 99)).statusCode).toBe(400);
    expect(await reviewOf(id)).toMatchObject({ decision_id: 15, decided_by: reviewer.id });
  });
});

describe('marked as incorrect', () => {
  const mark = (caseID: number, user = superAnalyst, notes = 'Look again') =>
    t.call(reviewsApi.markIncorrect, { body: { caseID, notes } }, user);

  test('reopens the case once', async () => {
    const { id } = await closed();
    const answers = await Promise.all([mark(id), mark(id)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(answers[1]!.json().case).toMatchObject({ id, status: 'investigating', investigationStatus: 8, closedTime: null });
    const history = await system((tx) =>
      tx.selectFrom('case_history').select(['text', 'is_internal']).where('case_id', '=', id).orderBy('id').execute(),
    );
    expect(history.filter(({ text }) => /incorrect/.test(text))).toEqual([
      { text: 'Marked as incorrect: Look again', is_internal: true },
      { text: 'Investigation marked as incorrect, case reopened', is_internal: false },
    ]);
  });

  test('refuses unfinished investigations, clients and other tenants', async () => {
    const { id } = await seedCase(t.db, { organisationId: client, set: { status: 'investigating', investigation_status: 2 } });
    expect((await mark(id)).statusCode).toBe(409);
    expect((await mark(id, manager)).statusCode).toBe(403);
    expect((await mark(id, foreign)).statusCode).toBe(404);
    expect(await theCase(id)).toMatchObject({ investigation_status: 2, version: 1 });
  });
});

test('records the correctness of an existing verdict by the signed-in user', async () => {
  const { id } = await seedCase(t.db, { organisationId: client, set: { verdict: 'Malicious', confidence: 80 } });
  const assess = (caseID: number, isAIDecisioningCorrect: boolean, user = superAnalyst) =>
    t.call(
      reviewsApi.updateDecisioningCorrectness,
      { body: { caseID, currentUserID: manager.id, notes: 'n', isAIDecisioningCorrect } },
      user,
    );
  expect((await assess(id, false)).json()).toEqual({});
  expect(await theCase(id)).toMatchObject({ is_decision_correct: false, decision_notes: 'n' });
  const audit = await system((tx) =>
    tx
      .selectFrom('audit')
      .select('actor_user_id')
      .where('action', '=', 'case.decisioningJudged')
      .where('target', '=', String(id))
      .execute(),
  );
  expect(audit).toEqual([{ actor_user_id: superAnalyst.id }]);
  const { id: unjudged } = await seedCase(t.db, { organisationId: client });
  expect((await assess(unjudged, true)).statusCode).toBe(409);
  expect((await assess(id, true, manager)).statusCode).toBe(403);
  expect((await assess(id, true, foreign)).statusCode).toBe(404);
});

test('compares predictions with review outcomes in the calibration', async () => {
  const own = await t.organisation({ parentId: partner });
  for (const [verdict, confidence, probability, decision] of [
    ['Malicious', 95, 0.95, 15],
    ['Malicious', 100, 1, 17],
    ['Malicious', 89, 0.9, 15],
    ['Benign', 0, 0.5, 17],
    ['Benign', 70, 0.2, 12],
    ['Suspicious', 60, 0.6, 15],
    ['Likely Benign', 75, 0.25, 17],
    ['Likely Benign', 72, 0.3, 15],
    ['Insufficient Information', null, 0.5, 15],
  ] as const) {
    const { review } = await closed({ organisationId: own, set: { verdict, confidence, probability } });
    await decide(review, decision);
  }
  const readCalibration = (clientId: number, user = reviewer) =>
    t.call(reviewsApi.calibration, { params: { client: clientId } }, user);
  const { bins, reviewed, agreed, brier } = (await readCalibration(own)).json();
  expect(bins).toEqual([
    { verdict: 'Malicious', from: 80, to: 89, cases: 1, correct: 1 },
    { verdict: 'Malicious', from: 90, to: 100, cases: 2, correct: 1 },
    { verdict: 'Suspicious', from: 60, to: 69, cases: 1, correct: 1 },
    { verdict: 'Likely Benign', from: 70, to: 79, cases: 2, correct: 1 },
    { verdict: 'Benign', from: 0, to: 9, cases: 1, correct: 1 },
  ]);
  expect([reviewed, agreed]).toEqual([7, 5]);
  expect(brier).toBeCloseTo((0.05 ** 2 + 1 + 0.1 ** 2 + 0.5 ** 2 + 0.4 ** 2 + 0.25 ** 2 + 0.7 ** 2) / 7, 10);
  const fresh = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Partner Analyst' });
  expect((await readCalibration(0, fresh)).json()).toEqual({ bins: [], reviewed: 0, agreed: 0, brier: null });
  expect((await readCalibration(own, foreign)).statusCode).toBe(403);
});
