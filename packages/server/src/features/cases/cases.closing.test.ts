/** Closing of a case: open items, resolution and reason, of one case and of many. */

import type { Closing } from '@parapet/contract/caseClosing.ts';
import type { CaseRow, Clock } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { encodeQuery } from '@parapet/contract/query.ts';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { judgementOf } from '@parapet/contract/rules/judgement.ts';
import { describe, expect, test } from 'vitest';
import { bulkCasesOn, casesWorld, range } from '../../../test/cases.fixture.ts';
import { useFixture } from '../../../test/use.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, neverProven, scopeOf } from '../../core/http/actor.ts';

const world = useFixture(casesWorld, (fixture) => fixture.t.close());

let made = 0;
/** A case of the client with an unsent task and unseen alerts. */
async function openCase(values: { criticality?: number; newCount?: number; tasks?: number } = {}): Promise<number> {
  const { t, client } = world;
  const at = new Date();
  const title = `Case ${++made}`;
  return scoped(t.db, 'system', async (tx) => {
    const { id } = await tx
      .insertInto('cases')
      .values({
        organisation_id: client,
        title,
        criticality: values.criticality ?? 5,
        alert_count: 3,
        new_count: values.newCount ?? 2,
        first_alert_at: at,
        last_alert_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (let task = 1; task <= (values.tasks ?? 1); task++)
      await tx
        .insertInto('case_tasks')
        .values({ organisation_id: client, case_id: id, task_number: task, action: 'block', target: `203.0.113.${task}` })
        .execute();
    return id;
  });
}

const close = (id: number, closing: Partial<Closing> | undefined, user = world.analyst) =>
  world.t.call(
    casesApi.changeStatus,
    { body: { incidentID: id, caseStatus: 'closed', ...(closing && { closing: closing as Closing }) } },
    user,
  );
const openItems = (id: number, user = world.analyst) => world.ok(casesApi.openItems, { params: { caseId: id } }, user);

describe('open items', () => {
  test('list unsent tasks, unseen alerts, missing containment and an unanswered question', async () => {
    const id = await openCase({ tasks: 2 });
    await scoped(world.t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ client_question_at: new Date() }).where('id', '=', id).execute(),
    );
    expect(await openItems(id)).toEqual({
      items: [
        { kind: 'tasks', count: 2 },
        { kind: 'alerts', count: 2 },
        { kind: 'containment', count: 1 },
        { kind: 'question', count: 1 },
      ],
      needsAnswers: true,
    });
  });

  test('require no answers of a medium case, and ask nothing of people of the client', async () => {
    const id = await openCase({ criticality: 3 });
    expect((await openItems(id)).needsAnswers).toBe(false);
    expect(await openItems(await openCase(), world.clientAdmin)).toEqual({ items: [], needsAnswers: false });
  });

  test('require answers by the verdict that stands, not by the one of decisioning', async () => {
    const id = await openCase({ criticality: 3 });
    const isRequired = async (values: object) => {
      await scoped(world.t.db, 'system', (tx) => tx.updateTable('cases').set(values).where('id', '=', id).execute());
      return (await openItems(id)).needsAnswers;
    };
    expect(await isRequired({ verdict: 'Malicious', confidence: 94 })).toBe(true);
    expect(await isRequired({ investigation_status: investigationStatusIds.falsePositive })).toBe(false);
    expect(await isRequired({ investigation_status: investigationStatusIds.malicious, verdict: 'Benign' })).toBe(true);
  });

  test('answer 404 outside the scope', async () => {
    const id = await openCase();
    expect(await world.statusOf(casesApi.openItems, { params: { caseId: id } }, world.stranger)).toBe(404);
  });
});

describe('closing with a resolution', () => {
  test('refuses a critical case until each open item is answered, naming it', async () => {
    const id = await openCase();
    const refused = await close(id, { resolution: 'truePositive', reason: 'Confirmed.' });
    expect(refused.statusCode).toBe(400);
    expect(Object.keys(refused.json().errors).sort()).toEqual([
      'closing.answers.alerts',
      'closing.answers.containment',
      'closing.answers.tasks',
    ]);
    expect((await world.row(id)).closed_at).toBeNull();
    const answers = { tasks: 'The address is gone.', alerts: 'Repeats.', containment: 'Blocked before it ran.' };
    expect((await close(id, { resolution: 'truePositive', reason: 'Confirmed.', answers })).statusCode).toBe(200);
    expect(await world.row(id)).toMatchObject({
      resolution: 'truePositive',
      resolution_reason: 'Confirmed.',
      containment: 'notNeeded',
    });
  });

  test('needs no containment for a benign case: its reason states why', async () => {
    const id = await openCase({ newCount: 0, tasks: 0 });
    expect((await close(id, { resolution: 'benign', reason: 'Planned work.' })).statusCode).toBe(200);
    const detail = await world.detail(world.analyst, id);
    expect(detail.caseGeneralInfo).toMatchObject({
      resolution: 'benign',
      resolutionReason: 'Planned work.',
      containment: 'notNeeded',
    });
    expect(detail.caseGeneralInfo.clocks.find((clock: Clock) => clock.name === 'contain')?.state).toBe('met');
  });

  test('asks a reason of analysts for every case', async () => {
    const refused = await close(await openCase({ criticality: 3 }), { resolution: 'duplicate', reason: '  ' });
    expect(refused.json().errors).toEqual({ 'closing.reason': ['Enter the reason of this resolution.'] });
  });

  test('takes the resolution alone from people of the client, also for a critical case', async () => {
    const id = await openCase();
    expect((await close(id, { resolution: 'falsePositive' }, world.clientAdmin)).statusCode).toBe(200);
    expect(await world.row(id)).toMatchObject({ resolution: 'falsePositive', resolution_reason: null });
  });

  test('keeps the reason and the answers from people of the client', async () => {
    const id = await openCase({ criticality: 3 });
    await close(id, { resolution: 'benign', reason: 'secret-reason', answers: { tasks: 'secret-answer' } });
    const seen = JSON.stringify(await world.detail(world.clientAdmin, id));
    expect(seen).toContain('"resolution":"benign"');
    expect(seen).not.toMatch(/secret-(reason|answer)/);
    expect(JSON.stringify(await world.detail(world.analyst, id))).toMatch(/secret-answer/);
    expect((await world.audit('case.resolved', id))[0]).toMatchObject({ visibility: 'internal' });
  });

  test('records only answers to items that are open', async () => {
    const id = await openCase({ newCount: 0, tasks: 0 });
    await close(id, {
      resolution: 'benign',
      reason: 'Planned.',
      answers: { tasks: 'none', alerts: 'none', containment: 'none' },
    });
    expect((await world.audit('case.resolved', id))[0]?.after).toMatchObject({ answers: {} });
  });
});

describe('closing without a resolution', () => {
  test('stays valid, recorded as not stated, and misses the containment target', async () => {
    const id = await openCase();
    expect((await close(id, undefined)).statusCode).toBe(200);
    const { caseGeneralInfo } = await world.detail(world.analyst, id);
    expect(caseGeneralInfo).toMatchObject({ resolution: 'notStated', containment: null });
    expect(caseGeneralInfo.clocks.find((clock: Clock) => clock.name === 'contain')).toMatchObject({
      state: 'missed',
      doneAt: null,
    });
  });

  test('reopening clears the resolution', async () => {
    const id = await openCase({ criticality: 3 });
    await close(id, { resolution: 'benign', reason: 'Planned.' });
    await world.setStatus(id, 'investigating');
    expect(await world.row(id)).toMatchObject({
      resolution: null,
      resolution_reason: null,
      containment: null,
      contained_at: null,
    });
  });
});

describe('closing many cases', () => {
  test('skips critical cases with open items and records the resolution of the others', async () => {
    const [plain, critical] = [await openCase({ criticality: 2 }), await openCase()];
    const outcome = await scoped(world.t.db, 'system', async (tx) => {
      const actor: Actor = {
        userId: world.analyst.id,
        sessionId: '',
        role: 'Partner Analyst',
        isPartner: true,
        organisationId: world.partner,
        organisationIds: [world.partner, world.client],
        displayName: 'Analyst',
        email: '',
        ...neverProven,
        address: '',
      };
      const closing = { resolution: 'acceptedRisk' as const, reason: 'Accepted by the client.' };
      return bulkCasesOn(systemClock).setStatus(tx, scopeOf(actor), actor, [plain, critical], 'closed', closing);
    });
    expect(outcome.changed.map(({ id }) => id)).toEqual([plain]);
    expect(outcome.faults).toEqual([`Case ${critical} is critical or malicious and has open items. Close it on its own page.`]);
    expect(await world.row(plain)).toMatchObject({ resolution: 'acceptedRisk', resolution_reason: 'Accepted by the client.' });
    expect((await world.row(critical)).resolution).toBeNull();
  });
});

describe('lists', () => {
  test('filter, count and export by resolution', async () => {
    const id = await openCase({ criticality: 1 });
    await close(id, { resolution: 'duplicate', reason: 'Of another case.' });
    const listed = await world.list(world.analyst, { filters: { resolution: ['duplicate'] } });
    expect(listed.results.map((row: CaseRow) => row.id)).toContain(id);
    expect(listed.results.every((row: CaseRow) => row.resolution === 'duplicate')).toBe(true);
    const params = { client: world.client, ...range };
    const facets = await world.ok(casesApi.filters, { params }, world.analyst);
    expect(facets.resolution.find((facet: { value: string }) => facet.value === 'duplicate')?.count).toBe(listed.total);
    const csv = await world.t.call(casesApi.exportList, { params, query: { resolution: 'duplicate' } as never }, world.analyst);
    expect(csv.body).toContain('Duplicate');
  });

  test('agree with the story, the documents and the assistant on the verdict that stands', async () => {
    const { t, client, analyst } = world;
    const ids = [];
    for (const resolution of ['falsePositive', 'truePositive', 'acceptedRisk', undefined] as const) {
      const id = await openCase({ criticality: 2, tasks: 0, newCount: 0 });
      await scoped(t.db, 'system', (tx) =>
        tx
          .updateTable('cases')
          .set({ verdict: 'Malicious', confidence: 94, contained_at: new Date() })
          .where('id', '=', id)
          .execute(),
      );
      if (resolution) expect((await close(id, { resolution, reason: 'Examined.', answers: {} })).statusCode).toBe(200);
      ids.push(id);
    }
    const [wrong, confirmed, accepted, open] = ids;
    const params = { client, ...range };
    const facets = await world.ok(casesApi.filters, { params }, analyst);
    const csvOf = async (verdict: string) =>
      (await t.call(casesApi.exportList, { params, query: { verdict } as never }, analyst)).body.trim().split('\r\n').slice(1);
    for (const [verdict, wanted] of [
      ['Malicious', [confirmed, open]],
      ['False positive', [wrong]],
      ['Accepted risk', [accepted]],
    ] as const) {
      const listed = await world.list(analyst, { filters: { verdict: [verdict] } });
      const found = listed.results.map((row: CaseRow) => row.id);
      for (const id of ids) expect([id, found.includes(id)]).toEqual([id, (wanted as readonly unknown[]).includes(id)]);
      expect(listed.results.every((row: CaseRow) => judgementOf(row).verdict === verdict)).toBe(true);
      expect(facets.verdict.find(({ value }: { value: string }) => value === verdict)?.count).toBe(listed.total);
      const lines = await csvOf(verdict);
      expect([lines.length, lines.every((line: string) => line.includes(verdict))]).toEqual([listed.total, true]);
      const query = encodeQuery({ entity: 'case', measure: { kind: 'list' }, where: { field: 'verdict', in: [verdict] } });
      expect((await world.list(analyst, { filters: { query } as never })).total).toBe(listed.total);
    }
    const { results } = await world.list(analyst, { filters: { verdict: ['False positive'] } });
    expect(results[0]).toMatchObject({ verdict: 'Malicious', confidenceScore: 94 });
    const detail = await world.ok(casesApi.detail, { params: { id: wrong!, clientOrgId: client } }, analyst);
    expect(detail.story.clauses[0].text).toBe('This resembles an attack but was closed as a false positive.');
    expect(detail.alertNarrative).toContain('The case was closed as a false positive on');
    expect(detail.alertNarrative).not.toContain('malicious');
  });
});

test('separates the mean time to contain from the mean time to resolve', async () => {
  const { t, client, analyst } = world;
  const opened = Date.UTC(2020, 2, 2);
  const minutes = (count: number) => new Date(opened + count * 60_000);
  const cases = [
    { contained_at: minutes(30), containment: 'verified', closed_at: minutes(120) },
    // A reason that none was needed meets the target, but is no containment.
    { contained_at: minutes(10), containment: 'notNeeded', closed_at: minutes(60) },
    { contained_at: null, containment: null, closed_at: minutes(240) },
    { contained_at: minutes(50), containment: 'verified', closed_at: null },
  ] as const;
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('cases')
      .values(
        cases.map((times, index) => ({
          ...times,
          organisation_id: client,
          title: `Timed ${index}`,
          criticality: 4,
          created_at: minutes(0),
          first_alert_at: minutes(0),
          last_alert_at: minutes(0),
          ...(times.closed_at && { status: 'closed' as const }),
        })),
      )
      .execute(),
  );
  const answer = await world.ok(
    casesApi.times,
    { params: { client, start: minutes(-1).toISOString(), end: minutes(1).toISOString() } },
    analyst,
  );
  expect(answer.results).toMatchObject([
    { clientOrganizationID: client, cases: 4, meanMinutesToContain: 40, meanMinutesToResolve: 140 },
  ]);
});
