/** Queries and writes of threat intelligence lists. */
import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { intelligenceFeedsApi } from '@parapet/contract/intelligenceFeeds.ts';
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

export const feedsQuery = () => queryOptionsOf(intelligenceFeedsApi.list, {});
const feedChanges = { invalidates: [intelligenceFeedsApi.list, intelligenceApi.list] };
export const useTestFeed = () => useApiMutation(intelligenceFeedsApi.test, { failure: false });
export const useCreateFeed = () =>
  useApiMutation(intelligenceFeedsApi.create, { ...feedChanges, success: 'Feed added', failure: false });
export const useChangeFeed = () =>
  useApiMutation(intelligenceFeedsApi.change, { ...feedChanges, success: 'Feed saved', failure: false });
export const usePauseFeed = () =>
  useApiMutation(intelligenceFeedsApi.pause, {
    ...feedChanges,
    success: (_, { body }) => (body.isPaused ? 'Feed paused' : 'Feed resumed'),
    failure: 'Couldn’t change the feed.',
  });
export const useRemoveFeed = () =>
  useApiMutation(intelligenceFeedsApi.remove, {
    ...feedChanges,
    success: 'Feed removed',
    failure: 'Couldn’t remove the feed.',
  });
