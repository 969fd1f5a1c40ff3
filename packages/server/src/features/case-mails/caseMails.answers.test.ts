/** The client's answer by a link of a case's mail. */
import { caseMailsApi, emailActionTexts } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { afterAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { caseMailsWorld, soc } from '../../../test/caseMails.fixture.ts';
import type { SeedCase } from '../../../test/seed.ts';

const {
  t,
  partner,
  client,
  analyst,
  triage,
  stranger,
  manager,
  reader,
  system,
  aCase,
  escalate,
  theCase,
  mailsOf,
  linksOf,
  answer,
  historyOf,
  close,
} = await caseMailsWorld();
afterAll(close);

describe('the answer by link', () => {
  const escalated = async (seed: Partial<SeedCase> = {}) => {
    const { id } = await aCase(seed);
    expect((await escalate(id)).statusCode).toBe(200);
    return { id, links: await linksOf(id) };
  };

  test('returns the case to its analyst and invalidates all links on benign', async () => {
    const { id, links } = await escalated({ set: { analyst_user_id: analyst.id, analyst_name: 'T. Analyst' } });
    const [benign, malicious, ...bobs] = links;
    const done = await answer(id, 'benign', benign!.token);
    expect([done.statusCode, done.json()]).toEqual([200, { message: emailActionTexts.updated, exception: null }]);
    expect(await theCase(id)).toMatchObject({ status: 'investigating', investigation_status: 4, waiting_since: null });
    expect(await historyOf(id)).toContainEqual({
      kind: 'client',
      text: 'The client answered "benign" by the link emailed to ada@acme.example',
    });
    for (const { action, token } of [benign!, malicious!, ...bobs])
      expect((await answer(id, action, token)).json()).toEqual({ message: '', exception: { Message: emailActionTexts.onlyOne } });
    expect(await theCase(id)).toMatchObject({ status: 'investigating', investigation_status: 4 });
    const emails = (await mailsOf(id)).filter(({ kind }) => kind === 'case.answer');
    expect(emails).toMatchObject([
      {
        to_addresses: [analyst.email],
        organisation_id: partner,
        text: expect.stringContaining('Status: Investigating, benign'),
        subject: expect.stringContaining(`Case #${id}`),
      },
    ]);
    const audit = await system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'case.answered').where('target', '=', String(id)).execute(),
    );
    expect(audit).toMatchObject([
      { actor_user_id: null, organisation_id: client, after: { action: 'benign', recipient: 'ada@acme.example' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(benign!.token);
  });

  test('lists the answer for the case’s analyst until it is seen', async () => {
    const { id, links } = await escalated({ set: { analyst_user_id: analyst.id, analyst_name: 'T. Analyst' } });
    const unseen = async (user = analyst) =>
      (await t.call(casesApi.answers, { params: { client: 0 } }, user)).json().results.map((row: { id: number }) => row.id);
    const openItems = (await t.call(casesApi.openItems, { params: { caseId: id } }, analyst)).json();
    expect(openItems.items.map(({ kind }: { kind: string }) => kind)).toContain('question');
    expect(await unseen()).not.toContain(id);
    await answer(id, 'benign', links[0]!.token);
    expect(await unseen()).toContain(id);
    expect(await unseen(triage)).not.toContain(id);
    expect(await unseen(stranger)).not.toContain(id);
    expect((await t.call(casesApi.answerSeen, { body: { caseID: id } }, stranger)).statusCode).toBe(404);
    expect((await t.call(casesApi.answerSeen, { body: { caseID: id } }, analyst)).json().case).toMatchObject({
      clientAnswer: { answer: 'benign', isSeen: true },
    });
    expect(await unseen()).not.toContain(id);
  });

  test('counts one of many concurrent answers', async () => {
    const { id, links } = await escalated();
    const answers = await Promise.all([...links, ...links].map(({ action, token }) => answer(id, action, token)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    const outcomes = answers.map((each) => each.json().message || each.json().exception.Message).sort();
    expect(outcomes).toEqual([emailActionTexts.updated, ...Array(7).fill(emailActionTexts.onlyOne)].sort());
    expect((await historyOf(id)).filter(({ kind }) => kind === 'client')).toHaveLength(1);
    // Unassigned: the SOC is notified.
    expect((await mailsOf(id)).filter(({ kind }) => kind === 'case.answer')).toMatchObject([
      { to_addresses: [soc], organisation_id: 1 },
    ]);
  });

  test('marks and reopens the case on malicious, which benign does not revert', async () => {
    const first = await escalated();
    await answer(first.id, 'malicious', first.links[1]!.token);
    expect(await theCase(first.id)).toMatchObject({ status: 'malicious', investigation_status: 6, waiting_since: null });
    const detail = (await t.call(casesApi.detail, { params: { id: first.id, clientOrgId: client } }, analyst)).json();
    expect(detail.alertNarrative).toContain('reported as not expected by the client');
    expect(detail.alertNarrative).not.toContain('by an analyst');
    for (const [action, status] of [
      ['malicious', 'malicious'],
      ['benign', 'escalated:closed'],
    ] as const) {
      const { id, links } = await escalated();
      await system((tx) =>
        tx.updateTable('cases').set({ status: 'escalated:closed', closed_at: new Date() }).where('id', '=', id).execute(),
      );
      const link = links.find((each) => each.action === action)!;
      expect((await answer(id, action, link.token)).json().message).toBe(emailActionTexts.updated);
      expect((await theCase(id)).status).toBe(status);
    }
    // A link cannot revert a case that analysts marked malicious.
    const { id, links } = await escalated();
    await system((tx) =>
      tx.updateTable('cases').set({ status: 'malicious', investigation_status: 6 }).where('id', '=', id).execute(),
    );
    await answer(id, 'benign', links[0]!.token);
    expect(await theCase(id)).toMatchObject({ status: 'malicious', investigation_status: 6 });
  });

  test('returns 200 with a message for missing, invalid and expired values', async () => {
    const { id, links } = await escalated();
    const other = await escalated();
    const { token } = links[0]!;
    for (const [caseID, action, given, text] of [
      [undefined, 'benign', token, emailActionTexts.missing],
      [id, undefined, token, emailActionTexts.missing],
      [id, 'benign', undefined, emailActionTexts.missing],
      [id, 'benign', '', emailActionTexts.missing],
      [id, 'malicious', token, emailActionTexts.badRequest],
      [other.id, 'benign', token, emailActionTexts.badRequest],
      [id, 'isolate', token, emailActionTexts.badRequest],
      ['x', 'benign', token, emailActionTexts.badRequest],
      [id, 'benign', 'A'.repeat(43), emailActionTexts.badRequest],
      [id, 'benign', `${token}=`, emailActionTexts.badRequest],
    ] as const) {
      // A bearer token makes no difference.
      const done = await answer(caseID, action, given, stranger);
      expect([done.statusCode, done.json()]).toEqual([200, { message: '', exception: { Message: text } }]);
    }
    await system((tx) =>
      tx
        .updateTable('case_answer_links')
        .set({ expires_at: new Date(Date.now() - 1_000) })
        .where('case_id', '=', id)
        .execute(),
    );
    expect((await answer(id, 'benign', token)).json().exception.Message).toBe(emailActionTexts.badRequest);
    expect(await theCase(id)).toMatchObject({ status: 'escalated', investigation_status: 3 });
    expect((await historyOf(id)).filter(({ kind }) => kind === 'client')).toEqual([]);
  });

  test('accepts all values in the URL', async () => {
    const { id, links } = await escalated();
    const { action, token } = links[0]!;
    const done = await t.application.app.inject({
      method: 'POST',
      url: '/api/v1/CaseDetails/updateCase',
      query: { caseID: String(id), action, token },
    });
    expect(done.json()).toEqual({ message: emailActionTexts.updated, exception: null });
  });

  test('requires a confirmation for clients that configure it, with equal answers for unknown tokens', async () => {
    const { links } = await escalated();
    const needsPress = async (token: string) => (await t.call(caseMailsApi.answerNeedsPress, { body: { token } })).json();
    const set = (needs: boolean) =>
      system((tx) => tx.updateTable('organisations').set({ needs_press_on_answer: needs }).where('id', '=', client).execute());
    expect(await needsPress(links[0]!.token)).toEqual({ needsPress: false });
    await set(true);
    expect(await needsPress(links[0]!.token)).toEqual({ needsPress: true });
    expect(await needsPress('A'.repeat(43))).toEqual({ needsPress: false });
    await set(false);
  });
});

describe('caseMails.answer', () => {
  const answerIn = (caseID: number, action: 'benign' | 'malicious', user?: TestUser) =>
    t.call(caseMailsApi.answer, { body: { caseID, action } }, user);
  const escalated = async () => {
    const { id } = await aCase({ set: { analyst_user_id: analyst.id, analyst_name: 'T. Analyst' } });
    await escalate(id);
    return id;
  };
  const canAnswer = async (id: number, user: TestUser) =>
    (await t.call(casesApi.detail, { params: { id, clientOrgId: client } }, user)).json().can.answer;

  test('records the first answer of a person of the client, which ends the emailed links', async () => {
    const id = await escalated();
    const links = await linksOf(id);
    expect([await canAnswer(id, manager), await canAnswer(id, analyst)]).toEqual([true, false]);
    const done = await answerIn(id, 'malicious', manager);
    expect([done.statusCode, done.json()]).toEqual([200, { message: emailActionTexts.updated }]);
    expect(await theCase(id)).toMatchObject({ status: 'malicious', client_answer: 'malicious', client_answer_seen_at: null });
    expect(await historyOf(id)).toContainEqual({ kind: 'client', text: 'The client answered "malicious" in the portal' });
    expect((await answer(id, 'benign', links[0]!.token)).json().exception.Message).toBe(emailActionTexts.onlyOne);
    expect((await answerIn(id, 'benign', manager)).statusCode).toBe(409);
    expect((await mailsOf(id)).filter(({ kind }) => kind === 'case.answer')).toMatchObject([{ to_addresses: [analyst.email] }]);
    const unseen = (await t.call(casesApi.answers, { params: { client: 0 } }, analyst)).json().results;
    expect(unseen).toContainEqual(expect.objectContaining({ id }));
    const audit = await system((tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'case.answered').where('target', '=', String(id)).execute(),
    );
    expect(audit).toMatchObject([{ actor_user_id: manager.id, after: { action: 'malicious', recipient: manager.email } }]);
  });

  test('returns 409 without a question, 401 without sign-in, 403 to other roles and 404 to strangers', async () => {
    const { id: unasked } = await aCase();
    expect((await answerIn(unasked, 'benign', manager)).statusCode).toBe(409);
    expect(await canAnswer(unasked, manager)).toBe(false);
    const id = await escalated();
    expect((await answerIn(id, 'benign')).statusCode).toBe(401);
    for (const user of [analyst, triage, reader]) expect((await answerIn(id, 'benign', user)).statusCode).toBe(403);
    const elsewhere = await t.user({ organisationId: await t.organisation({ parentId: partner }), role: 'Manager' });
    expect((await answerIn(id, 'benign', elsewhere)).statusCode).toBe(404);
    expect(await theCase(id)).toMatchObject({ client_answer: null, status: 'escalated' });
  });

  test('answers a wait for the client that was set without an email', async () => {
    const { id } = await aCase();
    await t.call(casesApi.changeInvestigationStatus, { body: { caseID: id, investigationStatus: 3 } }, analyst);
    expect(await canAnswer(id, manager)).toBe(true);
    expect((await answerIn(id, 'benign', manager)).statusCode).toBe(200);
    expect(await theCase(id)).toMatchObject({ client_answer: 'benign', waiting_since: null });
  });
});
