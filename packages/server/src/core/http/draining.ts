/** Calls under way when the process stops end before their connections do; later ones are refused, so that a balancer sends them to another process. */
import { setTimeout as pause } from 'node:timers/promises';
import { problem } from '@parapet/contract/problem.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';

const drainMs = 3_000;
/** A connection that was chosen for a request before its end was noticed is still read. */
const lingerMs = 200;

/** @param prefix path of the calls; the intake refuses in its own formats */
export function drainBeforeClose(app: FastifyInstance, prefix: string): void {
  const open = new Set<FastifyReply>();
  let isStopping = false;
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(prefix)) return done();
    if (isStopping) {
      reply.header('connection', 'close');
      return done(problem.unavailable('This portal is restarting. Try again in a moment.'));
    }
    open.add(reply);
    reply.raw.once('close', () => open.delete(reply));
    return done();
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    if (app.server.listening) await pause(lingerMs);
    // Live streams have taken over their response and end on their own.
    const isUnderWay = (reply: FastifyReply) => !reply.sent || reply.raw.writableEnded;
    for (const until = performance.now() + drainMs; performance.now() < until && [...open].some(isUnderWay); ) await pause(20);
  });
}
