import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sapphireWorld } from '../../../test/sapphire.fixture.ts';
import { silentLog } from '../../core/log.ts';
import { openOutbound } from '../../core/outbound.ts';
import { schemas } from '../../domain/query/schemas.ts';
import { createPlanner } from './model.ts';
import { createLexicon } from './parsing/lexicon.ts';

type Body = { model: string; tools: { function: { name: string } }[]; messages: { role: string; content: string }[] };
type Answer = (body: Body, response: ServerResponse) => void;

/** A server that implements the protocol; each test sets its response. */
let server: Server;
let origin: string;
let requests: { body: Body; key: string | undefined; path: string | undefined }[] = [];
let plan: Answer;
const message = (response: ServerResponse, content: object) =>
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ choices: [{ message: { role: 'assistant', ...content } }] }));
const calls =
  (args: unknown, name = 'run_queries'): Answer =>
  (_body, response) =>
    message(response, {
      content: null,
      tool_calls: [
        { id: '1', type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } },
      ],
    });
const replyWith =
  (content: unknown): Answer =>
  (_body, response) =>
    message(response, { content });

/** "Gizmoids" stand in no lexicon. */
const question = 'how many critical gizmoids this month';
const words = [{ said: 'gizmoids', means: 'alert' }];
const month = { start: '2020-01-01T00:00:00.000Z', end: '2020-02-01T00:00:00.000Z', label: 'this month' };
const critical = { field: 'severity', in: ['critical'] };
const right = { entity: 'alert', measure: { kind: 'count' }, where: critical, time: month };

let w: Awaited<ReturnType<typeof sapphireWorld>>;
beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as Body;
      requests.push({ body, key: request.headers.authorization, path: request.url });
      plan(body, response);
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
  requests = [];
  plan = calls({ queries: [right], words });
});

const ask = (text = question) => w.ask(w.people.admin, text);

describe('an honest model', () => {
  test('reads words that the lexicon lacks; time, figure and link are the portal’s', async () => {
    const answer = await ask();
    expect(answer).toMatchObject({ kind: 'answer', writtenBy: 'model' });
    expect(answer.sapphireEndpointResponse).toMatch(
      /^Read by the language model: “gizmoids” as alert\.\nCritical alerts this month: 2\./,
    );
    expect(answer.sources[0]!.path).toMatch(new RegExp(`^/apps/alerts/${w.client}\\?query=`));
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ path: '/v1/chat/completions', key: 'Bearer k', body: { model: 'm' } });
    // The question is data within JSON.
    expect(JSON.parse(requests[0]!.body.messages.at(-1)!.content)).toEqual({ question });
  });

  test('gets no request for what the parser understands', async () => {
    expect((await ask('How many open cases do we have?')).writtenBy).toBe('portal');
    expect(requests).toEqual([]);
  });
});

describe('a plan that is not used', () => {
  const { where: _, ...unfiltered } = right;
  test.each<[string, Answer]>([
    ['an unknown function', calls({ queries: [right], words }, 'delete_everything')],
    ['an unknown entity', calls({ queries: [{ ...right, entity: 'secret' }], words })],
    ['an unknown field', calls({ queries: [{ ...right, where: { field: 'sql', in: ['1'] } }], words })],
    ['a bad value', calls({ queries: [{ ...right, where: { field: 'severity', in: ['everything'] } }], words })],
    ['additional parts', calls({ queries: [{ ...right, sql: 'select 1' }], words })],
    ['a dropped filter', calls({ queries: [unfiltered], words })],
    ['a dropped time', calls({ queries: [{ ...right, time: undefined }], words })],
    ['a dropped word', calls({ queries: [right], words: [] })],
    ['a word without a meaning', calls({ queries: [right], words: [{ said: 'gizmoids', means: 'device' }] })],
    ['a time that is none', calls({ queries: [{ ...right, time: { ...month, label: 'when pigs fly' } }], words })],
    [
      'a client that the question does not name',
      calls({ queries: [{ ...right, where: { and: [critical, { field: 'client', in: ['Birch Dental Group'] }] } }], words }),
    ],
    ['no JSON', calls('{')],
    ['words instead of a call', replyWith('There are 99 gizmoids.')],
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
    const { kind, sapphireEndpointResponse } = await ask();
    expect(kind).toBe('unknown');
    expect(sapphireEndpointResponse).toMatch(/^Do you mean one of these questions\? I didn’t understand “gizmoids”/);
    expect(requests).toHaveLength(1);
  });

  test('a name out of scope, dropped or given another meaning', async () => {
    const open = { entity: 'case', measure: { kind: 'count' }, where: { field: 'isOpen', is: true } };
    const atBirch = { ...open, where: { and: [open.where, { field: 'client', in: ['Birch Dental Group'] }] } };
    for (const queries of [[open], [atBirch]]) {
      plan = calls({ queries, words: [] });
      expect((await ask('How many open cases does Birch Dental Group have?')).kind).not.toBe('answer');
    }
  });

  test.each([
    ['not', 'how many gizmoids are not critical this month'],
    ['except', 'how many gizmoids except critical ones this month'],
    ['weekday', 'how many critical gizmoids on weekends this month'],
    ['superlative', 'oldest critical gizmoids this month'],
    ['group', 'critical gizmoids by device this month'],
    ['comparison', 'critical gizmoids this month vs last month'],
    ['share', 'percentage of critical gizmoids this month'],
  ])('one without the %s of the question', async (_what, text) => {
    expect((await ask(text)).kind).toBe('unknown');
  });
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
  const vocabulary = { clients: [], otherClients: [], devices: [], users: [], rules: [], techniques: [], tags: [], accounts: [] };
  const input = { question, lexicon: createLexicon(schemas), vocabulary, now: Date.now(), timeZone: 'UTC' };
  expect(await planner.plan(input)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(5_000);
  server.closeAllConnections();
  await outbound.close();
});
