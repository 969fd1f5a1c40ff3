/** Tags, and what can be done with them. Every change makes the lists that show tags old. */
import { devicesApi } from '@parapet/contract/devices.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { tagsApi } from '@parapet/contract/tags.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

export const tagsQuery = (client: number) => queryOptionsOf(tagsApi.list, { query: { selectedClientOrgID: client } });

/** `failed`: spec §8's text; the reason follows it, where the server gave one. */
function useTagChange<Input, Answer>(work: (input: Input) => Promise<Answer>, done: string, failed: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: async () => {
      toast.success(done);
      await Promise.all([tagsApi.list.id, devicesApi.list.id].map((id) => queries.invalidateQueries({ queryKey: [id] })));
    },
    onError: (error) => toast.error(error.message ? `${failed} ${error.message}` : failed),
  });
}

export const useSaveTag = () =>
  useTagChange(
    (body: InputOf<typeof tagsApi.saveNew>['body']) => call(tagsApi.saveNew, { body }),
    'Successfully saved tag!',
    'Failed to save tag!',
  );

export const useDeleteTag = () =>
  useTagChange(
    (body: InputOf<typeof tagsApi.remove>['body']) => call(tagsApi.remove, { body }),
    'Successfully deleted tag!',
    'Failed to delete tag!',
  );

export const useTagDevices = () =>
  useTagChange(
    (body: InputOf<typeof tagsApi.tagDevices>['body']) => call(tagsApi.tagDevices, { body }),
    'Successfully tagged device(s)!',
    'Failed to tag device(s)!',
  );
