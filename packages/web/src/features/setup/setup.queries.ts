/** Queries and writes of the setup checklist. */
import { allClients } from '@parapet/contract/access.ts';
import { type SetupStep, setupApi } from '@parapet/contract/setup.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

const refreshMs = 5_000;
/** While the first event is waited for. */
const liveMs = 2_000;

/** Refetched while something is missing: steps are done elsewhere. */
export const setupQuery = (client: number) => ({
  ...queryOptionsOf(setupApi.get, { params: { client } }),
  refetchInterval: ({ state: { data } }: { state: { data?: { steps: readonly SetupStep[] } | undefined } }) => {
    if (data?.steps.every(({ isDone }) => isDone)) return false as const;
    return client !== allClients && data?.steps.some(({ id, isDone }) => id === 'source' && !isDone) ? liveMs : refreshMs;
  },
});

export const useConfirmStep = () => useApiMutation(setupApi.confirm, { invalidates: [setupApi.get] });

export const useTestMail = () =>
  useApiMutation(setupApi.testMail, {
    invalidates: [setupApi.get],
    variant: 'info',
    success: ({ isSending }) =>
      isSending
        ? 'Test email queued. The outbox shows when the mail server has accepted it.'
        : 'No mail server is configured. The test email stays in the outbox.',
  });
