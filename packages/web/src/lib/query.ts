/**
 * Reading from the server with TanStack Query. The key of a query is the endpoint's id and its input, nothing else, so that everybody
 * who asks for the same gets the same, and a change can say what became old by the endpoint's id.
 */
import type { AnswerOf, Endpoint, InputOf } from '@parapet/contract/endpoint.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call, type LooseInput } from './call.ts';

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 5 * 60_000,
        retry: shouldRetry,
        retryDelay: (attempt, error) =>
          error instanceof Problem && error.retryAfterSeconds !== undefined
            ? Math.min(error.retryAfterSeconds, 30) * 1000
            : Math.min(1000 * 2 ** attempt, 8000),
      },
      mutations: { retry: false },
    },
  });

/** What the caller did wrong stays wrong; what the server or the way to it did wrong may pass. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  return failures < 2 && (error.status === 429 || error.status >= 500);
}

export function queryOptionsOf<E extends Endpoint>(endpoint: E, input: InputOf<E>) {
  const key = input as LooseInput;
  return queryOptions({
    queryKey: [endpoint.id, key] as const,
    queryFn: ({ signal }): Promise<AnswerOf<E>> => call(endpoint, input, { signal }),
    // Earlier data stays while new data loads, but never another client's or another thing's under this one's name.
    placeholderData: (previous, query) =>
      query && subjectOf(query.queryKey[1]) === subjectOf(key) ? (previous as never) : undefined,
  });
}

const clientNames = ['selectedClientOrgID', 'selectedClientOrganizationId', 'selectedClientOrganizationID'];

/** What a query is about, apart from timeframe, filters and page. A read with a body names its client there. */
export function subjectOf(input: LooseInput | undefined): string {
  const { start: _start, end: _end, ...params } = input?.params ?? {};
  const body = (input?.body ?? {}) as Record<string, unknown>;
  const filter = (body.filter ?? {}) as Record<string, unknown>;
  return JSON.stringify([params, clientNames.map((name) => input?.query?.[name] ?? body[name]), filter.clientOrganizationID]);
}
