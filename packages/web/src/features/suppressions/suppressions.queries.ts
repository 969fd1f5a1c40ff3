/** Queries and writes of suppressions. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { exceptionsApi } from '@parapet/contract/exceptions.ts';
import { resolveTimeframe, roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { answerRows, type ListQuery, listSchema } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';
import { aboutOf, type scopeOf } from './suppressions.ts';

export const suppressionList = listSchema({ query: answerRows() });
export const suppressionListQuery = (client: number, query: ListQuery<typeof suppressionList>) =>
  queryOptionsOf(suppressionsApi.list, { params: { client }, query });

/** Without placeholder data: saving is allowed only after the preview of exactly this scope. */
export const previewQuery = (body: NonNullable<ReturnType<typeof scopeOf>>) => ({
  ...queryOptionsOf(suppressionsApi.preview, { body }),
  placeholderData: undefined,
});

/** Rules that raised alerts of this client in the last year. */
export const ruleNamesQuery = (client: number, timeZone: string) =>
  queryOptionsOf(alertsApi.ruleNames, {
    query: {
      selectedClientOrganizationId: client,
      ...resolveTimeframe('lastOneYear', roundedNow(Date.now()) - 1, timeZone),
    },
  });

const invalidates = [suppressionsApi.list, exceptionsApi.list];

export const useCreateSuppression = () =>
  useApiMutation(suppressionsApi.create, { invalidates, success: 'Suppression created', failure: false, topic: 'case' });

export const useEndSuppression = () =>
  useApiMutation(suppressionsApi.end, {
    invalidates,
    input: ({ id }: Parameters<typeof aboutOf>[0] & { id: number }) => ({ params: { id } }),
    success: (_, row) => `Suppression of ${aboutOf(row)} ended`,
    failure: 'Couldn’t end the suppression.',
    topic: 'case',
  });
