/** The reason of the user’s shift, and sensitive views that lack one. */
import { clientAccessLogApi } from '@parapet/contract/client-access-log.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

const pollMs = 5 * 60_000;

export const reasonQuery = { ...queryOptionsOf(clientAccessLogApi.getReason, {}), staleTime: pollMs, refetchInterval: pollMs };

export const useGiveReason = (onSuccess: () => void) =>
  useApiMutation(clientAccessLogApi.giveReason, {
    invalidates: [clientAccessLogApi.getReason, clientAccessLogApi.list, clientAccessLogApi.people],
    onSuccess,
    failure: 'Couldn’t save the reason.',
  });
