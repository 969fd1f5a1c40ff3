/** Queries and writes of collector configurations. */
import { type ConfigKind, collectorsApi } from '@parapet/contract/collectors.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { queryOptionsOf } from '../../lib/query.ts';

export const configQuery = (client: number, kind: ConfigKind, version?: number) =>
  queryOptionsOf(collectorsApi.get, { params: { client, kind }, query: version === undefined ? {} : { version } });
export const versionsQuery = (client: number, kind: ConfigKind) =>
  queryOptionsOf(collectorsApi.listVersions, { params: { client, kind } });
export const checkQuery = (client: number, kind: ConfigKind, yaml: string) => ({
  ...queryOptionsOf(collectorsApi.check, { params: { client, kind }, body: { yaml } }),
  staleTime: Number.POSITIVE_INFINITY,
  // Typing creates one entry for each checked text.
  gcTime: 10_000,
});
export const keysQuery = (client: number) => queryOptionsOf(ingestKeysApi.list, { params: { client } });
