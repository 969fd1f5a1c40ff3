/** Requests under way when the process stops end before their connections do; later calls are refused, so that a balancer sends them to another process. */
import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';

const drainMs = 3_000;
/** A connection that was chosen for a request before its end was noticed is still read. */
const lingerMs = 200;

/**
 * Returns a function that waits for the requests under way, for the last hook before the close: features first refuse, and end what waits.
 * @param refused paths of the calls that are refused here; the intake refuses in its own formats
 */
export function drainBeforeClose(app: FastifyInstance, refused: RegExp): () => Promise<void> {
  const open = new Set<FastifyReply>();
  let isStopping = false;
  app.addHook('onRequest', (request, reply, done) => {
    if (isStopping && refused.test(request.url))
      return done(problem.unavailable('This portal is restarting. Try again in a moment.'));
    open.add(reply);
    reply.raw.once('close', () => open.delete(reply));
    return done();
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    // Fastify does so for later ones.
    for (const reply of open) if (!reply.sent) reply.header('connection', 'close');
  });
  return async () => {
    if (app.server.listening) await pause(lingerMs);
    // Live streams have taken over their response and end on their own.
    const isUnderWay = (reply: FastifyReply) => !reply.sent || reply.raw.writableEnded;
    for (const until = performance.now() + drainMs; performance.now() < until && [...open].some(isUnderWay); ) await pause(20);
  };
}
