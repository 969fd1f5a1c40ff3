/** Queries and writes of tags. Every write invalidates the lists that show tags. */
import { devicesApi } from '@parapet/contract/devices.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const tagsQuery = (client: number) => queryOptionsOf(tagsApi.list, { query: { selectedClientOrgID: client } });

const invalidates = [tagsApi.list, devicesApi.list];

// Texts of spec §8; the server’s reason follows a failure.
export const useSaveTag = () =>
  useApiMutation(tagsApi.saveNew, { invalidates, success: 'Successfully saved tag!', failure: 'Failed to save tag!' });

export const useDeleteTag = () =>
  useApiMutation(tagsApi.remove, { invalidates, success: 'Successfully deleted tag!', failure: 'Failed to delete tag!' });

export const useTagDevices = () =>
  useApiMutation(tagsApi.tagDevices, {
    invalidates,
    success: 'Successfully tagged device(s)!',
    failure: 'Failed to tag device(s)!',
  });
