/** One request as its page and the panel beside the list read it. */
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { pollIntervalMs, responseQuery } from './responses.queries.ts';
import { useResponseToasts } from './useResponseToasts.ts';

/** The request of this number, renewed while something is about to happen to it; what became of it is said. */
export function useResponse(id: number | undefined) {
  const { data, error, refetch } = useQuery({
    ...responseQuery(id ?? 1),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => pollIntervalMs(state.data && [state.data]),
  });
  const detail = id !== undefined && data?.id === id ? data : undefined;
  useResponseToasts(useMemo(() => detail && [detail], [detail]));
  const isMissing = error instanceof Problem && (error.code === 'notFound' || error.code === 'invalid');
  return { detail, error, isMissing, refetch };
}
