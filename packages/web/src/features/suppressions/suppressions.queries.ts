/** Suppressions, made from the contract. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { resolveTimeframe, roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { type ListQuery, listSchema } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import { aboutOf, type whatOf } from './suppressions.ts';

export const suppressionList = listSchema({});
export const suppressionListQuery = (client: number, query: ListQuery<typeof suppressionList>) =>
  queryOptionsOf(suppressionsApi.list, { params: { client }, query });

/** Never an earlier answer: it decides whether one may save. */
export const previewQuery = (what: NonNullable<ReturnType<typeof whatOf>>) => ({
  ...queryOptionsOf(suppressionsApi.preview, { body: what }),
  placeholderData: undefined,
});

/** Rules that raised alerts of this client in a year: what there is to suppress. */
export const ruleNamesQuery = (client: number, timeZone: string) =>
  queryOptionsOf(alertsApi.ruleNames, {
    query: {
      selectedClientOrganizationId: client,
      ...resolveTimeframe('lastOneYear', roundedNow(Date.now()) - 1, timeZone),
    },
  });

export function useSuppressionsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [suppressionsApi.list.id] });
}

export function useEndSuppression() {
  const changed = useSuppressionsChanged();
  return useMutation({
    mutationFn: (row: Parameters<typeof aboutOf>[0] & { id: number }) => call(suppressionsApi.end, { params: { id: row.id } }),
    onSuccess: (_, row) => {
      toast.success(`The suppression of ${aboutOf(row)} has ended`, 'case');
      return changed();
    },
    onError: (error) => toast.error(`It could not be ended. ${error.message}`, 'case'),
  });
}
