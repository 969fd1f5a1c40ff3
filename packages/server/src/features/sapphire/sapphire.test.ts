import { randomUUID } from 'node:crypto';
import { accountApi } from '@parapet/contract/account.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { suggestedQuestions } from '@parapet/contract/rules/sapphire.ts';
import { resolveTimeframe } from '@parapet/contract/rules/timeframe.ts';
import { sapphireApi } from '@parapet/contract/sapphire.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { sapphireWorld } from '../../../test/sapphire.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { chatLinkMarker } from './texts.ts';

let w: Awaited<ReturnType<typeof sapphireWorld>>;
beforeAll(async () => {
  w = await sapphireWorld();
});
afterAll(() => w.t.close());

/** Number of rows in the list behind a source, requested as its page does. */
async function rowsBehind(path: string, user: TestUser): Promise<number | undefined> {
  const url = new URL(path, 'http://portal');
  const [, , page, client] = url.pathname.split('/');
  const query = url.searchParams.get('query') ?? '';
  const range = resolveTimeframe('allTime', Date.now(), 'UTC');
  if ((page !== 'alerts' && page !== 'cases') || client === undefined) return undefined;
  const answer =
    page === 'alerts'
      ? await w.t.call(alertsApi.list, { params: { client: Number(client), ...range }, query: { query } as never }, user)
      : await w.t.call(
          casesApi.list,
          { body: { selectedClientOrganizationID: Number(client), ...range, filters: { query } as never } },
          user,
        );
  expect(answer.statusCode, `${path} ${answer.body}`).toBe(200);
  return answer.json().total;
}

const firstLine = ({ sapphireEndpointResponse }: { sapphireEndpointResponse: string }) => sapphireEndpointResponse.split('\n')[0];

describe('answers', () => {
  test('answer the four suggested questions with sources for three kinds of users', async () => {
    for (const person of ['admin', 'analyst', 'partnerAdmin'] as const)
      for (const question of suggestedQuestions) {
        const answer = await w.ask(w.people[person], question);
        expect([person, question, answer.kind]).toEqual([person, question, 'answer']);
        expect(answer.sources.length).toBeGreaterThan(0);
      }
    const { people } = w;
    expect((await w.ask(people.admin, suggestedQuestions[2])).sapphireEndpointResponse).toContain('Winlogbeat');
    expect(firstLine(await w.ask(people.admin, suggestedQuestions[3]))).toBe('Open cases: 2.');
    expect(firstLine(await w.ask(people.partnerAdmin, suggestedQuestions[3]))).toBe('Open cases: 3.');
  });

  test.each([
    ['How many alerts this month?', /^Alerts this month: 11\./],
    ['how many critical alerts did we have this month', /^Critical alerts this month: 2\./],
    ['alerts except critical ones this month', /^Alerts without critical ones, this month: 9\./],
    ['alerts this month by severity', /^Alerts this month, by severity: 11\./],
    ['how many T1110 alerts this month', /T1110.*: 7\./],
    ['how many alerts on ald-dc-01 this month', /ALD-DC-01.*: 8\./],
    ['percentage of alerts this month that are critical', /^Of alerts this month, those .*critical.*: 2 of 11 \(18\.2%\)\./],
    ['list the open cases', /^Open cases: 2\./],
    ['which critical cases are open', /^(?:Open critical|Critical open) cases: 1\./],
    ['alerts in march 2020', /^Alerts in March 2020: none kept\. The data begins \d+ \w+ \d{4}\./],
    ['summarise this month', /Alerts this month, against .*: 11, /],
    ['what changed since yesterday', /Cases since \d+ \w+ \d{4}: 3\./],
    ['what would lower our risk score', /Top improvements/],
    ['how do I install the agent on linux', /enrolment token/],
    ['what can you do', /I count, list, group and compare/],
    ['hello', /Hello/],
  ])('%s', async (question, text) => {
    const answer = await w.ask(w.people.admin, question);
    expect([question, answer.kind, answer.sapphireEndpointResponse]).toEqual([question, 'answer', expect.stringMatching(text)]);
    for (const source of answer.sources) expect(source.path).toMatch(/^\/(apps|pages)\//);
  });

  test('link the list with exactly the counted rows', async () => {
    for (const [question, count] of [
      ['How many alerts this month?', 11],
      ['How many alerts in the last 3 days?', 11],
      ['How many open cases do we have?', 2],
      ['how many cases were opened this month', 3],
      ['how many critical cases are open', 1],
      ['how many alerts this month are not critical', 9],
    ] as const) {
      const answer = await w.ask(w.people.admin, question);
      expect(firstLine(answer)).toContain(`: ${count}.`);
      expect([question, await rowsBehind(answer.sources[0]!.path, w.people.admin)]).toEqual([question, count]);
    }
  });

  test('chart groups, and link each to its rows', async () => {
    const { chart, table } = await w.ask(w.people.admin, 'alerts this month by device');
    expect(chart).toMatchObject({
      kind: 'bar',
      points: [{ label: 'ALD-DC-01', value: 8 }, { label: 'ALD-WS-014', value: 2 }, { value: 1 }],
    });
    expect(await rowsBehind(table!.rows[0]!.path!, w.people.admin)).toBe(8);
  });

  test('offer rows as a table and as a file without spreadsheet formulas', async () => {
    await scoped(w.t.db, 'system', (tx) =>
      tx.updateTable('cases').set({ title: '=HYPERLINK("http://evil")' }).where('id', '=', w.cases[1]!.id).execute(),
    );
    const { table, userDataFile } = await w.ask(w.people.admin, 'list the open cases');
    expect(table!.rows).toHaveLength(2);
    expect(table!.rows[0]!.path).toMatch(/^\/apps\/case\/\d+$/);
    expect(userDataFile!.name).toBe('cases.csv');
    expect(userDataFile!.csv.trim().split('\r\n')).toHaveLength(3);
    expect(userDataFile!.csv).toContain(`"'=HYPERLINK`);
  });

  test('summarise a case and explain an alert', async () => {
    const [first] = w.cases;
    const summary = await w.ask(w.people.admin, `Summarise case ${first!.id}`);
    expect(summary.sapphireEndpointResponse).toContain('“Brute force on ALD-DC-01”');
    expect(summary.sources[0]!.path).toBe(`/apps/case/${first!.id}`);
    const alert = await w.ask(w.people.admin, `explain alert ${w.alerts[0]!.id}`);
    expect(alert.sapphireEndpointResponse).toContain('SSH Brute Force');
    expect(alert.sapphireEndpointResponse).toContain('Why it matters: A password may be found.');
    expect(alert.sources[0]!.path).toBe(`/apps/alert/${w.alerts[0]!.id}`);
  });
});

describe('refusals', () => {
  test('name the words left behind, and answer nothing', async () => {
    const answer = await w.ask(w.people.admin, 'how many purple alerts this month');
    expect(answer).toMatchObject({ kind: 'unknown', table: null, sources: [], understood: '' });
    expect(answer.sapphireEndpointResponse).toMatch(/^Do you mean one of these questions\? I didn’t understand “purple”/);
    for (const choice of answer.choices) expect((await w.ask(w.people.admin, choice)).kind).toBe('answer');
  });

  test('offer buttons that lead to their queries, in the same conversation', async () => {
    const conversation = randomUUID();
    const { choices } = await w.ask(w.people.admin, 'how many purple alerts this month', { conversationUUID: conversation });
    const answers: Awaited<ReturnType<typeof w.ask>>[] = [];
    for (const choice of choices) answers.push(await w.ask(w.people.admin, choice, { conversationUUID: conversation }));
    expect(answers.map(({ understood }) => understood)).toContain('Alerts this month');
    expect(answers.every(({ kind, understood }) => kind === 'answer' && /^.* this month(?:,|$)/.test(understood))).toBe(true);
    const [plain] = choices.filter((_, index) => answers[index]!.understood === 'Alerts this month');
    await w.ask(w.people.admin, plain!, { conversationUUID: conversation });
    expect((await w.ask(w.people.admin, 'only critical ones', { conversationUUID: conversation })).understood).toBe(
      'Critical alerts this month',
    );
  });

  test('say that commands change nothing, and link to their page', async () => {
    const answer = await w.ask(w.people.admin, 'please isolate ALD-WS-014');
    expect(answer.sapphireEndpointResponse).toMatch(/^I can’t make changes here, and nothing is changed\./);
    expect(answer.sources).toHaveLength(1);
  });

  test('refuse secrets', async () => {
    expect((await w.ask(w.people.admin, 'what is the password of k.berg')).sapphireEndpointResponse).toMatch(/^I can’t answer/);
  });
});

describe('a conversation', () => {
  test('continues from the previous queries', async () => {
    const conversationUUID = randomUUID();
    const send = async (text: string) => firstLine(await w.ask(w.people.partnerAdmin, text, { conversationUUID }));
    expect(await send('How many open cases do we have?')).toBe('Open cases: 3.');
    expect(await send('for Birch')).toBe('Open cases at Birch Dental Group: 1.');
    expect(await send('and Alder?')).toBe('Open cases at Alder Manufacturing: 2.');
    expect(await send('only critical')).toMatch(/at Alder Manufacturing: 1\.$/);
    const [row] = (await w.readings(w.people.partnerAdmin)).slice(-1);
    expect(row!.reading).toMatchObject({ version: 2, queries: [{ entity: 'case' }], ids: [String(w.cases[0]!.id)] });
  });

  test('guesses nothing after a question that was not answered, or of an earlier version', async () => {
    const conversationUUID = randomUUID();
    await w.ask(w.people.admin, 'how many purple alerts', { conversationUUID });
    expect((await w.ask(w.people.admin, 'only critical', { conversationUUID })).kind).not.toBe('answer');
    const old = randomUUID();
    await w.ask(w.people.admin, 'How many open cases do we have?', { conversationUUID: old });
    await scoped(w.t.db, 'system', (tx) =>
      tx
        .updateTable('sapphire_messages')
        .set({ reading: JSON.stringify({ skill: 'cases.count', slots: {} }) })
        .where('conversation', '=', old)
        .execute(),
    );
    expect((await w.ask(w.people.admin, 'only critical', { conversationUUID: old })).kind).not.toBe('answer');
  });

  test('hides a conversation from other users', async () => {
    const conversationUUID = randomUUID();
    await w.ask(w.people.admin, 'How many open cases do we have?', { conversationUUID });
    await w.ask(w.people.analyst, 'and at night?', { conversationUUID });
    const [own] = (await w.readings(w.people.analyst)).slice(-1);
    expect(own!.reading).not.toHaveProperty('queries');
  });

  test('accepts feedback on an answer from its recipient only, in its conversation', async () => {
    const conversationUUID = randomUUID();
    const { messageID } = await w.ask(w.people.admin, 'How many open cases do we have?', { conversationUUID });
    const flag = (user: TestUser, uuid = conversationUUID) =>
      w.t.call(sapphireApi.flag, { body: { messageID, conversationUUID: uuid, flag: 0 } }, user);
    expect((await flag(w.people.analyst)).statusCode).toBe(404);
    expect((await flag(w.people.admin, randomUUID())).statusCode).toBe(404);
    expect((await flag(w.people.admin)).statusCode).toBe(200);
    const text = 'I meant <b>those</b> of last year.';
    const response = await w.t.call(
      sapphireApi.feedback,
      { body: { messageID, conversationUUID, flag: 0, text } },
      w.people.admin,
    );
    const tooLarge = { messageID: 2 ** 31, conversationUUID, flag: 0 as const, text };
    expect((await w.t.call(sapphireApi.feedback, { body: tooLarge }, w.people.admin)).statusCode).toBe(400);
    expect(response.statusCode).toBe(200);
    const list = (await w.t.call(sapphireApi.listQuestions, { params: { client: w.client } }, w.people.partnerAdmin)).json();
    expect(list.results).toContainEqual(
      expect.objectContaining({
        id: messageID,
        reason: 'unhelpful',
        feedback: text,
        question: 'How many open cases do we have?',
      }),
    );
  });
});

describe('scope', () => {
  const text = async (user: TestUser, question: string, more = {}) =>
    (await w.ask(user, question, more)).sapphireEndpointResponse;

  test('answers a name out of scope like a missing one', async () => {
    const anonymised = (name: string, answer: string) => answer.replaceAll(name, 'NAME').replaceAll(name.toLowerCase(), 'NAME');
    for (const [there, missing] of [
      ['Fir Biotech', 'Yew Biotech'],
      ['BIR-SRV-02', 'BIR-SRV-99'],
    ] as const)
      for (const question of ['How many open cases does NAME have?', 'List the alerts of NAME']) {
        const [a, b] = [
          await w.ask(w.people.admin, question.replace('NAME', there)),
          await w.ask(w.people.admin, question.replace('NAME', missing)),
        ];
        expect([question, a.kind]).toEqual([question, 'unknown']);
        expect([question, anonymised(there, a.sapphireEndpointResponse).replace('Fir', 'Yew').replace('fir', 'yew')]).toEqual([
          question,
          anonymised(missing, b.sapphireEndpointResponse),
        ]);
      }
  });

  test('hides cases and alerts of other organisations', async () => {
    const foreign = await text(w.people.admin, `Summarise case ${w.siblingCase.id}`);
    const missing = await text(w.people.admin, 'Summarise case 999999999');
    expect(foreign.replace(String(w.siblingCase.id), 'N')).toBe(missing.replace('999999999', 'N'));
  });

  test('restricts answers to the selected client', async () => {
    const selected = { clientOrganizationID: w.sibling };
    expect(await text(w.people.partnerAdmin, 'How many open cases do we have?', selected)).toMatch(/^Open cases: 1\./);
    expect(await text(w.people.partnerAdmin, 'How many open cases does Alder have?', selected)).toContain(
      'is not the selected client',
    );
    expect(await text(w.people.partnerAdmin, `Summarise case ${w.cases[0]!.id}`, selected)).toContain('Couldn’t find case');
    expect(await text(w.people.partnerAdmin, `Explain alert ${w.alerts[0]!.id}`, selected)).toContain('Couldn’t find alert');
  });

  test('refuses lists that the user may not see', async () => {
    const { kind, sapphireEndpointResponse, table } = await w.ask(w.people.analyst, 'list the emails in the outbox');
    expect([kind, table]).toEqual(['unknown', null]);
    expect(sapphireEndpointResponse).toMatch(/^I (?:can’t answer|didn’t understand)/);
  });

  test('returns 403 for an organisation outside the scope', async () => {
    const ask = (clientOrganizationID: number) =>
      w.t.call(
        sapphireApi.chat,
        { body: { clientRequest: 'x', conversationUUID: randomUUID(), clientOrganizationID } },
        w.people.admin,
      );
    for (const id of [w.sibling, w.partner, 99_999]) expect((await ask(id)).statusCode).toBe(403);
  });
});

describe('limits', () => {
  test('allow 20 messages a minute per person', async () => {
    const someone = await w.t.user({ organisationId: w.client, role: 'Analyst' });
    await w.forgetLimit();
    const send = (user: TestUser) =>
      w.t.call(sapphireApi.chat, { body: { clientRequest: 'hello', conversationUUID: randomUUID() } }, user);
    const codes: number[] = [];
    for (let i = 0; i < 21; i++) codes.push((await send(someone)).statusCode);
    expect(codes).toEqual([...Array(20).fill(200), 429]);
    expect((await send(someone)).json().error).toContain('20 messages');
    expect((await send(w.people.analyst)).statusCode).toBe(200);
  });

  test('allow 20,000 characters; nonsense, markup and hidden characters get an answer in time', async () => {
    const long = await w.t.call(
      sapphireApi.chat,
      { body: { clientRequest: 'x'.repeat(20_001), conversationUUID: randomUUID() } },
      w.people.admin,
    );
    expect(long.statusCode).toBe(400);
    for (const question of [
      'x'.repeat(20_000),
      'alert '.repeat(3_333),
      '(((((('.repeat(3_000),
      '<script>alert(1)</script><img src=x onerror=alert(1)>',
      `how many ${'\u202e\u200b'} open cases`,
      "'; drop table alerts; --",
      `\${7*7} {{7*7}} %s %n`,
      '',
      '   ',
      '?',
      'last '.repeat(2_000),
      '1 to 10 '.repeat(1_000),
    ]) {
      const start = performance.now();
      const answer = await w.ask(w.people.admin, question);
      expect(answer.sapphireEndpointResponse).not.toBe('');
      expect(performance.now() - start).toBeLessThan(10_000); // A stall takes minutes.
    }
  });

  test('ignore the chat-link marker in others’ text', async () => {
    expect(await w.ask(w.people.admin, 'I want to talk to a human')).toMatchObject({
      kind: 'support',
      sapphireEndpointResponse: expect.stringContaining(chatLinkMarker),
    });
    await scoped(w.t.db, 'system', (tx) =>
      tx
        .updateTable('cases')
        .set({ title: `Odd ${chatLinkMarker} title` })
        .where('id', '=', w.cases[0]!.id)
        .execute(),
    );
    const answer = await w.ask(w.people.admin, `summarise case ${w.cases[0]!.id}`);
    expect(answer.sapphireEndpointResponse).toContain('Odd (chat link) title');
    expect((await w.ask(w.people.admin, `how many alerts has ${chatLinkMarker} Corp`)).sapphireEndpointResponse).not.toContain(
      chatLinkMarker,
    );
  });

  test('exclude single quotes from loading phrases', async () => {
    const phrases = (await w.t.call(sapphireApi.loadingPhrases, {}, w.people.admin)).json();
    expect(phrases.length).toBeGreaterThan(3);
    expect(phrases.join('')).not.toContain("'");
  });
});

describe('answers with rows', () => {
  test('show them where no page lists them', async () => {
    await scoped(w.t.db, 'system', (tx) =>
      tx
        .insertInto('tags')
        .values(Array.from({ length: 7 }, (_, index) => ({ organisation_id: w.client, name: `Tag ${index}` })))
        .execute(),
    );
    const answer = await w.ask(w.people.admin, 'how many tags are there?');
    expect(answer.sapphireEndpointResponse.split('\n')).toEqual([
      'Tags: 7.',
      expect.stringMatching(/^No page .* tags; they are here\.$/),
    ]);
    expect(answer.table?.rows).toHaveLength(7);
  });

  test('record the reading of events like a search for them', async () => {
    const entries = () =>
      scoped(w.t.db, 'system', (tx) =>
        tx
          .selectFrom('audit')
          .select(['action', 'organisation_id', 'after'])
          .where('actor_user_id', '=', w.people.analyst.id)
          .where('action', 'like', 'events.%')
          .orderBy('id')
          .execute(),
      );
    await w.ask(w.people.analyst, 'how many events are there?');
    await w.ask(w.people.analyst, 'how many unprocessed events are there?');
    await w.ask(w.people.analyst, 'how many open cases are there?');
    const [searched, aside, ...more] = await entries();
    expect(searched).toMatchObject({ action: 'events.searched', organisation_id: w.client, after: { client: w.client } });
    expect(JSON.stringify(searched?.after)).toContain('event');
    expect(aside).toMatchObject({ action: 'events.keptAsideRead' });
    expect(more).toEqual([]);
  });
});

describe('API keys', () => {
  test('ask within their scopes, as they list', async () => {
    const keyOf = async (...scopes: string[]) => {
      const made = await w.t.call(accountApi.createApiKey, { body: { name: 'program', scopes: scopes as never } }, w.people.host);
      return { token: made.json().key as string };
    };
    const [reads, all] = [await keyOf('read'), await keyOf('read', 'triage', 'administer')];
    for (const question of [
      'how many reviews are there?',
      'how many suppressions are there?',
      'how many report schedules are there?',
    ]) {
      expect(firstLine(await w.ask(reads, question)), question).toMatch(/^I can’t answer that: You may not see /);
      expect(firstLine(await w.ask(all, question)), question).toMatch(/: 0\.$/);
    }
    expect(firstLine(await w.ask(reads, 'how many open cases are there?'))).toBe('Open cases: 3.');
  });
});
