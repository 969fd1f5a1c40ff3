/**
 * Server for chain.bench.ts: the hook chain beside bare Fastify. Prints its address and a token as one line; `/cpu` returns the
 * µs since the last call.
 */

import { endpoint } from '@parapet/contract/endpoint.ts';
import { createApp } from '@parapet/server/app.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { createBudgets } from '@parapet/server/core/http/budgets.ts';
import { serve } from '@parapet/server/core/http/serve.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createIdentify } from '@parapet/server/features/auth/identity.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import Fastify from 'fastify';
import { z } from 'zod';
import { cpuRoute } from './cpu.ts';
import { listen } from './listen.ts';
import { temporaryDatabase } from './temporary-database.ts';

const row = { id: 1, name: 'a thing with a name', createdAt: '2026-01-01T00:00:00.000Z', isNew: true, text: 'x'.repeat(300) };
const answer = z.object({
  id: z.number().describe('Id.'),
  name: z.string().max(100).describe('Name.'),
  createdAt: z.string().max(40).describe('When.'),
  isNew: z.boolean().describe('New?'),
  text: z.string().max(1000).describe('Text.'),
});

const { db, session, close } = await temporaryDatabase();
const tokens = createTokens(new Uint8Array(32).fill(7));
const identify = createIdentify({ db, tokens, clock: systemClock });
const { app } = await createApp({
  features: [],
  servesPeople: false,
  servesIntake: false,
  identify,
  denied: async () => {},
  log: silentLog,
  trustProxy: false,
  webDir: '/nowhere',
  notReady: async () => [],
  metrics: { text: async () => '', token: undefined },
});
const many = 1_000_000_000;
const budgets = createBudgets(app, {
  limits: { callsAMinute: many, refusalsAMinute: many, maxAtOnce: many, maxBytes: many },
  raise: () => {},
  refused: () => {},
});
const serving = { app, identify, denied: async () => {}, budgets };
const endpointOf = (id: string, allow: 'anyone' | 'session:use') =>
  endpoint({ id, route: `GET /${id}`, allow, freshness: 'none', summary: 'A row.', answer });
serve(serving, endpointOf('bench.open', 'anyone'), async () => row);
serve(serving, endpointOf('bench.own', 'session:use'), async () => row);

const bare = Fastify();
bare.get('/bare', async () => row);
cpuRoute(bare);

const { userId, sessionId } = await session();
const ready = { ours: await listen(app), bare: await listen(bare), token: await tokens.issue(userId, sessionId) };
process.once('SIGTERM', async () => {
  await Promise.all([app.close(), bare.close()]);
  await close();
  process.exit(0);
});
console.log(JSON.stringify(ready));
