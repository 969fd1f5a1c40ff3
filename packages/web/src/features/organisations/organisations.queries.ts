/** Client details, made from the contract, and what becomes old when they change. */
import { domainsApi } from '@parapet/contract/domains.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryOptionsOf } from '../../lib/query.ts';

export const detailsQuery = (id: number) => queryOptionsOf(organisationsApi.details, { params: { id } });
export const deactivatedQuery = queryOptionsOf(organisationsApi.listDeactivated, {});
export const domainsQuery = (id: number) => queryOptionsOf(domainsApi.list, { params: { id } });
export const ingestKeysQuery = (client: number) => queryOptionsOf(ingestKeysApi.list, { params: { client } });

export function useDetailsChanged() {
  const queries = useQueryClient();
  return useMemo(
    () => ({
      /** The answer of a change is the newest there is. */
      keep: (details: ClientDetails) => {
        queries.setQueryData(detailsQuery(details.id).queryKey, details);
        // Brand and address say which domains are claimed.
        void queries.invalidateQueries({ queryKey: domainsQuery(details.id).queryKey });
      },
      /** Names, partners, who is active: the lists to choose from. */
      lists: () =>
        Promise.all(
          [organisationsApi.getAllClients.id, organisationsApi.listDeactivated.id, organisationsApi.details.id].map((id) =>
            queries.invalidateQueries({ queryKey: [id] }),
          ),
        ),
      keys: (client: number) => queries.invalidateQueries({ queryKey: ingestKeysQuery(client).queryKey }),
    }),
    [queries],
  );
}
