import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { drainBeforeClose } from './draining.ts';

test('ends the calls under way before their connections close, and refuses later ones', async () => {
  const app = Fastify({ forceCloseConnections: true, return503OnClosing: false });
  drainBeforeClose(app, '/api/');
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  app.get('/api/slow', async () => {
    begun.resolve();
    await end.promise;
    return 'done';
  });
  app.get('/api/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('a');
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const stream = await fetch(`${address}/api/stream`);
  const slow = fetch(`${address}/api/slow`);
  await begun.promise;
  const started = performance.now();
  const closing = app.close();
  const late = await vi.waitFor(async () => {
    const answer = await fetch(`${address}/api/other`);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(late.headers.get('connection')).toBe('close');
  end.resolve();
  expect(await (await slow).text()).toBe('done');
  await closing;
  // A live stream holds nothing up.
  expect(performance.now() - started).toBeLessThan(2_500);
  await stream.body?.cancel().catch(() => {});
});
