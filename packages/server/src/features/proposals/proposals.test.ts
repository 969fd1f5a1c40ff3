/** Proposals by the service of the assistants' tools, decided by people through the portal's calls. */
import { proposalsApi as api } from '@parapet/contract/proposals.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts';
import { mcpCaller } from '../../../test/mcp.fixture.ts';
import { seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';

let t: TestApp;
let client: number;
let analyst: TestUser;
let caseId: number;
let propose: Awaited<ReturnType<typeof mcpCaller>>;

beforeAll(async () => {
  t = await testApp();
  const partner = await t.organisation({ isPartner: true });
  client = await t.organisation({ parentId: partner, name: 'Alder' });
  analyst = await t.user({ organisationId: partner, role: 'Administrator' });
  const rule = await seedRule(t.db, { title: 'Password guessing', criticality: 4 });
  const at = Date.now() - 3_600_000;
  const alerts = [{ at, rule, device: 'SRV-01', user: 'ana' }];
  ({ id: caseId } = await seedCase(t.db, { organisationId: client, at, alerts }));
  propose = await mcpCaller(t, analyst, ['read', 'triage', 'respond']);
});
afterAll(async () => {
  await propose.close();
  await t.close();
});

const list = async (user = analyst) => (await t.call(api.list, { params: { caseId } }, user)).json().results;
const decide = (id: number, body: object, user = analyst) =>
  t.call(api.decide, { params: { id }, body: { isAccepted: true, ...body } }, user);
const rows = (table: 'case_notes' | 'responses') =>
  scoped(t.db, 'system', (tx) => tx.selectFrom(table).selectAll().where('case_id', '=', caseId).orderBy('id').execute());

describe('a proposed note', () => {
  test('becomes a note of the person who accepts it, once', async () => {
    const { proposal } = await propose.call('propose_note', { case: caseId, text: 'Seen before, see case 3.' });
    expect(await rows('case_notes')).toEqual([]);
    expect(await list()).toMatchObject([{ id: proposal, kind: 'note', text: 'Seen before, see case 3.', isInternal: true }]);
    const [first, second] = await Promise.all([decide(proposal, {}), decide(proposal, {})]);
    expect([first.statusCode, second.statusCode].sort()).toEqual([200, 409]);
    expect(await rows('case_notes')).toMatchObject([{ author_user_id: analyst.id, is_internal: true }]);
    expect(await list()).toEqual([]);
  });

  test('leaves nothing when it is dismissed', async () => {
    const before = await rows('case_notes');
    const { proposal } = await propose.call('propose_note', { case: caseId, text: 'Wrong' });
    expect((await decide(proposal, { isAccepted: false })).statusCode).toBe(200);
    expect(await rows('case_notes')).toEqual(before);
    expect((await decide(proposal, {})).statusCode).toBe(409);
  });
});

describe('a proposed response', () => {
  test('waits until a person accepts it, and keeps the reason as its note', async () => {
    const args = { case: caseId, action: 'isolate', target: 'srv-01', reason: 'Guessed passwords' };
    const proposed = await propose.call('propose_response', args);
    expect(await rows('responses')).toEqual([]);
    expect((await decide(proposed.proposal, {})).statusCode).toBe(200);
    expect(await rows('responses')).toMatchObject([{ action: 'isolate', requested_by: analyst.id, note: 'Guessed passwords' }]);
  });

  test('fails at once for a device that the client does not have', async () => {
    const args = { case: caseId, action: 'isolate', target: 'SRV-99', reason: 'Guess' };
    expect(await propose.fails('propose_response', args)).toContain('There is no device "SRV-99"');
    expect(await list()).toEqual([]);
  });

  test('needs the warning of its target to be confirmed by the person', async () => {
    const args = { case: caseId, action: 'blockUser', target: 'administrator', deviceName: 'SRV-01', reason: 'Guess' };
    const { proposal, warning } = await propose.call('propose_response', args);
    expect(warning).toContain('administrator');
    expect((await list())[0].response.warning).toBe(warning);
    expect((await decide(proposal, {})).statusCode).toBe(409);
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([proposal]);
    expect((await decide(proposal, { acknowledgesWarning: true })).statusCode).toBe(200);
  });
});

test('rejects decisions by API keys, by clients and for other tenants', async () => {
  const { proposal } = await propose.call('propose_note', { case: caseId, text: 'Open' });
  const byKey = await t.application.app.inject({
    method: 'POST',
    url: `/api/v1/casedetails/proposals/${proposal}`,
    headers: { authorization: `Bearer ${propose.key}` },
    payload: { isAccepted: true },
  });
  expect(byKey.statusCode).toBe(403);
  const stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
  expect((await decide(proposal, {}, stranger)).statusCode).toBe(404);
  const ofClient = await t.user({ organisationId: client, role: 'Administrator' });
  expect((await decide(proposal, {}, ofClient)).statusCode).toBe(403);
  expect((await t.call(api.list, { params: { caseId } }, ofClient)).statusCode).toBe(403);
});

test('rejects the 21st open proposal of a case', async () => {
  const open = (await list()).length;
  for (let each = open; each < 20; each++) await propose.call('propose_note', { case: caseId, text: `${each}` });
  expect(await propose.fails('propose_note', { case: caseId, text: 'One more' })).toContain('20 open proposals');
});

test('records each proposal and decision in the audit log of the client', async () => {
  const entries = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .select(['action', 'actor_user_id', 'visibility'])
      .where('organisation_id', '=', client)
      .where('action', 'in', ['case.proposed', 'case.proposalDecided'])
      .orderBy('id')
      .limit(2)
      .execute(),
  );
  expect(entries).toMatchObject([
    { action: 'case.proposed', actor_user_id: analyst.id, visibility: 'internal' },
    { action: 'case.proposalDecided', actor_user_id: analyst.id, visibility: 'internal' },
  ]);
});
