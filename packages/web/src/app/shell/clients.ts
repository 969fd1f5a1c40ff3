/** The organisations that the client selector offers (spec §4, §7.3). */
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { organisationsApi } from '@parapet/contract/organisations.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { pause } from '../../lib/stream.ts';

export const mostTries = 5;

/** spec §7.3: asked for again until a partner is found; at most five times, with growing pauses (decision 24). */
export async function untilPartnerFound(
  ask: () => Promise<readonly ClientOrganization[]>,
  wait: (ms: number) => Promise<void>,
): Promise<readonly ClientOrganization[]> {
  for (let tries = 1; ; tries++) {
    const found = await ask();
    if (tries >= mostTries || found.some((organisation) => organisation.isPartner)) return inOrder(found);
    await wait(500 * 2 ** (tries - 1));
  }
}

/** Each partner, then its children; whoever has no partner in the list stays at the end. */
export function inOrder(clients: readonly ClientOrganization[]): readonly ClientOrganization[] {
  const partners = clients.filter((client) => client.isPartner);
  const ids = new Set(partners.map((partner) => partner.id));
  const isChildOf = (partner: ClientOrganization) => (client: ClientOrganization) =>
    !client.isPartner && client.partnerClientOrgID === partner.id;
  return [
    ...partners.flatMap((partner) => [partner, ...clients.filter(isChildOf(partner))]),
    ...clients.filter((client) => !client.isPartner && !ids.has(client.partnerClientOrgID ?? -1)),
  ];
}

export const clientsQuery = queryOptions({
  queryKey: [organisationsApi.getAllClients.id, {}],
  queryFn: ({ signal }) =>
    untilPartnerFound(
      async () => (await call(organisationsApi.getAllClients, {}, { signal })).results,
      (ms) => pause(ms, signal),
    ),
  staleTime: 5 * 60_000,
});
