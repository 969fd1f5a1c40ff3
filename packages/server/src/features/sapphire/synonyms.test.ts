import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { sapphireWorld } from '../../../test/sapphire.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { schemas } from '../../domain/query/schemas.ts';
import { createLexicon } from './parsing/lexicon.ts';
import { applicable, createSynonymCheck, replaced } from './synonyms.ts';

describe('replaced', () => {
  const synonyms = [
    { from: 'gizmo', to: 'device' },
    { from: 'war room', to: 'open cases' },
    { from: 'war', to: 'alerts' },
    { from: 'device', to: 'case' },
  ];
  test.each([
    ['How many Gizmos at Alder?', 'How many device at Alder?'],
    ['list the war room, please', 'list the open cases, please'],
    ['warehouse and gizmology', 'warehouse and gizmology'],
    ['war  rooms', 'open cases'],
    ['', ''],
    ['\u202e <b>gizmo</b>', '\u202e <b>device</b>'],
  ])('reads "%s" as "%s"', (text, expected) => expect(replaced(text, synonyms)).toBe(expected));
});

describe('createSynonymCheck', () => {
  const faultOf = createSynonymCheck(createLexicon(schemas));
  test.each([
    ['gizmos', 'devices'],
    ['war room', 'open cases'],
    ['kaputt', 'silent'],
    ['bereft of', 'without'],
  ])('accepts "%s" for "%s"', (from, to) => expect(faultOf({ from, to })).toBeUndefined());
  test.each([
    'devices',
    'open',
    'not',
    'except',
    'only',
    'without',
    'weekend',
    'before last',
    'isolate',
    'delete',
    'how many',
    'alrts',
  ])('refuses the built-in "%s"', (from) => expect(faultOf({ from, to: 'critical cases' })).toContain('already reads'));
  test.each([
    ['gizmos', 'zorgs', 'does not understand'],
    ['gizmos', 'gizmos of devices', 'contains'],
    ['gizmos', "'; drop table alerts; --", 'does not understand'],
  ])('refuses "%s" for "%s"', (from, to, text) => expect(faultOf({ from, to })).toContain(text));
});

test('leaves names of the scope alone', () => {
  const names = { clients: [{ id: 1, name: 'Gizmo Works', isPartner: false }], devices: ['WAR-01'] };
  const vocabulary = { otherClients: [], users: [], rules: [], techniques: [], tags: [], accounts: [], ...names };
  const synonyms = ['gizmo', 'war room', 'kaputt'].map((from) => ({ from, to: 'devices' }));
  expect(applicable('gizmo in the war room', synonyms, vocabulary).map(({ from }) => from)).toEqual(['war room']);
});

describe('the portal', () => {
  let w: Awaited<ReturnType<typeof sapphireWorld>>;
  beforeAll(async () => {
    w = await sapphireWorld();
  });
  afterAll(() => w.t.close());

  const add = (by: TestUser, client: number, from: string, to: string) =>
    w.t.call(sapphireApi.addSynonym, { params: { client }, body: { from, to } }, by);
  const remove = (by: TestUser, client: number, synonym: number) =>
    w.t.call(sapphireApi.removeSynonym, { params: { client, synonym } }, by);
  const listed = async (by: TestUser, client: number) => {
    const answer = await w.t.call(sapphireApi.listSynonyms, { params: { client } }, by);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json().results.map(({ from }: { from: string }) => from);
  };
  const first = async (user: TestUser, question: string) => (await w.ask(user, question)).sapphireEndpointResponse.split('\n')[0];
  const notUnderstood = /^I didn’t understand|^Do you mean/;
  const audited = (action: string) =>
    scoped(w.t.db, 'system', (tx) => tx.selectFrom('audit').selectAll().where('action', '=', action).orderBy('id').execute());

  test('reads synonyms in their organisation and below until they are removed', async () => {
    const { admin, siblingAdmin, partnerAdmin, host } = w.people;
    const question = 'how many kerfuffles are open?';
    expect(await first(admin, question)).toMatch(notUnderstood);
    const made = (await add(partnerAdmin, w.client, ' Kerfuffle ', 'cases')).json();
    expect(made).toMatchObject({ from: 'kerfuffle', to: 'cases', clientOrganizationID: w.client, isUsed: true });
    expect(await first(admin, question)).toBe('Open cases: 2.');
    expect(await first(siblingAdmin, question)).toMatch(notUnderstood);
    expect(await first(partnerAdmin, question)).toMatch(notUnderstood);
    expect((await remove(partnerAdmin, w.client, made.id)).statusCode).toBe(200);
    expect(await first(admin, question)).toMatch(notUnderstood);

    const [ofPartner, ofHost] = [
      await add(partnerAdmin, w.partner, 'kerfuffle', 'cases'),
      await add(host, w.provider, 'whatsit', 'cases'),
    ];
    expect([ofPartner.statusCode, ofHost.statusCode]).toEqual([200, 200]);
    for (const user of [admin, siblingAdmin, partnerAdmin]) expect(await first(user, question)).toMatch(/^Open cases: \d/);
    expect(await first(host, question)).toMatch(notUnderstood);
    for (const user of [siblingAdmin, host]) expect(await first(user, 'how many whatsits are open?')).toMatch(/^Open cases: \d/);

    // The nearest organisation’s is taken.
    await add(partnerAdmin, w.client, 'kerfuffle', 'alerts');
    expect(await first(admin, 'how many kerfuffles this month?')).toMatch(/^Alerts this month: /);
    expect(await first(siblingAdmin, 'how many kerfuffles this month?')).toMatch(/^Cases this month: /);
  });

  test('changes and lists synonyms within the scope and audits them', async () => {
    const { admin, partnerAdmin, host } = w.people;
    const { id } = (await add(host, w.foreign, 'doohickey', 'devices')).json();
    expect(await listed(partnerAdmin, 0)).not.toContain('doohickey');
    expect(await listed(host, 0)).toContain('doohickey');
    expect((await remove(partnerAdmin, w.foreign, id)).statusCode).toBe(403);
    expect((await remove(partnerAdmin, w.client, id)).statusCode).toBe(404);
    for (const client of [w.foreign, w.provider])
      expect((await add(partnerAdmin, client, 'doodad', 'devices')).statusCode).toBe(403);
    expect((await add(admin, w.client, 'doodad', 'devices')).statusCode).toBe(403);
    expect((await add(host, w.foreign, 'doohickey', 'alerts')).statusCode).toBe(409);
    expect((await remove(host, w.foreign, id)).statusCode).toBe(200);
    expect((await audited('sapphire.synonymAdded')).at(-1)).toMatchObject({
      organisation_id: w.foreign,
      target: String(id),
      after: { from: 'doohickey', to: 'devices' },
    });
    expect((await audited('sapphire.synonymRemoved')).at(-1)).toMatchObject({
      target: String(id),
      before: { from: 'doohickey' },
    });
  });

  test('refuses what is built in, not understood or no words, with the field', async () => {
    for (const [from, to, field] of [
      ['open', 'closed', 'from'],
      ['doodad', 'zorgs', 'to'],
      ['<script>', 'devices', 'from'],
      ['doodad', "x'); drop table alerts; --", 'to'],
      ['x'.repeat(41), 'devices', 'from'],
    ] as const) {
      const answer = await add(w.people.partnerAdmin, w.client, from, to);
      expect([from, answer.statusCode, Object.keys(answer.json().errors)]).toEqual([from, 400, [field]]);
    }
  });

  test('uses no synonym whose words are built in, and stores at most 200', async () => {
    await scoped(w.t.db, 'system', (tx) =>
      tx
        .insertInto('sapphire_synonyms')
        .values([
          { organisation_id: w.sibling, from_text: 'open', to_text: 'closed' },
          ...Array.from({ length: 199 }, (_, n) => ({
            organisation_id: w.sibling,
            from_text: `gadget ${n}`,
            to_text: 'devices',
          })),
        ])
        .execute(),
    );
    expect(await first(w.people.siblingAdmin, 'how many open cases?')).toBe('Open cases: 1.');
    const input = { params: { client: w.sibling }, query: { pageSize: 200 } };
    const { results } = (await w.t.call(sapphireApi.listSynonyms, input, w.people.partnerAdmin)).json();
    expect(results.filter(({ isUsed }: { isUsed: boolean }) => !isUsed).map(({ from }: { from: string }) => from)).toEqual([
      'open',
    ]);
    const more = await add(w.people.partnerAdmin, w.sibling, 'doodad', 'devices');
    expect([more.statusCode, more.json().error]).toEqual([409, expect.stringContaining('200 synonyms, the maximum')]);
  });
});
