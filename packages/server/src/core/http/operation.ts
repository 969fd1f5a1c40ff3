/** Name of a request in logs, metrics and traces. */
import type { FastifyRequest } from 'fastify';

/** An endpoint’s id; for the routes that are none, such as the intake, method and pattern. */
export function operationOf({ routeOptions: { config, url }, method }: FastifyRequest): string {
  const operation = config?.operation;
  if (operation !== undefined && operation !== 'open') return operation;
  return url === undefined ? 'none' : `${method === 'HEAD' ? 'GET' : method} ${url}`;
}
