/** Maps errors to responses: `{ code, error, errors?, requestId }`. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemBody, type ProblemCode, statusOf } from '@parapet/contract/problem.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway, isOutcomeUncertain } from '../db/failures.ts';
import type { Log } from '../log.ts';
import { sendRefusal } from './unread.ts';

export function answerProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    if (problem.code === 'unexpected')
      log.error({ err: error, requestId: request.id, operation: request.routeOptions.config.operation }, 'call failed');
    return send(problem, request, reply);
  });
}

/** Answers for addresses that no route can be looked up for: no hook has run, so what every answer carries is given in. */
export const answerBadAddress =
  (headers: Record<string, string>) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const text = error.statusCode === 414 ? 'A part of this address is too long.' : 'This address cannot be read.';
    void send(new Problem('invalid', text), request, reply.headers(headers));
  };

/** Answers what never became a request: no HTTP, too many headers, or a body that did not arrive in time. */
export const answerBrokenRequest =
  (headers: Record<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    // An answer is on its way already: a second one would stand in the middle of it.
    const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || answer?.headersSent) {
      socket.destroy();
      return;
    }
    // Text: a log shipper sends again after it, and throws its batch away after JSON.
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const status = isLate ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    const text = isLate
      ? 'The request did not arrive in time. Send it again.'
      : status === 431
        ? 'The headers of this request are too long.'
        : 'This is not a request that can be read.';
    const body = isLate ? `${text}\n` : JSON.stringify({ code: 'invalid', error: text, requestId: '' } satisfies ProblemBody);
    const lines = Object.entries({
      ...headers,
      'content-type': isLate ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  };

function send(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  const body: ProblemBody = {
    code: problem.code,
    error: problem.message,
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.versions && { versions: problem.versions }),
    ...(problem.stepUp && { stepUp: problem.stepUp }),
    requestId: request.id,
  };
  reply.code(problem.status).header('cache-control', 'no-store').type('application/json; charset=utf-8');
  return sendRefusal(request, reply, JSON.stringify(body));
}

const codeOfStatus = new Map(Object.entries(statusOf).map(([code, status]) => [status as number, code as ProblemCode]));

/** Public form of a thrown value, without the text of unexpected errors. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isOutcomeUncertain(error))
    return new Problem(
      'unavailable',
      'The database did not confirm this change. It may have been saved: check before you try again.',
      { retryAfterSeconds: 5 },
    );
  if (isDatabaseAway(error))
    return new Problem('unavailable', 'The database does not answer. Please try again in a moment.', { retryAfterSeconds: 5 });
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  // 57014: the statement ran into its time limit.
  if (code === '57014') {
    return new Problem('unavailable', 'The query timed out. Narrow the timeframe or the filters and try again.', {
      retryAfterSeconds: 5,
    });
  }
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new Problem(codeOfStatus.get(statusCode) ?? 'invalid', textOf(code, statusCode));
  }
  return new Problem('unexpected', 'Something went wrong here. Please try again; if it stays, report the request id.');
}

/** Refusals by Fastify, in our words. */
function textOf(code: string | undefined, status: number): string {
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'Send the body as JSON, with the content type application/json.';
  if (status === 413) return 'The body of this request is too large.';
  if (status === 404) return 'Not found.';
  if (status === 403) return 'This address leads outside of what is served.';
  return 'The request cannot be read. Send its body as JSON, with the content type application/json.';
}
