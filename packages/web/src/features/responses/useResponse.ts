/** One request as its page and the panel beside the list read it. */
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { askAgainMs, responseQuery } from './responses.queries.ts';
import { useResponseNews } from './useResponseNews.ts';

/** The request of this number, renewed while something is about to happen to it; what became of it is said. */
export function useResponse(id: number | undefined) {
  const { data, error, refetch } = useQuery({
    ...responseQuery(id ?? 1),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => askAgainMs(state.data && [state.data]),
  });
  const detail = id !== undefined && data?.id === id ? data : undefined;
  useResponseNews(useMemo(() => detail && [detail], [detail]));
  const isMissing = error instanceof Problem && (error.code === 'notFound' || error.code === 'invalid');
  return { detail, error, isMissing, refetch };
}
