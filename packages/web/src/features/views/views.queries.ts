/** Queries and writes of saved views. */
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { type ViewList, viewsApi } from '@parapet/contract/views.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const viewsQuery = (list: ViewList) => queryOptionsOf(viewsApi.list, { params: { list } });

const invalidates = [viewsApi.list];

export const useCreateView = () =>
  useApiMutation(viewsApi.create, {
    invalidates,
    input: (body: InputOf<typeof viewsApi.create>['body']) => ({ body }),
    success: (_, { name }) => `View ${name} saved`,
    failure: 'Couldn’t save the view.',
  });

export const useUpdateView = () =>
  useApiMutation(viewsApi.update, {
    invalidates,
    success: (_, { body }) => `View ${body.name} saved`,
    failure: 'Couldn’t save the view.',
  });

export const useRemoveView = () =>
  useApiMutation(viewsApi.remove, {
    invalidates,
    input: ({ id }: { id: number; name: string }) => ({ params: { id } }),
    success: (_, { name }) => `View ${name} deleted`,
    failure: 'Couldn’t delete the view.',
  });
