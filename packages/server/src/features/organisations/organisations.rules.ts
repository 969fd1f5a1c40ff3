import { isHost, may, providerId } from '@parapet/contract/access.ts';
import type { ClientDetails, ClientOrganization } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Actor } from '../../core/http/actor.ts';

/** A Host at a partner is host inside that partner's scope only; partners themselves are the provider's (access table, row 34). */
export const isProvidersHost = (actor: Actor): boolean => isHost(actor) && actor.organisationId === providerId;

export function requireProvidersHost(actor: Actor, what: string): void {
  if (!isProvidersHost(actor)) throw problem.forbidden(`Only the provider’s Host may ${what}.`);
}

/** What the caller may do with an organisation that is in sight. */
export function canOf(
  actor: Actor,
  { id, isPartner, isActive }: Pick<ClientOrganization, 'id' | 'isPartner'> & { isActive: boolean },
): ClientDetails['can'] {
  const mayWrite = may(actor, 'clientDetails:write') && isActive;
  return {
    edit: mayWrite,
    editPolicy: mayWrite,
    move: isProvidersHost(actor) && !isPartner && isActive,
    vouch: isProvidersHost(actor) && isPartner && isActive,
    deactivate:
      may(actor, 'clients:manage') && id !== providerId && id !== actor.organisationId && (!isPartner || isProvidersHost(actor)),
  };
}

/** Names go into subjects of mails and into lists: one line. */
export function requireOneLine(field: string, text: string): void {
  if (/\p{Cc}/u.test(text)) throw problem.invalid({ [field]: ['Write this on one line.'] });
}

/** Which issuers can be asked: the same that OpenID Connect allows, without anything that would be sent along. */
export function issuerFault(issuer: string, allowsInsecure: boolean): string | undefined {
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && !allowsInsecure) return 'The issuer’s address must start with https://.';
  if (url.username || url.password || url.search || url.hash || issuer.includes('#') || issuer.includes('?'))
    return 'An issuer’s address has no user name, no "?" and no "#".';
  return undefined;
}

/** What differs, on both sides, so that the audit log shows the change and not the whole. */
export function changedFields<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  const names = (Object.keys(after) as (keyof T)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (from: T) => Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>;
  return { before: only(before), after: only(after) };
}

/** At most five of many, for a text. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** Whether an organisation is the caller's to look after. */
export const isBelow = (actor: Actor, row: { parent_id: number | null }): boolean =>
  actor.organisationId === providerId || row.parent_id === actor.organisationId;
