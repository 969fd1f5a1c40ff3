/** Organisations whose name, or whose partner’s name, contains the text. */
import type { ClientOrganization } from '@parapet/contract/organisations.ts';

export function inList(clients: readonly ClientOrganization[], text: string): ClientOrganization[] {
  const wanted = text.trim().toLowerCase();
  const fits = (name: string | undefined) => name?.toLowerCase().includes(wanted) ?? false;
  const partnerOf = new Map(clients.filter(({ isPartner }) => isPartner).map(({ id, name }) => [id, name]));
  return clients.filter(
    ({ name, isPartner, partnerClientOrgID }) => fits(name) || (!isPartner && fits(partnerOf.get(partnerClientOrgID ?? 0))),
  );
}
