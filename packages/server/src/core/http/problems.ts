/** The one place where errors become answers: `{ code, error, errors?, requestId }`. */
import { Problem, type ProblemBody, type ProblemCode, statusOf } from '@parapet/contract/problem.ts';
import type { FastifyInstance } from 'fastify';
import { isDatabaseAway } from '../db/scope.ts';
import type { Log } from '../log.ts';

export function answerProblems(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    if (problem.code === 'unexpected')
      log.error({ err: error, requestId: request.id, operation: request.routeOptions.config.operation }, 'call failed');
    if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
    const body: ProblemBody = {
      code: problem.code,
      error: problem.message,
      ...(problem.errors && { errors: problem.errors }),
      requestId: request.id,
    };
    return reply.code(problem.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  });
}

const codeOfStatus = new Map(Object.entries(statusOf).map(([code, status]) => [status as number, code as ProblemCode]));

/** Anything thrown, as what the caller is told; never with the inner text of an unexpected error. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseAway(error))
    return new Problem('unavailable', 'The database does not answer. Please try again in a moment.', { retryAfterSeconds: 5 });
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message?: string };
  // 57014: the statement ran into its time limit.
  if (code === '57014') {
    return new Problem(
      'unavailable',
      'This question took too long to answer. Narrow the timeframe or the filters and try again.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new Problem(codeOfStatus.get(statusCode) ?? 'invalid', String(message ?? 'The request is not valid.').slice(0, 500));
  }
  return new Problem('unexpected', 'Something went wrong here. Please try again; if it stays, report the request id.');
}
