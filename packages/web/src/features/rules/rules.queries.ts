/** Queries and writes of detection rules. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { ruleOrigins, ruleSorts, ruleStates, rulesApi } from '@parapet/contract/detectionRules.ts';
import { exceptionsApi, hidingKinds } from '@parapet/contract/exceptions.ts';
import { resolveTimeframe, roundedNow } from '@parapet/contract/rules/timeframe.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import {
  answerRows,
  type ListQuery,
  listSchema,
  text as listText,
  match,
  search,
  values,
  word,
  words,
} from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const noises = ['never', 'noisy', 'benign', 'noData'] as const;
export const listStates = [...ruleStates, 'off', 'fault'] as const;

export const ruleList = listSchema({
  text: search(),
  severity: words(severities),
  state: words(listStates),
  origin: words(ruleOrigins),
  product: values(/^.{1,100}$/),
  pack: listText(),
  technique: match(/^[Tt]\d{4}(\.\d{3})?$/),
  noise: words(noises),
  sort: word(ruleSorts, 'title'),
  order: word(['asc', 'desc'], 'asc'),
});
export const ruleListQuery = (client: number, { text, technique, ...query }: ListQuery<typeof ruleList>) =>
  queryOptionsOf(rulesApi.list, { params: { client }, query: { ...query, search: text, technique: technique ?? '' } });
export const ruleQuery = (client: number, ruleID: string) => queryOptionsOf(rulesApi.get, { params: { client, ruleID } });
/** Faults of a text while it is edited. */
export const checkQuery = (yaml: string) => ({
  ...queryOptionsOf(rulesApi.check, { body: { yaml } }),
  placeholderData: undefined,
});

export const hidingList = listSchema({ kind: words(hidingKinds), state: words(['active', 'ended']), query: answerRows() });
export const hidingListQuery = (client: number, query: ListQuery<typeof hidingList>) =>
  queryOptionsOf(exceptionsApi.list, { params: { client }, query });

export const previewQuery = (id: number) => queryOptionsOf(rulesApi.getPreview, { params: { id } });

const invalidates = [rulesApi.list, rulesApi.get, exceptionsApi.list];

export const useSaveDraft = () =>
  useApiMutation(rulesApi.saveDraft, {
    invalidates,
    success: ({ version }) => `Draft saved as version ${version}`,
    failure: false,
  });
export const useChangeState = () =>
  useApiMutation(rulesApi.changeState, { invalidates, success: 'State changed', failure: false });
export const useSaveOverride = () =>
  useApiMutation(rulesApi.saveOverride, { invalidates, success: 'Override saved', failure: false });
export const useAddException = () =>
  useApiMutation(rulesApi.addException, { invalidates, success: 'Exception added', failure: false });
/** Rules that raised alerts of this client in the last year. */
export const ruleNamesQuery = (client: number, timeZone: string) =>
  queryOptionsOf(alertsApi.ruleNames, {
    query: {
      selectedClientOrganizationId: client,
      ...resolveTimeframe('lastOneYear', roundedNow(Date.now()) - 1, timeZone),
    },
  });
export const useCreateSuppression = () =>
  useApiMutation(suppressionsApi.create, {
    invalidates: [exceptionsApi.list],
    success: 'Suppression created',
    failure: false,
    topic: 'case',
  });
export const useEndSuppression = () =>
  useApiMutation(suppressionsApi.end, {
    invalidates: [exceptionsApi.list],
    success: 'Suppression ended',
    failure: 'Couldn’t end the suppression.',
    topic: 'case',
  });
export const useEndException = () =>
  useApiMutation(rulesApi.endException, { invalidates, success: 'Exception ended', failure: 'Couldn’t end the exception.' });
export const useAddTest = () => useApiMutation(rulesApi.addTest, { invalidates, success: 'Test added', failure: false });
export const useRemoveTest = () =>
  useApiMutation(rulesApi.removeTest, { invalidates, success: 'Test removed', failure: 'Couldn’t remove the test.' });
export const useStartPreview = () => useApiMutation(rulesApi.startPreview, { failure: false });
export const useCancelPreview = () =>
  useApiMutation(rulesApi.cancelPreview, { invalidates: [rulesApi.getPreview], failure: 'Couldn’t cancel the preview.' });
