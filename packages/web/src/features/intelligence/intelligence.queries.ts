/** Lists of threat intelligence, made from the contract. */
import { intelligenceApi } from '@parapet/contract/intelligence.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';
import type { Format } from './importFile.ts';

export const listsQuery = () => queryOptionsOf(intelligenceApi.list, {});

function useListsChanged() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [intelligenceApi.list.id] });
}

export function useImport() {
  const changed = useListsChanged();
  return useMutation({
    // Browsers name these files' types by guess; what it is, the address says.
    mutationFn: ({ name, format, file }: { name: string; format: Format; file: File }) =>
      call(intelligenceApi.import, {
        params: { name, format },
        body: new Blob([file], { type: 'application/octet-stream' }) as never,
      }),
    onSuccess: changed,
    onError: (error) => toast.error(`The list could not be imported. ${error.message}`),
  });
}

export function useRemoveList() {
  const changed = useListsChanged();
  return useMutation({
    mutationFn: ({ id }: { id: number; name: string }) => call(intelligenceApi.remove, { params: { id } }),
    onSuccess: (_, { name }) => {
      toast.success(`The list ${name} was taken away`);
      return changed();
    },
    onError: (error) => toast.error(`The list could not be taken away. ${error.message}`),
  });
}
