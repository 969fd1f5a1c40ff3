import { casesApi, foreignAlertText } from '@parapet/contract/cases.ts';
import { caseStatusValues, mayFollow } from '@parapet/contract/rules/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { casesWorld } from '../../../test/cases.fixture.ts';
import { seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { publish } from '../../core/bus.ts';
import { scoped } from '../../core/db/scope.ts';

const {
  t,
  partner,
  client,
  sibling,
  analyst,
  colleague,
  clientAdmin,
  clientAnalyst,
  stranger,
  ok,
  statusOf,
  detail,
  row,
  history,
  audit,
  setStatus,
} = await casesWorld();
afterAll(() => t.close());

describe('assignment', () => {
  test('lists analysts with access to the client and to cases', async () => {
    const { results } = await ok(casesApi.analysts, { params: { clientOrgId: client } }, analyst);
    const ids = results.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(expect.arrayContaining([analyst.id, colleague.id, clientAnalyst.id]));
    expect(ids).not.toContain(clientAdmin.id);
    expect(ids).not.toContain(stranger.id);
    expect(results[0]).toMatchObject({ firstName: 'Test', displayName: expect.stringMatching(/^T\. /) });
    const own = await ok(casesApi.analysts, { params: { clientOrgId: client } }, clientAdmin);
    expect(own.results.map(({ id }: { id: number }) => id)).toEqual([clientAnalyst.id]);
  });

  test('assigns, acknowledges and notifies once on a double click', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const body = { caseID: id, analystUserAccountID: colleague.id, version: 1 };
    const { case: after } = await ok(casesApi.changeAnalyst, { body }, analyst);
    expect(after).toMatchObject({
      status: 'assigned',
      analystUserAccountID: colleague.id,
      analyst: 'T. Partner Analyst',
      version: 2,
    });
    expect((await row(id)).acknowledged_at).not.toBeNull();
    const again = await ok(casesApi.changeAnalyst, { body: { caseID: id, analystUserAccountID: colleague.id } }, analyst);
    expect(again.case.version).toBe(2);
    expect(await history(id)).toMatchObject([
      { kind: 'assignment', text: 'Assigned to T. Partner Analyst', actor_user_id: analyst.id },
    ]);
    expect(await audit('case.assigned', id)).toHaveLength(1);
    const none = await ok(casesApi.changeAnalyst, { body: { caseID: id, analystUserAccountID: null } }, analyst);
    expect(none.case).toMatchObject({ status: 'open', analystUserAccountID: null, analyst: null });
  });

  test('refuses foreign, deleted and unauthorised users', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const gone = await t.user({ organisationId: partner, role: 'Partner Analyst' });
    await scoped(t.db, 'system', (tx) => tx.updateTable('users').set({ is_deleted: true }).where('id', '=', gone.id).execute());
    for (const user of [stranger.id, gone.id, clientAdmin.id, 2_000_000_000]) {
      const answer = await t.call(casesApi.changeAnalyst, { body: { caseID: id, analystUserAccountID: user } }, analyst);
      expect(answer.statusCode).toBe(400);
      expect(Object.keys(answer.json().errors)).toEqual(['analystUserAccountID']);
    }
    expect(await row(id)).toMatchObject({ version: 1, analyst_user_id: null });
  });
});

describe('the status', () => {
  test.each(caseStatusValues.flatMap((from) => caseStatusValues.filter((to) => to !== from).map((to) => [from, to] as const)))(
    '%s → %s as the table says',
    async (from, to) => {
      const closed = from === 'closed' || from === 'escalated:closed';
      const { id } = await seedCase(t.db, {
        organisationId: client,
        alerts: [],
        set: { status: from, ...(closed && { closed_at: new Date(), closed_by: analyst.id, closed_by_name: 'x' }) },
      });
      const answer = await setStatus(id, to);
      expect(answer.statusCode, answer.body).toBe(mayFollow(from, to) ? 200 : 409);
      const after = await row(id);
      expect(after.status).toBe(mayFollow(from, to) ? to : from);
      if (mayFollow(from, to)) {
        expect(after.closed_at !== null).toBe(to === 'closed' || to === 'escalated:closed');
      } else {
        expect(answer.json().error).toContain(String(id));
        expect(after.version).toBe(1);
      }
    },
  );

  test('records the closer, stops timers and requests a review on closing, and reverts on reopening', async () => {
    const { id } = await seedCase(t.db, {
      organisationId: client,
      set: {
        investigation_status: 3,
        waiting_since: new Date(Date.now() - hourMs),
        wait_expires_at: new Date(Date.now() + hourMs),
      },
    });
    expect((await setStatus(id, 'closed')).json().case).toMatchObject({ status: 'closed', clock: null, version: 2 });
    const closed = await row(id);
    expect(closed).toMatchObject({ closed_by: analyst.id, closed_by_name: 'Test Partner Analyst', waiting_since: null });
    expect(closed.acknowledged_at).not.toBeNull();
    expect(closed).toMatchObject({ contained_at: null, resolution: 'notStated' });
    expect(closed.waited_ms / hourMs).toBeCloseTo(1, 1);
    const review = () =>
      scoped(t.db, 'system', (tx) => tx.selectFrom('case_reviews').selectAll().where('case_id', '=', id).executeTakeFirst());
    expect(await review()).toMatchObject({ decision_id: 14, case_closed_at: closed.closed_at });
    expect((await setStatus(id, 'investigating')).json().case).toMatchObject({ status: 'investigating', closedTime: null });
    expect(await row(id)).toMatchObject({ closed_at: null, closed_by: null, closed_by_name: '' });
  });

  test('ignores a double click', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const answers = await Promise.all(Array.from({ length: 5 }, () => setStatus(id, 'investigating')));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    expect((await row(id)).version).toBe(2);
    expect(await history(id)).toHaveLength(1);
    expect(await audit('case.statusChanged', id)).toHaveLength(1);
  });

  test('returns both versions to the loser of a concurrent change', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const answers = await Promise.all([setStatus(id, 'escalated', analyst, 1), setStatus(id, 'malicious', colleague, 1)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    const refused = answers.find(({ statusCode }) => statusCode === 409)!;
    expect(refused.json()).toMatchObject({ code: 'conflict', versions: { yours: 1, current: 2 } });
    expect((await row(id)).version).toBe(2);
  });

  test('allows changes by the client’s administrator only', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    expect((await setStatus(id, 'investigating', clientAdmin)).statusCode).toBe(200);
    expect((await setStatus(id, 'escalated', clientAnalyst)).statusCode).toBe(403);
    expect((await setStatus(id, 'escalated', stranger)).statusCode).toBe(404);
    expect(await statusOf(casesApi.changeStatus, { body: { incidentID: id, caseStatus: 'escalated' } })).toBe(401);
    expect((await row(id)).status).toBe('investigating');
  });
});

describe('the investigation', () => {
  const change = (caseID: number, investigationStatus: number, more: object = {}, user = analyst) =>
    t.call(casesApi.changeInvestigationStatus, { body: { caseID, investigationStatus, ...more } }, user);

  test('pauses for the client up to the limit and resumes', async () => {
    const { id } = await seedCase(t.db, { organisationId: client, at: Date.now() - 60_000, criticality: 1 });
    await change(id, 3);
    const waiting = await row(id);
    expect((waiting.wait_expires_at!.getTime() - waiting.waiting_since!.getTime()) / hourMs).toBe(72);
    expect(waiting.acknowledged_at).not.toBeNull();
    const seen = await detail(analyst, id);
    expect(seen.caseGeneralInfo).toMatchObject({
      investigationStatus: 3,
      waitExpiration: waiting.wait_expires_at!.toISOString(),
    });
    expect(seen.caseGeneralInfo.clocks.map(({ state }: { state: string }) => state)).toEqual(['met', 'paused', 'paused']);
    await change(id, 3);
    expect((await row(id)).version).toBe(2);
    await change(id, 3, { waitHours: 1 });
    expect((await row(id)).waiting_since).toEqual(waiting.waiting_since);
    await change(id, 2);
    expect(await row(id)).toMatchObject({ investigation_status: 2, waiting_since: null, wait_expires_at: null, version: 4 });
  });

  test('refuses closed cases, unauthorised users and stale versions', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    expect((await change(id, 2, {}, clientAdmin)).statusCode).toBe(403);
    expect((await change(id, 2, {}, stranger)).statusCode).toBe(404);
    expect((await change(id, 9)).statusCode).toBe(400);
    expect((await change(id, 2, { version: 7 })).statusCode).toBe(409);
    await setStatus(id, 'closed');
    expect((await change(id, 3)).statusCode).toBe(409);
    expect((await change(id, 4)).statusCode).toBe(200);
  });
});

describe('notes and narratives', () => {
  const hostile = '<script>alert(1)</script> \u202Egnp.exe {{7*7}} =cmd|calc';
  const note = (body: object, user = analyst) => t.call(casesApi.saveNote, { body: body as never }, user);
  const narrative = (body: object, user = analyst, clientId = client) =>
    t.call(casesApi.saveNarrative, { params: { clientId }, body: body as never }, user);

  test('lets only the author edit a note and keeps the case’s version', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const saved = (await note({ caseID: id, text: hostile })).json();
    expect(saved).toMatchObject({
      text: hostile,
      isInternal: true,
      isMine: true,
      author: 'T. Partner Analyst',
      changedTime: null,
    });
    expect((await note({ caseID: id, id: saved.id, text: 'mine now' }, colleague)).statusCode).toBe(403);
    const changed = (await note({ caseID: id, id: saved.id, text: 'better', isInternal: false })).json();
    expect(changed).toMatchObject({ id: saved.id, text: 'better', isInternal: false });
    expect(changed.changedTime).not.toBeNull();
    expect((await row(id)).version).toBe(1);
    expect(await audit('case.noteSaved', id)).toHaveLength(2);
    expect((await note({ caseID: id, text: ' ' })).statusCode).toBe(400);
    expect((await note({ caseID: id, text: 'a\u0000b' })).statusCode).toBe(400);
    expect((await note({ caseID: id, text: 'x' }, clientAdmin)).statusCode).toBe(403);
    expect((await note({ caseID: id, text: 'x' }, stranger)).statusCode).toBe(404);
    const other = await seedCase(t.db, { organisationId: client });
    expect((await note({ caseID: other.id, id: saved.id, text: 'moved' })).statusCode).toBe(404);
  });

  test('lets a narrative be edited until it is emailed', async () => {
    const { id } = await seedCase(t.db, { organisationId: client });
    const saved = (await narrative({ caseID: id, text: hostile })).json();
    expect(saved).toMatchObject({
      text: hostile,
      analystUserAccountFull: { displayName: 'T. Partner Analyst' },
      emailSentTimestamp: null,
    });
    expect((await narrative({ caseID: id, id: saved.id, text: 'better' }, colleague)).json()).toMatchObject({
      id: saved.id,
      text: 'better',
    });
    await scoped(t.db, 'system', (tx) =>
      tx.updateTable('case_narratives').set({ email_sent_at: new Date() }).where('id', '=', saved.id).execute(),
    );
    expect((await narrative({ caseID: id, id: saved.id, text: 'late' })).statusCode).toBe(409);
    expect((await narrative({ caseID: id, text: 'x' }, analyst, sibling)).statusCode).toBe(404);
    expect((await narrative({ caseID: id, text: 'x' }, stranger)).statusCode).toBe(403);
    expect((await narrative({ caseID: id, text: 'x' }, clientAdmin)).statusCode).toBe(403);
  });
});

describe('a manually added alert', () => {
  const add = (caseID: number, alertID: number, user = analyst) => t.call(casesApi.addAlert, { body: { caseID, alertID } }, user);
  const caseOf = async (alertId: number) =>
    (
      await scoped(t.db, 'system', (tx) => tx.selectFrom('case_alerts').selectAll().where('alert_id', '=', alertId).execute())
    ).map(({ case_id }) => case_id);

  test('moves between cases and recomputes both', async () => {
    const [from, to] = [
      await seedCase(t.db, { organisationId: client, alerts: 2, criticality: 5 }),
      await seedCase(t.db, { organisationId: client, alerts: 1, criticality: 2 }),
    ];
    const alertId = from.alerts[0]!.id;
    const answer = await add(to.id, alertId);
    expect(answer.json().case, answer.body).toMatchObject({ id: to.id, alertCount: 2, criticality: 'critical' });
    expect(await caseOf(alertId)).toEqual([to.id]);
    expect(await row(from.id)).toMatchObject({ alert_count: 1, needs_decision: true });
    expect((await history(from.id)).at(-1)?.text).toContain(`moved to case ${to.id}`);
    const version = (await row(to.id)).version;
    expect((await add(to.id, alertId)).json().case.version).toBe(version);
    await add(to.id, from.alerts[1]!.id);
    expect(await row(from.id)).toMatchObject({ alert_count: 0, new_count: 0, score: 0 });
  });

  test('joins from outside cases and is left there by correlation', async () => {
    const to = await seedCase(t.db, { organisationId: client });
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now() - hourMs, rule: await seedRule(t.db) }]);
    await scoped(t.db, 'system', (tx) =>
      tx
        .insertInto('correlation_queue')
        .values({ organisation_id: client, alert_id: alert!.id, alert_at: new Date(alert!.at) })
        .execute(),
    );
    expect((await add(to.id, alert!.id)).statusCode).toBe(200);
    expect(await caseOf(alert!.id)).toEqual([to.id]);
    const queued = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('correlation_queue').selectAll().where('alert_id', '=', alert!.id).execute(),
    );
    expect(queued).toEqual([]);
  });

  test('rejects another organisation’s alert with the specified text', async () => {
    const mine = await seedCase(t.db, { organisationId: client });
    const theirs = await seedCase(t.db, { organisationId: sibling });
    const answer = await add(mine.id, theirs.alerts[0]!.id);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toBe(foreignAlertText);
    expect(await caseOf(theirs.alerts[0]!.id)).toEqual([theirs.id]);
    expect(await row(mine.id)).toMatchObject({ version: 1, alert_count: 1 });
  });

  test('returns 404 outside the scope and 403 without permission', async () => {
    const mine = await seedCase(t.db, { organisationId: client });
    const hidden = await seedCase(t.db, { organisationId: stranger.organisationId });
    expect((await add(mine.id, hidden.alerts[0]!.id)).statusCode).toBe(404);
    expect((await add(hidden.id, mine.alerts[0]!.id)).statusCode).toBe(404);
    expect((await add(mine.id, 2_000_000_000)).statusCode).toBe(404);
    expect((await add(mine.id, mine.alerts[0]!.id, clientAdmin)).statusCode).toBe(403);
  });

  test('lands in one case when two add it concurrently', async () => {
    const [a, b] = [await seedCase(t.db, { organisationId: client }), await seedCase(t.db, { organisationId: client })];
    const [alert] = await seedAlerts(t.db, client, [{ at: Date.now() - hourMs, rule: await seedRule(t.db) }]);
    const answers = await Promise.all([add(a.id, alert!.id), add(b.id, alert!.id, colleague)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const [holder] = await caseOf(alert!.id);
    for (const { id } of [a, b]) expect((await row(id)).alert_count).toBe(id === holder ? 2 : 1);
  });

  test('does not deadlock when moved both ways concurrently', async () => {
    const [a, b] = [
      await seedCase(t.db, { organisationId: client, alerts: 2 }),
      await seedCase(t.db, { organisationId: client, alerts: 2 }),
    ];
    const answers = await Promise.all([add(b.id, a.alerts[0]!.id), add(a.id, b.alerts[0]!.id, colleague)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(await row(a.id)).toMatchObject({ alert_count: 2 });
    expect(await row(b.id)).toMatchObject({ alert_count: 2 });
  });
});

test('streams changes of the own scope only', async () => {
  const url = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  const open = (user: TestUser | undefined, id: number, signal?: AbortSignal) =>
    fetch(`${url}/api/v1/case/live/${id}`, {
      headers: user ? { authorization: `Bearer ${user.token}` } : {},
      ...(signal && { signal }),
    });
  expect((await open(undefined, client)).status).toBe(401);
  expect((await open(stranger, client)).status).toBe(403);
  expect((await open(clientAnalyst, 0)).status).toBe(403);
  const end = new AbortController();
  const answer = await open(clientAnalyst, client, end.signal);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const part of answer.body!) text += decoder.decode(part, { stream: true });
  })().catch(() => undefined);
  await vi.waitFor(() => expect(text).toContain('retry: '));
  const { id } = await seedCase(t.db, { organisationId: client });
  const theirs = await seedCase(t.db, { organisationId: sibling });
  await setStatus(theirs.id, 'investigating');
  await setStatus(id, 'investigating');
  await vi.waitFor(() => expect(text).toContain(`data: {"caseID":${id},"clientOrganizationID":${client},"isNew":false}`), {
    timeout: 5_000,
  });
  await scoped(t.db, 'system', (tx) => publish(tx, 'case.changed', { organisationId: client, caseIds: [77], isNew: true }));
  await vi.waitFor(() => expect(text).toContain('"caseID":77,'), { timeout: 5_000 });
  expect(text).not.toContain(`"caseID":${theirs.id},`);
  end.abort();
  await reading;
});
