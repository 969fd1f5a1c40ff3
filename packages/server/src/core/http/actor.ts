/** Who asks: passed whole to every service, never taken apart into loose ids. */
import { hasClientSelector, isGuest, type RoleHolder } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import { signInAgainText } from '@parapet/contract/users.ts';
import type { Scope } from '../db/scope.ts';

export interface Actor extends RoleHolder {
  userId: number;
  /** Empty for an API key. */
  sessionId: string;
  /** With which key the request came, where it came with one. */
  apiKey?: { id: number; access: 'read' | 'readWrite' };
  displayName: string;
  email: string;
  /** Organisations that the actor may see: its own, its clients’, all at the provider. */
  organisationIds: readonly number[];
  /** When the user last proved who they are, in milliseconds since 1970; 0 for an API key. */
  signedInAt: number;
  /** Where the request came from, for the audit log. */
  address: string;
}

/** What is one's own, whatever else one may see. */
export const ownScope = (actor: Actor): Scope => ({ organisationIds: [actor.organisationId] });

/** The whole scope of an actor. */
export const scopeOf = (actor: Actor): Scope => ({ organisationIds: isGuest(actor) ? [] : actor.organisationIds });

/**
 * The scope cut to one client, or the whole scope for 0 (All). Throws forbidden for an organisation outside the scope, and for
 * All when the actor has no client selector.
 */
export function scopeFor(actor: Actor, client: number): Scope {
  if (client === 0) {
    if (!hasClientSelector(actor))
      throw problem.forbidden('All clients (0) can be chosen by staff only; ask for your own organisation.');
    return scopeOf(actor);
  }
  if (!actor.organisationIds.includes(client)) throw outsideScope(client);
  return { organisationIds: [client] };
}

/** A foreign organisation and none at all are refused alike. */
export const outsideScope = (client: number) => problem.forbidden(`Organisation ${client} is outside what you may see.`);

const freshMs = 10 * 60_000;

export const isFreshSignIn = (actor: Actor): boolean => Date.now() - actor.signedInAt <= freshMs;

/** For what a stolen session must not do: needs a sign-in at most ten minutes old (decision 9). */
export function requireFreshSignIn(actor: Actor): void {
  if (!isFreshSignIn(actor)) throw problem.forbidden(signInAgainText);
}
