/** Queries and writes of the operations page. */
import { allClients } from '@parapet/contract/access.ts';
import { isolationApi } from '@parapet/contract/isolation.ts';
import { operationsApi } from '@parapet/contract/operations.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

const refreshMs = 10_000;

export const operationsQuery = { ...queryOptionsOf(operationsApi.get, {}), refetchInterval: refreshMs };

export const useBackUp = () =>
  useApiMutation(operationsApi.backUp, {
    invalidates: [operationsApi.get],
    success: 'Base backup requested.',
    failure: 'Couldn’t request the backup.',
  });

export const useRelease = () =>
  useApiMutation(operationsApi.release, {
    invalidates: [operationsApi.get],
    success: 'Released. Deliveries, connections and agent tasks continue.',
    failure: 'Couldn’t release the portal.',
  });

export const isolationQuery = {
  ...queryOptionsOf(isolationApi.get, { params: { client: allClients } }),
  refetchInterval: refreshMs,
};
export const findingsQuery = { ...queryOptionsOf(isolationApi.findings, {}), refetchInterval: refreshMs };

export const useTryIsolation = () =>
  useApiMutation(isolationApi.run, {
    invalidates: [isolationApi.findings],
    success: 'Isolation test started.',
    failure: 'Couldn’t start the isolation test.',
  });
