/** Query of one request for its page and side panel. */
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { pollIntervalMs, responseQuery } from './responses.queries.ts';
import { useResponseToasts } from './useResponseToasts.ts';

/** Polls the request while it is pending and reports its outcome as a toast. */
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
