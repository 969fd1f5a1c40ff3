/** Queries and writes of threat intelligence lists. */
import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { pastSearchesApi } from '@parapet/contract/pastSearches.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const listsQuery = () => queryOptionsOf(intelligenceApi.list, {});

export const useImport = () =>
  useApiMutation(intelligenceApi.import, {
    invalidates: [intelligenceApi.list, pastSearchesApi.list],
    failure: 'Couldn’t import the list.',
  });

export const useRemoveList = (name = '') =>
  useApiMutation(intelligenceApi.remove, {
    invalidates: [intelligenceApi.list],
    success: `List ${name} removed`,
    failure: 'Couldn’t remove the list.',
  });
