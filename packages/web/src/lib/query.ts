/**
 * Queries with TanStack Query. A key is the endpoint’s id and its input and nothing else, so that equal queries share their result and a
 * write can invalidate by endpoint id.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call, type LooseInput } from './call.ts';

/** Age of a failure, in ms, up to which a page that mounts takes it for its own. */
const loaderFailureMs = 1000;

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 5 * 60_000,
        retry: shouldRetry,
        // A failure of the route’s loader is shown by the page, not repeated.
        retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > loaderFailureMs,
        retryDelay: (attempt, error) =>
          error instanceof Problem && error.retryAfterSeconds !== undefined
            ? Math.min(error.retryAfterSeconds, 30) * 1000
            : Math.min(1000 * 2 ** attempt, 8000),
      },
      mutations: { retry: false },
    },
  });

/** Retries server and connection errors, not the caller’s own. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return failures < 2 && (error.status === 429 || error.status >= 500);
}

export function queryOptionsOf<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
  const key = input as LooseInput;
  return queryOptions({
    queryKey: [endpoint.id, key] as const,
    queryFn: ({ signal }): Promise<AnswerOf<E>> => call(endpoint, input, { signal }),
    // Earlier data stays while new data loads, but never that of another client or object.
    placeholderData: (previous, query) =>
      query && subjectOf(query.queryKey[1]) === subjectOf(key) ? (previous as never) : undefined,
  });
}

const clientNames = ['selectedClientOrgID', 'selectedClientOrganizationId', 'selectedClientOrganizationID'];

/** The subject of a query, without timeframe, filters and page. Reads with a body name their client in it. */
export function subjectOf(input: LooseInput | undefined): string {
  const { start: _start, end: _end, ...params } = input?.params ?? {};
  const body = (input?.body ?? {}) as Record<string, unknown>;
  const filter = (body.filter ?? {}) as Record<string, unknown>;
  return JSON.stringify([params, clientNames.map((name) => input?.query?.[name] ?? body[name]), filter.clientOrganizationID]);
}
