/** The organisations of the client selector (spec §4, §7.3). */
import { allClients } from '@parapet/contract/access.ts';
import type { ClientOrganization } from '@parapet/contract/organisations.ts';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/call.ts';
import { endpointDescriptors } from '../../lib/endpointDescriptors.ts';
import { pause } from '../../lib/stream.ts';
import { plain } from './navigation.ts';

/** The first entry: every organisation in scope. */
export const allClientsOption = { id: allClients, name: 'All', isPartner: false, partnerClientOrgID: null } as const;

export const maxTries = 5;

/** Loads the list until it contains a partner (spec §7.3): at most five times, with growing pauses. */
export async function untilPartnerFound(
  load: () => Promise<readonly ClientOrganization[]>,
  wait: (ms: number) => Promise<void>,
): Promise<readonly ClientOrganization[]> {
  for (let tries = 1; ; tries++) {
    const found = await load();
    if (tries >= maxTries || found.some((organisation) => organisation.isPartner)) return inOrder(found);
    await wait(500 * 2 ** (tries - 1));
  }
}

/** Each partner, then its children; clients without a partner in the list at the end. */
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
  queryKey: [endpointDescriptors.getAllClients.id, {}],
  queryFn: ({ signal }) =>
    untilPartnerFound(
      async () => (await call(endpointDescriptors.getAllClients, {}, { signal })).results,
      (ms) => pause(ms, signal),
    ),
  staleTime: 5 * 60_000,
});

/** A selectable organisation, or as the last entry the hint that more exist. */
export type Offered = ClientOrganization & { isHint?: true };

/** Maximum number of rendered rows; thousands slow down each key press. */
export const maxOffered = 150;

/**
 * Matches names that contain every word of the text, or the number; names that begin with the text first. Without a text all, in their
 * order, the selected one always among them, so that the list opens on it.
 */
export function offeredClients(all: readonly Offered[], text: string, chosen: number): Offered[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const isAsShown = all.some((each) => each.id === chosen && each.name === text);
  const isAll = words.length === 0 || isAsShown;
  const found = isAll
    ? [...all]
    : all.filter((each) => String(each.id) === text.trim() || words.every((word) => plain(each.name).includes(word)));
  if (!isAll) {
    const begins = (each: Offered) => (plain(each.name).startsWith(words.join(' ')) ? 0 : 1);
    found.sort((a, b) => begins(a) - begins(b));
  }
  if (found.length <= maxOffered) return found;
  const shown = found.slice(0, maxOffered);
  const own = found.find((each) => each.id === chosen);
  if (isAll && own && !shown.includes(own)) shown.splice(1, 0, own);
  const more = found.length - shown.length;
  const hint = {
    id: -1,
    name: `${more} more: type a part of the name`,
    isPartner: false,
    partnerClientOrgID: null,
    isHint: true,
  } as const;
  return [...shown, hint];
}
