import { isHost, may, providerId } from '@parapet/contract/access.ts';
import type { ClientDetails, ClientOrganization } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Actor } from '../../core/http/actor.ts';

/** True for Hosts of the provider: a partner’s Host acts within its own scope only (access table, row 34). */
export const isProvidersHost = (actor: Actor): boolean => isHost(actor) && actor.organisationId === providerId;

export function requireProvidersHost(actor: Actor, action: string): void {
  if (!isProvidersHost(actor)) throw problem.forbidden(`Only the provider’s Host may ${action}.`);
}

/** Permissions of the caller on an organisation in scope. */
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

/** Throws invalid for control characters, which would break email subjects and lists. */
export function requireOneLine(field: string, text: string): void {
  if (/\p{Cc}/u.test(text)) throw problem.invalid({ [field]: ['Write this on one line.'] });
}

/** Validation message of an issuer; undefined when valid. Follows OpenID Connect, without query, fragment or credentials. */
export function issuerFault(issuer: string, allowsInsecure: boolean): string | undefined {
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && !allowsInsecure) return 'The issuer’s address must start with https://.';
  if (url.username || url.password || url.search || url.hash || issuer.includes('#') || issuer.includes('?'))
    return 'The issuer’s address can’t contain a user name, "?" or "#".';
  return undefined;
}

/** Fields that differ, before and after, for the audit log. */
export function changedFields<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  const names = (Object.keys(after) as (keyof T)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (from: T) => Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>;
  return { before: only(before), after: only(after) };
}

/** Up to five names, and the number of the rest. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** True when the caller’s organisation manages the given one. */
export const isBelow = (actor: Actor, row: { parent_id: number | null }): boolean =>
  actor.organisationId === providerId || row.parent_id === actor.organisationId;
