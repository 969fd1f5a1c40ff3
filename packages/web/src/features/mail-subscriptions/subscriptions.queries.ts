/** Queries and writes of email subscriptions. Choices show at once and roll back when they can’t be saved. */
import { mailSubscriptionsApi, type SubscriptionKind, type SubscriptionRow } from '@parapet/contract/mailSubscriptions.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { withKind } from './subscriptions.ts';

export const subscriptionsQuery = (client: number) => queryOptionsOf(mailSubscriptionsApi.list, { params: { client } });

interface Choice {
  row: SubscriptionRow;
  kind: SubscriptionKind;
  isOn: boolean;
}

/** Writes run one after the other; each sends the kinds chosen when it is sent. */
export function useChooseKind(client: number) {
  const { queryKey } = subscriptionsQuery(client);
  return useApiMutation(mailSubscriptionsApi.update, {
    scope: `${mailSubscriptionsApi.update.id} ${client}`,
    input: ({ row }: Choice, queries) => {
      const chosen = queries.getQueryData(queryKey)?.results.find(({ userID }) => userID === row.userID) ?? row;
      return { params: { id: row.userID }, body: { kinds: chosen.kinds } };
    },
    optimistic: async (queries, { row: { userID }, kind, isOn }) => {
      const set = (isChosen: boolean) =>
        queries.setQueryData(
          queryKey,
          (old) =>
            old && {
              ...old,
              results: old.results.map((row) =>
                row.userID === userID ? { ...row, kinds: withKind(row.kinds, kind, isChosen) } : row,
              ),
            },
        );
      await queries.cancelQueries({ queryKey });
      set(isOn);
      return () => set(!isOn);
    },
    failure: (error, { row }) => `Couldn’t save the subscriptions of ${row.displayName}. ${error.message}`,
  });
}
