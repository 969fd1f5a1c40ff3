/** G11: a bare JSON route through our whole hook chain (and through identity), against bare Fastify. */
import autocannon from 'autocannon';
import { z } from 'zod';
import Fastify from 'fastify';
import { endpoint } from '@parapet/contract/endpoint.ts';
import { serve } from '@parapet/server/core/http/serve.ts';
import { createApp } from '@parapet/server/app.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createIdentify } from '@parapet/server/features/auth/identity.ts';
import { createTokens } from '@parapet/server/features/auth/tokens.ts';
import type { Result } from './run.ts';
import { temporaryDatabase } from './temporary-database.ts';

const row = { id: 1, name: 'a thing with a name', createdAt: '2026-01-01T00:00:00.000Z', isNew: true, text: 'x'.repeat(300) };
const answer = z.object({
  id: z.number().describe('Id.'),
  name: z.string().max(100).describe('Name.'),
  createdAt: z.string().max(40).describe('When.'),
  isNew: z.boolean().describe('New?'),
  text: z.string().max(1000).describe('Text.'),
});

export async function run(): Promise<Result[]> {
  const { db, bus, session, close } = await temporaryDatabase();
  const tokens = createTokens(new Uint8Array(32).fill(7));
  const identify = createIdentify({ db, tokens });
  const app = await createApp({
    services: undefined,
    ingest: undefined,
    identify,
    denied: async () => {},
    log: silentLog,
    trustProxy: false,
    webDir: '/nowhere',
    notReady: () => [],
    metrics: { text: async () => '', token: undefined },
  });
  const serving = { app, identify, denied: async () => {} };
  serve(serving, endpoint({ id: 'bench.open', method: 'GET', path: '/bench/open', allow: 'anyone', summary: 'Open.', answer }), async () => row);
  serve(serving, endpoint({ id: 'bench.own', method: 'GET', path: '/bench/own', allow: 'signedIn', summary: 'Own.', answer }), async () => row);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const bare = Fastify();
  bare.get('/bare', async () => row);
  await bare.listen({ port: 0, host: '127.0.0.1' });

  const { userId, sessionId } = await session();
  const token = await tokens.issue(userId, sessionId);
  const load = async (url: string, headers: Record<string, string> = {}): Promise<number> => {
    const result = await autocannon({ url, connections: 16, duration: 3, headers });
    if (result.non2xx > 0) throw new Error(`${url}: ${result.non2xx} answers were not 2xx`);
    return result.requests.average;
  };
  const base = `${addressOf(app)}/api/v1/bench`;
  const lanes: Record<'bare' | 'open' | 'own', number[]> = { bare: [], open: [], own: [] };
  for (let round = 0; round < 3; round++) {
    lanes.bare.push(await load(`${addressOf(bare)}/bare`));
    lanes.open.push(await load(`${base}/open`));
    lanes.own.push(await load(`${base}/own`, { authorization: `Bearer ${token}` }));
  }
  await app.close();
  await bare.close();
  await close();
  const middle = (values: number[]) => values.sort((a, b) => a - b)[1] as number;
  const limit = middle(lanes.bare);
  const result = (name: string, values: number[]): Result => ({ name, unit: 'req/s', value: middle(values), limit, ratio: middle(values) / limit });
  return [result('chain.open', lanes.open), result('chain.signed-in', lanes.own)];
}

if (import.meta.main) console.log(await run());
