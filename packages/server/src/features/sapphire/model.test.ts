import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sapphireWorld } from '../../../test/sapphire.fixture.ts';
import { silentLog } from '../../core/log.ts';
import { openOutbound } from '../../core/outbound.ts';
import { violationOf } from './model.check.ts';
import { createPlanner } from './model.ts';

type Body = { model: string; tools?: { function: { name: string } }[]; messages: { role: string; content: string }[] };
type Answer = (body: Body, response: ServerResponse) => void;

/** A server that implements the protocol; each test sets its responses. */
let server: Server;
let origin: string;
let asked: { body: Body; key: string | undefined; path: string | undefined }[] = [];
let plan: Answer;
let word: Answer;
const message = (response: ServerResponse, content: object) =>
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...content } }] }));
const calls =
  (name: string, args: unknown): Answer =>
  (_body, response) =>
    message(response, {
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } },
      ],
    });
const says =
  (content: unknown): Answer =>
  (_body, response) =>
    message(response, { content });

let w: Awaited<ReturnType<typeof sapphireWorld>>;
beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as Body;
      asked.push({ body, key: request.headers.authorization, path: request.url });
      (body.tools ? plan : word)(body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  w = await sapphireWorld({ MODEL_URL: `${origin}/v1`, MODEL_NAME: 'm', MODEL_API_KEY: 'k' });
});
afterAll(async () => {
  await w.t.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  plan = calls('cases_count', { states: ['open'] });
  word = says('Alder Manufacturing has 2 open cases.');
});

const question = 'How many open cases do we have?';
const ask = (text = question) => w.ask(w.people.admin, text);

describe('an honest model', () => {
  test('chooses the skill and words the answer; sources stay the portal’s', async () => {
    plan = calls('alerts_count', { severities: ['critical'], timeframe: 'this month' });
    word = says('So far this month Alder Manufacturing saw 2 critical alerts.');
    const answer = await ask('anything very bad lately, in your opinion?');
    expect(answer).toMatchObject({
      kind: 'answer',
      writtenBy: 'model',
      sapphireEndpointResponse: 'So far this month Alder Manufacturing saw 2 critical alerts.',
    });
    expect(answer.sources[0]!.path).toBe(`/apps/alerts/${w.client}?timeframe=thisMonth&severity=critical`);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer k', body: { model: 'm' } });
    expect(asked[0]!.body.tools!.map((tool) => tool.function.name)).toContain('devices_riskiest');
    // The facts are data within JSON, never a message of their own.
    expect(JSON.parse(asked[1]!.body.messages.at(-1)!.content).facts).toContain('has 2 critical alerts');
  });

  test('leaves follow-ups to the embedded parser', async () => {
    const conversationUUID = '0197a8c2-5d9e-7cc3-98a4-1f0d5b6e7a99';
    await w.ask(w.people.admin, question, { conversationUUID });
    plan = calls('risk_score', {});
    word = says('Alder Manufacturing has 1 open critical case now.');
    expect((await w.ask(w.people.admin, 'only critical', { conversationUUID })).understood).toContain('open, critical');
  });
});

describe('an invalid choice of the model', () => {
  test.each<[string, Answer]>([
    ['an unknown function', calls('delete_everything', {})],
    ['an unknown slot', calls('cases_count', { sql: 'select 1' })],
    ['a bad value', calls('cases_count', { states: ['everything'] })],
    ['no JSON', calls('cases_count', '{')],
    ['a client that is out of scope', calls('cases_count', { clients: ['Birch Dental Group'] })],
    ['a device that is not known', calls('alerts_count', { device: 'BIR-SRV-02' })],
    ['a time that is none', calls('cases_count', { timeframe: 'when pigs fly' })],
    ['words instead of a call', says('There are 99 cases.')],
    ['an error', (_body, response) => void response.writeHead(500).end('{}')],
    ['no JSON at all', (_body, response) => void response.end('hello')],
    ['null', (_body, response) => void response.end('null')],
    ['a connection cut off', (_body, response) => void response.destroy()],
    ['a redirect', (_body, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
    [
      '5 MB',
      (_body, response) => void response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(5_000_000) } }] })),
    ],
  ])('%s', async (_what, answer) => {
    plan = answer;
    expect((await ask()).understood).toBe('Number of cases: open, Alder Manufacturing, now');
  });
});

describe('a model’s statement beyond the facts', () => {
  test.each([
    ['another number', 'Alder Manufacturing has 3 open cases.'],
    ['a number in words', 'Alder Manufacturing has seven open cases.'],
    ['another name', 'Birch Dental Group has 2 open cases.'],
    ['a device of its own', 'Alder Manufacturing has 2 open cases, on SRV-99.'],
    ['a link', 'Alder Manufacturing has 2 open cases: https://evil.example/x'],
    ['a markdown link', 'Alder Manufacturing has 2 [open cases](//evil.example).'],
    ['a picture', 'Alder Manufacturing has 2 open cases ![x](/apps/x)'],
    ['markup', 'Alder Manufacturing has <b>2</b> open cases.'],
    ['the chat-link marker', 'Alder Manufacturing has 2 open cases. [chat-link]'],
    ['a page that is no source', 'Alder Manufacturing has 2 open cases, see /apps/users'],
    ['hidden characters', 'Alder Manufacturing has 2 \u202eopen cases.'],
    ['nothing', '  '],
    ['no text', 5],
    ['too much', 'cases '.repeat(2_000)],
  ])('%s', async (_what, content) => {
    word = says(content);
    const answer = await ask();
    expect(answer.writtenBy).toBe('portal');
    expect(answer.sapphireEndpointResponse).toMatch(/^Alder Manufacturing has 2 open cases now\./);
  });

  test('falls back on 5 MB, garbage and a lost connection', async () => {
    for (const answer of [
      (_body: Body, response: ServerResponse) => void response.end('x'.repeat(5_000_000)),
      (_body: Body, response: ServerResponse) => void response.end('{"choices":[]}'),
      (_body: Body, response: ServerResponse) => void response.destroy(),
    ]) {
      word = answer;
      expect((await ask()).writtenBy).toBe('portal');
    }
  });
});

test('receives no name out of scope', async () => {
  const answer = await ask('How many open cases does Birch Dental Group have?');
  expect(answer.kind).toBe('unknown');
  expect(asked).toEqual([]);
});

test('times out without delaying the answer', async () => {
  const outbound = openOutbound({ allowsInsecure: false, onlyOrigin: origin, timeoutMs: 30_000 });
  const planner = createPlanner({
    model: { url: `${origin}/v1`, name: 'm', apiKey: undefined, outbound },
    log: silentLog,
    waitMs: 200,
  });
  plan = () => {};
  const start = performance.now();
  expect(await planner.plan(question)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(2_000);
  server.closeAllConnections();
  await outbound.close();
});

const facts = 'Alder Manufacturing has 1,234 alerts on the device ALD-DC-01: /apps/alerts/10';
test.each([
  ['Alder Manufacturing has 1234 alerts.', undefined],
  ['There were 1,234 alerts on ald-dc-01.', undefined],
  ['See /apps/alerts/10.', undefined],
  ['See /apps/alerts/11.', '/apps/alerts/11'],
  ['Zebra has alerts.', 'Zebra'],
  ['It was evil.example.com.', 'evil.example.com'],
  ['A dozen alerts.', 'dozen'],
])('%s', (text, fault) => {
  const found = violationOf(text, { facts, question: 'x' });
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found?.toLowerCase()).toContain(fault.toLowerCase());
});
