/** Who gets which mails, made from the contract. A choice shows at once and goes back when it could not be saved. */
import { mailSubscriptionsApi, type SubscriptionKind, type SubscriptionRow } from '@parapet/contract/mailSubscriptions.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import { withKind } from './subscriptions.ts';

export const subscriptionsQuery = (client: number) => queryOptionsOf(mailSubscriptionsApi.list, { params: { client } });

interface Choice {
  row: SubscriptionRow;
  kind: SubscriptionKind;
  isOn: boolean;
}

export function useChooseKind(client: number) {
  const queries = useQueryClient();
  const { queryKey } = subscriptionsQuery(client);
  const kindsOf = (id: number) => queries.getQueryData(queryKey)?.results.find(({ userID }) => userID === id)?.kinds;
  const put = (id: number, change: (kinds: SubscriptionKind[]) => SubscriptionKind[]) =>
    queries.setQueryData(queryKey, (old) =>
      old ? { ...old, results: old.results.map((row) => (row.userID === id ? { ...row, kinds: change(row.kinds) } : row)) } : old,
    );
  return useMutation({
    // One after the other: each sends all that is chosen by then.
    scope: { id: `${mailSubscriptionsApi.update.id} ${client}` },
    mutationFn: ({ row }: Choice) =>
      call(mailSubscriptionsApi.update, { params: { id: row.userID }, body: { kinds: kindsOf(row.userID) ?? row.kinds } }),
    onMutate: async ({ row, kind, isOn }) => {
      await queries.cancelQueries({ queryKey });
      put(row.userID, (kinds) => withKind(kinds, kind, isOn));
    },
    onError: (error, { row, kind, isOn }) => {
      put(row.userID, (kinds) => withKind(kinds, kind, !isOn));
      toast.error(`What ${row.displayName} gets could not be saved. ${error.message}`);
    },
  });
}
