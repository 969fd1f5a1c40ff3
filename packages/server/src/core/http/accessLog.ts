/** Access log and duration of every request, by its operation: never by its address, which may be a capability. */
import type { FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';
import type { AnsweredIds } from '../metrics.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { operationOf } from './operation.ts';
import { traceIdOf } from './requestSpans.ts';

export interface AccessLogDeps {
  log: Log;
  /** `all` logs every request; `slow` those that took a second or failed with a status of 500 or more. */
  detail: 'all' | 'slow';
  /** Of the process’s metrics; streams, which last as long as their reader stays, have no duration. */
  answered: (operation: string, status: number, seconds: number | undefined, ids: AnsweredIds) => void;
  /** Monotonic time in ms. */
  now?: () => number;
}

/** Fewer requests than these are logged one by one; the rest of the second is counted. Failures are always logged. */
export const linesASecond = 200;
const slowMs = 1000;
/** Requested every few seconds by machines, or many at a time by each page. */
const frequent = new Set(['GET /healthz', 'GET /readyz', 'GET /metrics', 'GET /assets/*']);

export function logAccess(app: FastifyInstance, { log, detail, answered, now = () => performance.now() }: AccessLogDeps): void {
  let second = 0;
  let lines = 0;
  let unlogged = 0;
  /** False once a second has its lines; the first line of the next second gives the number of requests without one. */
  const hasRoom = (): boolean => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      if (unlogged > 0) log.info({ unlogged }, 'requests without a line');
      [second, lines, unlogged] = [current, 0, 0];
    }
    if (lines < linesASecond) {
      lines++;
      return true;
    }
    unlogged++;
    return false;
  };
  app.addHook('onResponse', (request, reply, done) => {
    const operation = operationOf(request);
    const { statusCode: status, elapsedTime } = reply;
    const isStream = String(reply.raw.getHeader('content-type')).startsWith('text/event-stream');
    const ids = { requestId: request.id, traceId: traceIdOf(request) ?? '' };
    answered(operation, status, isStream ? undefined : elapsedTime / 1000, ids);
    const isNotable = status >= 500 || (elapsedTime >= slowMs && !isStream);
    const isDetailed = detail === 'all' && !frequent.has(operation);
    if (status >= 500 || ((isNotable || isDetailed) && hasRoom())) {
      const bytes = Number(reply.getHeader('content-length'));
      log.info(
        {
          requestId: request.id,
          ...(isTracing() && { traceId: traceIdOf(request) }),
          operation,
          status,
          ms: Math.round(elapsedTime),
          ...(Number.isFinite(bytes) && { bytes }),
          userId: request.actor?.userId,
          organisationId: request.actor?.organisationId,
        },
        'request',
      );
    }
    done();
  });
}
