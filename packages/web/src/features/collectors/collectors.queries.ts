/** Configurations of collectors, made from the contract. */
import { type CollectorConfig, type ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../lib/call.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const configQuery = (client: number, kind: ConfigKind, version?: number) =>
  queryOptionsOf(collectorsApi.get, { params: { client, kind }, query: version === undefined ? {} : { version } });
export const versionsQuery = (client: number, kind: ConfigKind) =>
  queryOptionsOf(collectorsApi.listVersions, { params: { client, kind } });
export const checkQuery = (client: number, kind: ConfigKind, yaml: string) => ({
  ...queryOptionsOf(collectorsApi.check, { params: { client, kind }, body: { yaml } }),
  staleTime: Number.POSITIVE_INFINITY,
  // One for each state of a text that is being typed.
  gcTime: 10_000,
});
export const keysQuery = (client: number) => queryOptionsOf(ingestKeysApi.list, { params: { client } });

export function useConfigCalls(client: number, kind: ConfigKind) {
  const queries = useQueryClient();
  return useMemo(
    () => ({
      save: async (yaml: string, comment: string, version: number): Promise<CollectorConfig> => {
        const saved = await call(collectorsApi.save, { params: { client, kind }, body: { yaml, comment, version } });
        queries.setQueryData(configQuery(client, kind).queryKey, saved);
        void queries.invalidateQueries({ queryKey: versionsQuery(client, kind).queryKey });
        return saved;
      },
      refresh: () => queries.invalidateQueries({ queryKey: [collectorsApi.get.id] }),
      download: async (keyName: string) => {
        const file = await call(collectorsApi.download, { params: { client, kind }, body: { keyName } });
        void queries.invalidateQueries({ queryKey: keysQuery(client).queryKey });
        return file;
      },
    }),
    [queries, client, kind],
  );
}
