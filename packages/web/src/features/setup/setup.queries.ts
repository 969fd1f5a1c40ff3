/** Queries and writes of the setup checklist. */
import { setupApi } from '@parapet/contract/setup.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

const refreshMs = 5_000;

/** Refetched while something is missing: steps are done elsewhere. */
export const setupQuery = (client: number) => ({
  ...queryOptionsOf(setupApi.get, { params: { client } }),
  refetchInterval: (query: { state: { data?: { steps: readonly { isDone: boolean }[] } | undefined } }) =>
    query.state.data?.steps.every(({ isDone }) => isDone) ? (false as const) : refreshMs,
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
