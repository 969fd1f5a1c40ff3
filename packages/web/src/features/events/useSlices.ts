/**
 * A search in slices: each call reads for two seconds, the next one goes on where it ended, until enough is found or the reader stops it. What was
 * found is shown at once.
 */
import type { UseQueryOptions } from '@tanstack/react-query';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { LooseInput } from '../../lib/call.ts';
import { shouldRetry } from '../../lib/query.ts';

interface Slice {
  /** Time that the search has come to; null once it is complete. */
  searchedTo: string | null;
}

export interface SlicesOptions<A extends Slice> {
  first: UseQueryOptions<A, Error, A, readonly [string, LooseInput]>;
  /** Goes on before a time. */
  next: (before: string, found: readonly A[], signal: AbortSignal) => Promise<A>;
  isEnough?: (found: readonly A[]) => boolean;
}

export interface Slices<A> {
  /** undefined until the first slice is there. */
  found: readonly A[] | undefined;
  isRunning: boolean;
  /** `found` is of the search before, shown until the first slice is there. */
  isFormer: boolean;
  /** Time that a search has come to that is not complete. */
  searchedTo: string | undefined;
  error: Error | null;
  refetch: () => void;
  stop: () => void;
  /** Goes on after a stop; undefined where there is nothing to go on with. */
  resume: (() => void) | undefined;
}

export function useSlices<A extends Slice>({ first, next, isEnough = () => false }: SlicesOptions<A>): Slices<A> {
  const client = useQueryClient();
  const head = useQuery({ ...first, retry: retryBusy });
  const key = JSON.stringify(first.queryKey);
  const [stopped, setStopped] = useState('');
  const isStopped = stopped === key;
  const whole = head.isPlaceholderData ? undefined : head.data;
  const begun = useMemo(() => (whole ? [whole] : []), [whole]);
  const hasMore = (found: readonly A[]) => found.length > 0 && found.at(-1)?.searchedTo !== null && !isEnough(found);
  const restKey = [...first.queryKey, 'slices', head.dataUpdatedAt] as const;
  const rest = useInfiniteQuery({
    queryKey: restKey,
    queryFn: ({ pageParam, signal }) => next(pageParam.at(-1)?.searchedTo ?? '', pageParam, signal),
    initialPageParam: begun,
    getNextPageParam: (_last: A, pages: A[]) => (hasMore([...begun, ...pages]) ? [...begun, ...pages] : undefined),
    enabled: !isStopped && hasMore(begun),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: retryBusy,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = rest;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && !isStopped) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, isStopped, fetchNextPage]);

  const found = useMemo(
    () => (head.data ? [head.data, ...(whole ? (rest.data?.pages ?? []) : [])] : undefined),
    [head.data, whole, rest.data],
  );
  const isOpen = whole !== undefined && found !== undefined && hasMore(found);
  const error = head.error ?? rest.error;
  return {
    found,
    isFormer: head.isPlaceholderData,
    isRunning: head.isFetching || (isOpen && !isStopped && !error),
    searchedTo: isOpen ? (found.at(-1)?.searchedTo ?? undefined) : undefined,
    error,
    refetch: () => {
      setStopped('');
      void head.refetch();
    },
    stop: () => {
      setStopped(key);
      void client.cancelQueries({ queryKey: restKey });
    },
    resume: isOpen && isStopped ? () => setStopped('') : undefined,
  };
}

/** Searches beyond the limit of a person are tried again when others have ended. */
const retryBusy = (failures: number, error: Error): boolean =>
  'status' in error && error.status === 429 && shouldRetry(failures, error);
