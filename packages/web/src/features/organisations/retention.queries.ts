/** Queries and writes of retention and legal holds. */
import { type RequestKind, retentionApi } from '@parapet/contract/retention.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const retentionListQuery = queryOptionsOf(retentionApi.list, {});
export const retentionQuery = (client: number) => queryOptionsOf(retentionApi.get, { params: { client } });

/** Refetched: a second person confirms elsewhere, and rows go in batches. */
export const erasureQuery = (client: number) => ({ ...retentionQuery(client), refetchInterval: 3_000 });

export const useSaveRetention = () =>
  useApiMutation(retentionApi.save, {
    invalidates: [retentionApi.get, retentionApi.list],
    success: 'Retention saved',
    failure: false,
  });

export const useSaveLimits = () =>
  useApiMutation(retentionApi.saveLimits, {
    invalidates: [retentionApi.get, retentionApi.list],
    success: 'Limits saved',
    failure: false,
  });

const requested: Record<RequestKind, string> = {
  hold: 'Legal hold requested. Nothing expires while it waits.',
  lift: 'End of the legal hold requested',
  erase: 'Erasure requested',
};

export const useRequestRetention = () =>
  useApiMutation(retentionApi.request, {
    invalidates: [retentionApi.get],
    success: (_, { body }) => requested[body.kind],
    failure: false,
  });

export const useDecideRetention = () =>
  useApiMutation(retentionApi.decide, {
    invalidates: [retentionApi.get],
    success: (_, { body }) => (body.isConfirmed ? 'Request confirmed' : 'Request ended'),
  });
