/** Reports of browsers: anybody can send them, so they are bounded and only written down. */

import { problem } from '@parapet/contract/problem.ts';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Log } from '../log.ts';
import { cspReportRoute } from './cspReports.ts';
import { cspReportPath } from './headers.ts';

let app: FastifyInstance;
let left = 0;
const counted: string[] = [];
const logged: object[] = [];
beforeAll(async () => {
  app = Fastify();
  await cspReportRoute(app, {
    throttle: () => {
      if (left-- <= 0) throw problem.tooManyRequests('Too many.', 30);
    },
    counted: (directive) => counted.push(directive),
    log: { warn: (entry: object) => logged.push(entry) } as unknown as Log,
  });
});
afterAll(() => app.close());
beforeEach(() => {
  left = 100;
  counted.length = 0;
  logged.length = 0;
});

const send = (payload: unknown, type = 'application/reports+json') =>
  app.inject({
    method: 'POST',
    url: cspReportPath,
    headers: { 'content-type': type },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
const token = 'x'.repeat(43);
const violation = (change: object = {}) => ({
  type: 'csp-violation',
  body: {
    effectiveDirective: 'style-src-elem',
    blockedURL: 'inline',
    documentURL: `https://portal.example/passwordReset/${token}?email=a@b.example#x`,
    sourceFile: 'https://portal.example/assets/index.js?x',
    lineNumber: 3,
    ...change,
  },
});

test('logs and counts a Reporting API report, without the parameters of its addresses', async () => {
  expect((await send([violation()])).statusCode).toBe(204);
  expect(logged).toEqual([
    {
      directive: 'style-src-elem',
      blocked: 'inline',
      page: 'https://portal.example/passwordReset/(token)',
      source: 'https://portal.example/assets/index.js:3',
    },
  ]);
  expect(counted).toEqual(['style-src-elem']);
});

test('accepts a report by report-uri', async () => {
  const report = { 'violated-directive': "script-src 'self'", 'blocked-uri': 'eval', 'document-uri': 'https://portal.example/' };
  expect((await send({ 'csp-report': report }, 'application/csp-report')).statusCode).toBe(204);
  expect(logged).toEqual([{ directive: 'script-src', blocked: 'eval', page: 'https://portal.example/', source: '' }]);
});

test('ignores other content and keeps the set of labels small', async () => {
  for (const payload of [null, [], {}, [{ type: 'deprecation', body: {} }], 'x'.repeat(0) || '{}'])
    expect((await send(payload)).statusCode).toBe(204);
  expect(logged).toEqual([]);
  await send([
    violation({ effectiveDirective: 'made-up-\u0000by a visitor' }),
    violation({ effectiveDirective: 'x'.repeat(5_000) }),
  ]);
  expect(counted).toEqual(['other', 'other']);
});

test('rejects or truncates large bodies, long lists, other types and too many reports', async () => {
  expect((await send('x'.repeat(17_000))).statusCode).toBe(413);
  await send(Array.from({ length: 50 }, () => violation()));
  expect(logged).toHaveLength(10);
  expect((await send('{', 'application/csp-report')).statusCode).toBe(400);
  expect((await send('x', 'application/xml')).statusCode).toBe(415);
  left = 0;
  expect((await send([violation()])).statusCode).toBe(429);
});
