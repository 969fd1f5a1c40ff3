/** Event search in Kibana’s query language (docs/event-search.md). */

import { eventsApi } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedMonths } from '../../../test/seed.ts';
import { putEvents } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const now = Date.now();
const [start, end] = [new Date(now - 20 * dayMs).toISOString(), new Date(now + 1).toISOString()];

const t = useTestApp();
let client: number;
let stranger: number;
let analyst: TestUser;

interface Put {
  text: string;
  document?: object;
  device?: string;
  user?: string;
}
/** A second apart, the first the newest. */
const put = (organisationId: number, events: Put[]) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    putEvents(
      tx,
      organisationId,
      events.map(({ text, document, device = null, user = null }, index) => ({
        at: now - index * 1_000,
        received_at: now,
        device_name: device,
        user_name: user,
        text,
        document,
      })),
    ),
  );
const of = (endpoint: typeof eventsApi.search | typeof eventsApi.timeline, query: object, id: number, user: TestUser) =>
  t.call(endpoint, { params: { client: id, start, end }, query } as never, user);
async function texts(search: string, more: object = {}, id = client, user = analyst): Promise<string[]> {
  const answer = await of(eventsApi.search, { search, ...more }, id, user);
  return eventsApi.search.answer.parse(answer.json()).results.map(({ text }) => text);
}
const timeline = async (search: string, id = client, user = analyst) =>
  eventsApi.timeline.answer.parse((await of(eventsApi.timeline, { search }, id, user)).json());

beforeAll(async () => {
  client = await t.organisation();
  stranger = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  await seedMonths(t.db, Date.parse(start), Date.parse(end));
  await put(client, [
    { text: 'sign-in failed', document: { event: { code: 4625 }, source: { ip: '10.1.2.3', port: 50_000 } }, user: 'ALDER\\ana' },
    { text: 'started', document: { process: { command_line: 'C:\\Windows\\System32\\cmd.exe /c "whoami"' } }, device: 'WS-01' },
    { text: 'signed in', document: { 'event.code': '4624', 'source.ip': '203.0.113.9', size: 1e21 }, device: 'WS-02' },
    { text: 'Größe 東京', document: { related: [{ ip: '198.51.100.7' }] }, device: 'ws-03' },
  ]);
  await put(stranger, [{ text: 'needle of a stranger', document: { event: { code: 4625 } } }]);
});

test.each<[string, string[]]>([
  ['failed', ['sign-in failed']],
  ['event.code: 4625', ['sign-in failed']],
  ['event.code: (4625 or 4624)', ['sign-in failed', 'signed in']],
  ['event.code: * and not event.code: 4625', ['signed in']],
  ['event.code >= 4625', ['sign-in failed']],
  ['source.ip: 10.0.0.0/8', ['sign-in failed']],
  ['size > 99999999999999999999', ['signed in']],
  ['size: 1000000000000000000000', ['signed in']],
  ['device: ws-*', ['started', 'signed in', 'Größe 東京']],
  ['user: alder\\\\ana', ['sign-in failed']],
  ['process.command_line: *system32\\\\cmd.exe*', ['started']],
  ['"c:\\windows\\system32"', ['started']],
  ['GRÖSSE or größe', ['Größe 東京']],
  ['related.ip: 198.51.100.7', ['Größe 東京']],
  ['needle', []],
  ["'; drop table events; --", []],
])('%s', async (search, expected) => {
  expect(await texts(search)).toEqual(expected);
  expect((await timeline(search)).total).toBe(expected.length);
});

test('a syntax error names its character', async () => {
  const answer = await of(eventsApi.search, { search: 'user: (a or' }, client, analyst);
  expect(answer.statusCode).toBe(400);
  expect(JSON.stringify(answer.json())).toMatch(/\(character \d+\)/);
});

test('conditions that match nothing on their own are named where all together find nothing', async () => {
  const search = 'event.code: 4625 and user: absent and failed';
  const { unmatched } = await timeline(search);
  expect(unmatched.map(({ at, length }) => search.slice(at, at + length))).toEqual(['user: absent']);
  expect((await timeline('event.code: 4625 and event.code: 4624')).unmatched).toEqual([]);
  expect((await timeline('failed')).unmatched).toEqual([]);
});

test('pages continue without loss or repeats', async () => {
  const busy = await t.organisation();
  const user = await t.user({ organisationId: busy, role: 'Analyst' });
  await put(
    busy,
    Array.from({ length: 1_300 }, (_, index) => ({ text: `line ${index}`, document: { even: index % 2 === 0 } })),
  );
  const listed: string[] = [];
  for (let before = {}; ; ) {
    const answer = await of(eventsApi.search, { search: 'even: true', pageSize: 200, ...before }, busy, user);
    const { results } = eventsApi.search.answer.parse(answer.json());
    listed.push(...results.map(({ text }) => text));
    const last = results.at(-1);
    if (!last) break;
    before = { before: last.at, beforeID: last.id };
  }
  expect(listed).toEqual(Array.from({ length: 650 }, (_, index) => `line ${index * 2}`));
  expect((await timeline('even: true', busy, user)).total).toBe(650);
});

test('the search stands in its audit entry', async () => {
  await texts('user: "what I look for"');
  const rows = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('audit')
      .where('organisation_id', '=', client)
      .where('action', '=', 'events.searched')
      .orderBy('id', 'desc')
      .limit(1)
      .select('after')
      .execute(),
  );
  expect(rows).toMatchObject([{ after: { search: 'user: "what I look for"' } }]);
});
