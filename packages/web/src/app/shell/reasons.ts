/** The reason of the user’s shift, and sensitive views that lack one. */
import { looksApi } from '@parapet/contract/looks.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

const pollMs = 5 * 60_000;

export const reasonQuery = { ...queryOptionsOf(looksApi.getReason, {}), staleTime: pollMs, refetchInterval: pollMs };

export const useGiveReason = (onSuccess: () => void) =>
  useApiMutation(looksApi.giveReason, {
    invalidates: [looksApi.getReason, looksApi.list, looksApi.people],
    onSuccess,
    failure: 'Couldn’t save the reason.',
  });
