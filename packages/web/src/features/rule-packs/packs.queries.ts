/** Queries and writes of rule packs. */
import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { packItemStatuses, rulePacksApi } from '@parapet/contract/rulePacks.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { counted } from '../../kit/numbers.ts';
import { field, type ListQuery, listSchema, search, words } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const packsQuery = () => queryOptionsOf(rulePacksApi.list, {});

export const importList = listSchema({
  peek: field((text) => text || undefined),
  text: search(),
  status: words(packItemStatuses),
  severity: words(severities),
});
export const importQuery = (id: number, { text, ...query }: ListQuery<typeof importList>) =>
  queryOptionsOf(rulePacksApi.getImport, { params: { id }, query: { ...query, search: text } });

const invalidates = [rulePacksApi.list, rulePacksApi.getImport, rulesApi.list, rulesApi.get, pastSearchesApi.list];

export const useUpload = () => useApiMutation(rulePacksApi.upload, { invalidates, failure: 'Couldn’t upload the archive.' });
export const useFetch = () => useApiMutation(rulePacksApi.fetch, { invalidates, failure: false });
export const useAccept = () =>
  useApiMutation(rulePacksApi.accept, {
    invalidates,
    success: ({ taken, retired }) =>
      retired === 0 ? `${counted(taken, 'rule')} accepted` : `${counted(taken, 'rule')} accepted, ${retired} retired`,
    failure: false,
  });
export const itemQuery = (id: number, ruleID: string) => queryOptionsOf(rulePacksApi.getItem, { params: { id, ruleID } });
export const useDecide = () =>
  useApiMutation(rulePacksApi.decide, { invalidates: [rulePacksApi.getImport, rulePacksApi.getItem], failure: false });
export const useDiscard = () =>
  useApiMutation(rulePacksApi.discard, { invalidates, success: 'Import discarded', failure: 'Couldn’t discard the import.' });
export const useChangePack = () =>
  useApiMutation(rulePacksApi.changeState, {
    invalidates,
    success: ({ changed, left }) =>
      left === 0 ? `${counted(changed, 'rule')} changed` : `${counted(changed, 'rule')} changed, ${left} left as they are`,
    failure: false,
  });
