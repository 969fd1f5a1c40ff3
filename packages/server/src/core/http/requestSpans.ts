/** A trace for each request. Its context is entered again after the body was read, whose events come from the socket. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, type Span, startSpan, within } from '../telemetry/tracing.ts';
import { operationOf } from './operation.ts';

const spans = new WeakMap<FastifyRequest, Span>();
/** Requested every few seconds by machines, or many at a time by each page. */
const untraced = /^GET \/(healthz|readyz|metrics|assets\/\*)$/;

export const traceIdOf = (request: FastifyRequest): string | undefined => spans.get(request)?.traceId;

export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const operation = operationOf(request);
    const span = untraced.test(operation)
      ? undefined
      : startSpan(operation, { 'http.request.method': request.method, 'portal.request.id': request.id });
    if (span) spans.set(request, span);
    within(span, done);
  });
  app.addHook('preValidation', (request, _reply, done) => within(spans.get(request), done));
  app.addHook('preHandler', (request, _reply, done) => within(spans.get(request), done));
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span?.fail({ code: String(reply.statusCode) });
    span?.end();
    done();
  });
}
