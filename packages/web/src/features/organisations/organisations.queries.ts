/** Queries and writes of organisations. */
import { domainsApi } from '@parapet/contract/domains.ts';
import { ingestKeysApi } from '@parapet/contract/ingest-keys.ts';
import { offboardingApi } from '@parapet/contract/offboarding.ts';
import { onboardingApi } from '@parapet/contract/onboarding.ts';
import { type ClientDetails, organisationsApi } from '@parapet/contract/organisations.ts';
import type { QueryClient } from '@tanstack/react-query';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const detailsQuery = (id: number) => queryOptionsOf(organisationsApi.details, { params: { id } });
/** The clients of an answer by Sapphire. */
export const matchingClientsQuery = (query: string) => queryOptionsOf(organisationsApi.getAllClients, { query: { query } });
export const deactivatedQuery = queryOptionsOf(organisationsApi.listDeactivated, {});
export const domainsQuery = (id: number) => queryOptionsOf(domainsApi.list, { params: { id } });
export const ingestKeysQuery = (client: number) => queryOptionsOf(ingestKeysApi.list, { params: { client } });

/** Refetched: agents leave one by one. */
export const offboardingQuery = (client: number) => ({
  ...queryOptionsOf(offboardingApi.get, { params: { client } }),
  refetchInterval: 5_000,
});

/** Lists that show names, partners and which organisations are active. */
const lists = [organisationsApi.getAllClients, organisationsApi.listDeactivated, organisationsApi.details];

function storeDetails(details: ClientDetails, _: unknown, queries: QueryClient): void {
  queries.setQueryData(detailsQuery(details.id).queryKey, details);
  // Brand and address determine the claimed domains.
  void queries.invalidateQueries({ queryKey: domainsQuery(details.id).queryKey });
}

export const useCreateOrganisation = () =>
  useApiMutation(organisationsApi.create, {
    invalidates: lists,
    onSuccess: storeDetails,
    success: ({ general }) => `${general.name} created`,
    failure: false,
  });

/** One client by the wizard, or many of a file. */
export const useCreateClients = () =>
  useApiMutation(onboardingApi.create, {
    invalidates: lists,
    success: ({ clients, invited, isSending }) => {
      const created = clients.length === 1 ? `${clients[0]?.name} created` : `${clients.length} clients created`;
      return invited > 0 && !isSending ? `${created}. No mail server is configured: welcome emails stay in the outbox.` : created;
    },
    failure: false,
  });

export const usePreviewClients = () => useApiMutation(onboardingApi.preview, { failure: false });

/** Saves one tab of client details. All of their endpoints take and return the same shapes as the given one. */
export function useSaveDetails(endpoint: typeof organisationsApi.updateGeneral, label: string, before: ClientDetails) {
  return useApiMutation(endpoint, {
    onSuccess: (saved, _, queries) => {
      storeDetails(saved, _, queries);
      if (saved.general.name !== before.general.name)
        for (const { id } of lists) void queries.invalidateQueries({ queryKey: [id] });
    },
    success: `${label} saved`,
    failure: false,
  });
}

interface Move {
  details: ClientDetails;
  partner: { id: number; name: string };
}

export const useMoveOrganisation = () =>
  useApiMutation(organisationsApi.move, {
    invalidates: lists,
    input: ({ details, partner }: Move) => ({ params: { id: details.id }, body: { partnerClientOrgID: partner.id } }),
    onSuccess: storeDetails,
    success: (_, { details, partner }) => `${details.general.name} moved to ${partner.name}`,
  });

interface Named {
  id: number;
  name: string;
}
const byId = ({ id }: Named) => ({ params: { id } });

/** `leave` navigates away before the lists lose the organisation. */
export const useDeactivate = (leave: () => void) =>
  useApiMutation(organisationsApi.deactivate, {
    invalidates: lists,
    input: byId,
    onSuccess: leave,
    success: (_, { name }) => `${name} deactivated`,
  });

export const useDismissAgents = () =>
  useApiMutation(offboardingApi.dismissAgents, {
    invalidates: [offboardingApi.get],
    success: ({ told }) => `${told === 1 ? '1 agent is' : `${told} agents are`} being removed`,
  });

/** `leave` navigates away before the lists lose the client. */
export const useEndAccess = (leave: () => void) =>
  useApiMutation(offboardingApi.end, {
    invalidates: lists,
    onSuccess: leave,
    success: (_, { body }) => `Access of ${body.name} ended`,
  });

export const useReactivate = () =>
  useApiMutation(organisationsApi.reactivate, {
    invalidates: lists,
    input: byId,
    success: (_, { name }) => `${name} reactivated`,
  });

export const useUploadLogo = (done: string) =>
  useApiMutation(organisationsApi.uploadLogo, { onSuccess: storeDetails, success: done });
export const useRemoveLogo = (done: string) =>
  useApiMutation(organisationsApi.removeLogo, { onSuccess: storeDetails, success: done });

export const useCheckDomain = (client: number) =>
  useApiMutation(domainsApi.check, {
    input: (domain: string) => ({ params: { id: client }, body: { domain } }),
    onSuccess: (domains, _, queries) => void queries.setQueryData(domainsQuery(client).queryKey, domains),
  });

export const useVouchForDomain = (client: number) =>
  useApiMutation(domainsApi.vouch, {
    input: (body: { domain: string; isVouched: boolean }) => ({ params: { id: client }, body }),
    onSuccess: (domains, _, queries) => void queries.setQueryData(domainsQuery(client).queryKey, domains),
    success: (_, { domain, isVouched }) => (isVouched ? `You vouch for ${domain}` : `${domain} is no longer vouched for`),
  });

export const useCreateIngestKey = () =>
  useApiMutation(ingestKeysApi.create, { invalidates: [ingestKeysApi.list], failure: false });

export const useRevokeIngestKey = (client: number) =>
  useApiMutation(ingestKeysApi.revoke, {
    invalidates: [ingestKeysApi.list],
    input: ({ id }: Named) => ({ params: { client, key: id } }),
    success: (_, { name }) => `Key ${name} revoked`,
  });
