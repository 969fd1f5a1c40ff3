/** Saved views, made from the contract. Every change tells what came of it, and makes the list of views old. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type ViewList, viewsApi } from '@parapet/contract/views.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { toast } from '../../lib/toast.ts';

export const viewsQuery = (list: ViewList) => queryOptionsOf(viewsApi.list, { params: { list } });

function useViewChange<Input>(work: (input: Input) => Promise<unknown>, done: (input: Input) => string, failed: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: (_, input) => {
      toast.success(done(input));
      return queries.invalidateQueries({ queryKey: [viewsApi.list.id] });
    },
    onError: (error) => toast.error(`${failed} ${error.message}`),
  });
}

export type ViewBody = InputOf<typeof viewsApi.create>['body'];

export const useCreateView = () =>
  useViewChange(
    (body: ViewBody) => call(viewsApi.create, { body }),
    (body) => `Saved the view ${body.name}`,
    'The view could not be saved.',
  );

export const useUpdateView = () =>
  useViewChange(
    ({ id, body }: { id: number; body: ViewBody }) => call(viewsApi.update, { params: { id }, body }),
    ({ body }) => `Saved the view ${body.name}`,
    'The view could not be saved.',
  );

export const useRemoveView = () =>
  useViewChange(
    ({ id }: { id: number; name: string }) => call(viewsApi.remove, { params: { id } }),
    ({ name }) => `Deleted the view ${name}`,
    'The view could not be deleted.',
  );
