import { randomUUID } from 'node:crypto';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { sapphireWorld } from '../../../test/sapphire.fixture.ts';
import { scoped } from '../../core/db/scope.ts';

let w: Awaited<ReturnType<typeof sapphireWorld>>;
beforeAll(async () => {
  w = await sapphireWorld();
});
afterAll(() => w.t.close());

const submit = (user: TestUser, clientKnowledge: string) =>
  w.t.call(sapphireApi.insertKnowledge, { body: { clientKnowledge } }, user);
const listed = async (client: number) =>
  (await w.t.call(sapphireApi.listKnowledge, { params: { client } }, w.people.partnerAdmin)).json().results;
const audited = (action: string) =>
  scoped(w.t.db, 'system', (tx) => tx.selectFrom('audit').selectAll().where('action', '=', action).execute());

test('accepts submissions of Hosts and of users that an administrator permitted', async () => {
  const { admin, host, partnerAdmin, siblingAdmin } = w.people;
  const may = async (user: TestUser) => (await w.t.call(sapphireApi.may, {}, user)).json().isTeacher;
  expect([await may(host), await may(admin)]).toEqual([true, false]);
  const refused = await submit(admin, 'Text');
  expect([refused.statusCode, refused.json().error]).toEqual([403, expect.stringContaining('Ask yours for permission')]);
  const set = (client: number, user: number, isTeacher: boolean, by = partnerAdmin) =>
    w.t.call(sapphireApi.setTeacher, { params: { client, user }, body: { isTeacher } }, by);
  expect((await set(w.client, siblingAdmin.id, true)).statusCode).toBe(404);
  expect((await set(w.client, admin.id, true, admin)).statusCode).toBe(403);
  expect((await set(w.client, admin.id, true)).statusCode).toBe(200);
  expect(await may(admin)).toBe(true);
  expect((await submit(admin, 'Text')).json()).toEqual({ data: true });
  expect((await submit(admin, '   ')).json()).toEqual({ data: false });
  const teachers = (await w.t.call(sapphireApi.listTeachers, { params: { client: w.client } }, partnerAdmin)).json().results;
  expect(teachers).toContainEqual(expect.objectContaining({ userID: admin.id, isTeacher: true, isAlways: false }));
  expect((await set(w.client, admin.id, false)).statusCode).toBe(200);
  expect((await submit(admin, 'Text')).statusCode).toBe(403);
  expect(await audited('sapphire.teacherSet')).toHaveLength(2);
});

test('uses approved entries in their organisation and below, with author and date', async () => {
  const { host, partnerAdmin, admin, siblingAdmin } = w.people;
  const text = 'The printers in building seven reboot every Sunday night; their silence then is expected.';
  expect((await submit(host, text)).statusCode).toBe(200);
  const ask = (user: TestUser) => w.ask(user, 'Why do the printers reboot in building seven?');
  expect((await ask(host)).kind).not.toBe('knowledge');
  const [entry] = (await w.t.call(sapphireApi.listKnowledge, { params: { client: 1 } }, host)).json().results;
  expect(entry).toMatchObject({ state: 'pending', text });
  // A partner cannot review the provider’s knowledge.
  const review = (user: TestUser, state: 'approved' | 'rejected', client = 1) =>
    w.t.call(sapphireApi.reviewKnowledge, { params: { client, knowledge: entry.id }, body: { state } }, user);
  expect((await review(partnerAdmin, 'approved')).statusCode).toBe(403);
  expect((await review(partnerAdmin, 'approved', w.client)).statusCode).toBe(404);
  expect((await review(host, 'approved')).statusCode).toBe(200);
  for (const [user, from] of [
    [host, /^From the knowledge of your organisation \(Test Host, \d+ \w+ \d{4}/],
    // A client sees neither the provider’s name nor its author’s.
    [partnerAdmin, /^From the knowledge of your SOC \(SOC Analyst, \d+ \w+ \d{4}/],
    [admin, /^From the knowledge of your SOC \(SOC Analyst, \d+ \w+ \d{4}/],
  ] as const) {
    const answer = await ask(user);
    expect(answer.kind).toBe('knowledge');
    expect(answer.sapphireEndpointResponse).toContain(text);
    expect(answer.sapphireEndpointResponse).toMatch(from);
  }
  // Found by similarity despite misspellings.
  expect((await w.ask(siblingAdmin, 'prinetrs in buildng seven rebooot')).kind).toBe('knowledge');
  expect((await review(host, 'rejected')).statusCode).toBe(200);
  expect((await ask(admin)).kind).not.toBe('knowledge');
});

test('keeps a client’s knowledge from its sibling and its partner', async () => {
  const add = await w.t.call(
    sapphireApi.addKnowledge,
    { params: { client: w.client }, body: { text: 'The forklift tablets are enrolled by Mrs Quist.' } },
    w.people.partnerAdmin,
  );
  expect(add.json()).toMatchObject({ state: 'approved' });
  const kind = async (user: TestUser) => (await w.ask(user, 'Who enrols the forklift tablets?')).kind;
  expect(await kind(w.people.admin)).toBe('knowledge');
  expect(await kind(w.people.siblingAdmin)).not.toBe('knowledge');
});

test('turns an unanswered question into knowledge and removes it from the list', async () => {
  const conversationUUID = randomUUID();
  const { messageID, kind } = await w.ask(w.people.admin, 'Who waters the plants in the lobby?', { conversationUUID });
  expect(kind).toBe('unknown');
  const open = async () =>
    (await w.t.call(sapphireApi.listQuestions, { params: { client: w.client } }, w.people.partnerAdmin))
      .json()
      .results.map(({ id }: { id: number }) => id);
  expect(await open()).toContain(messageID);
  const add = (client: number) =>
    w.t.call(
      sapphireApi.addKnowledge,
      { params: { client }, body: { text: 'The plants in the lobby are watered by the facility team.', questionID: messageID } },
      w.people.partnerAdmin,
    );
  expect((await add(w.sibling)).statusCode).toBe(404);
  expect((await add(w.client)).statusCode).toBe(200);
  expect(await open()).not.toContain(messageID);
  const answer = await w.ask(w.people.admin, 'Who waters the plants in the lobby?');
  expect(answer.sapphireEndpointResponse).toContain('facility team');
  expect(await listed(w.sibling)).toEqual([]);
});
