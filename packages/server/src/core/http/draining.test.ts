import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { drainBeforeClose } from './draining.ts';

/** Slow calls end by `end`; a poll ends as its feature stops. */
function slowApp() {
  const app = Fastify({ forceCloseConnections: true, return503OnClosing: false });
  const drain = drainBeforeClose(app, /^\/(api|agent)\//);
  const [begun, end, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const isUnderWay = () => {
    if (++count === 4) begun.resolve();
  };
  for (const path of ['/api/slow', '/agent/slow', '/ingest/slow'])
    app.get(path, async () => {
      isUnderWay();
      await end.promise;
      return 'done';
    });
  app.get('/agent/poll', async () => {
    isUnderWay();
    await stopped.promise;
    return 'nothing';
  });
  app.get('/api/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write('a');
  });
  app.addHook('preClose', async () => stopped.resolve());
  app.addHook('preClose', drain);
  return { app, begun: begun.promise, end: () => end.resolve() };
}

test('ends the requests under way before their connections close, and refuses later calls', async () => {
  const { app, begun, end } = slowApp();
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const stream = await fetch(`${address}/api/stream`);
  const slow = ['/api/slow', '/agent/slow', '/ingest/slow'].map((path) => fetch(address + path));
  const poll = fetch(`${address}/agent/poll`);
  await begun;
  const started = performance.now();
  const closing = app.close();
  for (const path of ['/api/other', '/agent/other']) {
    const late = await vi.waitFor(async () => {
      const answer = await fetch(address + path);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(late.headers.get('connection')).toBe('close');
  }
  expect(await (await poll).text()).toBe('nothing');
  end();
  for (const answer of await Promise.all(slow))
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['done', 'close']);
  await closing;
  // A live stream holds nothing up.
  expect(performance.now() - started).toBeLessThan(2_500);
  await stream.body?.cancel().catch(() => {});
});
