import Fastify from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import type { Log } from '../log.ts';
import { type AccessLogDeps, linesASecond, logAccess } from './accessLog.ts';
import type { Actor } from './actor.ts';
import { openEventStream } from './event-stream.ts';

interface Line {
  text: string;
  operation?: string;
  status?: number;
  unlogged?: number;
}

afterEach(() => vi.restoreAllMocks());

/** An application with a call, a slow one, a failing one, a stream and an asset. */
async function appWith(detail: AccessLogDeps['detail']) {
  const lines: Line[] = [];
  const answered: [operation: string, status: number, isTimed: boolean][] = [];
  let now = 0;
  const log = { info: (fields: object, text: string) => void lines.push({ ...fields, text }) } as unknown as Log;
  const app = Fastify();
  app.decorateRequest('actor', undefined);
  logAccess(app, {
    log,
    detail,
    answered: (operation, status, seconds) => void answered.push([operation, status, seconds !== undefined]),
    now: () => now,
  });
  let passed = 0;
  const time = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => time() + passed);
  /** Lets time pass for every request under way. */
  const pass = (ms: number) => {
    passed += ms;
  };
  const open = { config: { operation: 'open' } };
  app.get('/call/:token', { config: { operation: 'alerts.list' } }, async (request) => {
    request.actor = { userId: 7, organisationId: 10 } as Actor;
    return 'six by';
  });
  app.get('/slow', { config: { operation: 'reports.file' } }, async () => {
    pass(1_050);
    return '';
  });
  app.get('/fails', { config: { operation: 'cases.detail' } }, async () => {
    throw new Error('secret text');
  });
  app.get('/stream', { config: { operation: 'alerts.live' } }, async (_request, reply) => {
    reply.header('x-of-ours', '1');
    const sink = openEventStream(reply);
    pass(1_050);
    sink.end();
    return reply;
  });
  app.get('/assets/*', open, async () => '');
  app.post('/ingest/:index/_bulk', open, async () => '');
  await app.ready();
  const goTo = (ms: number) => {
    now = ms;
  };
  return { app, lines, answered, goTo };
}

test('logs every request by its operation, with person, size and duration, without its address', async () => {
  const { app, lines, answered } = await appWith('all');
  await app.inject('/call/a-secret-token?text=hidden');
  await app.inject({ method: 'POST', url: '/ingest/logs/_bulk', payload: '' });
  await app.inject('/nowhere/a-secret-token');
  await app.inject('/assets/page.js');
  expect(lines).toEqual([
    {
      text: 'request',
      requestId: expect.any(String),
      operation: 'alerts.list',
      status: 200,
      ms: expect.any(Number),
      bytes: 6,
      userId: 7,
      organisationId: 10,
    },
    expect.objectContaining({ operation: 'POST /ingest/:index/_bulk', status: 200 }),
    expect.objectContaining({ operation: 'none', status: 404 }),
  ]);
  expect(JSON.stringify([lines, answered])).not.toMatch(/secret|hidden/);
  expect(answered).toEqual([
    ['alerts.list', 200, true],
    ['POST /ingest/:index/_bulk', 200, true],
    ['none', 404, true],
    ['GET /assets/*', 200, true],
  ]);
});

test('logs slow and failed requests only unless all are wanted; a stream is not slow', async () => {
  const { app, lines, answered } = await appWith('slow');
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  for (const path of ['/call/1', '/slow', '/fails', '/stream', '/nowhere']) await (await fetch(origin + path)).text();
  await app.close();
  expect(lines.map(({ operation, status }) => `${operation} ${status}`).sort()).toEqual(['cases.detail 500', 'reports.file 200']);
  expect(JSON.stringify(lines)).not.toContain('secret');
  expect(answered.filter(([, , isTimed]) => !isTimed)).toEqual([['alerts.live', 200, false]]);
});

test('logs at most so many a second, every failure, and how many have no line', async () => {
  const { app, lines, answered, goTo } = await appWith('all');
  for (let i = 0; i < linesASecond + 30; i++) await app.inject('/call/1');
  await app.inject('/fails');
  expect(lines).toHaveLength(linesASecond + 1);
  expect(lines.at(-1)).toMatchObject({ operation: 'cases.detail', status: 500 });
  goTo(1_000);
  await app.inject('/call/1');
  expect(lines.slice(-2)).toMatchObject([{ text: 'requests without a line', unlogged: 30 }, { operation: 'alerts.list' }]);
  expect(answered).toHaveLength(linesASecond + 32);
});
