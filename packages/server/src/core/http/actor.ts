/** The authenticated caller; passed whole to every service. */

import {
  allClients,
  hasClientSelector,
  isAvailableToKeys,
  isGuest,
  type KeyScope,
  missingKeyScope,
  type Permission,
  type Reach,
  type RoleHolder,
  reachOf,
} from '@parapet/contract/access.ts';
import type { FreshnessLevel } from '@parapet/contract/endpoint.ts';
import { Problem, problem, type StepUpMethod } from '@parapet/contract/problem.ts';
import { signInAgainText } from '@parapet/contract/users.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import { systemClock } from '../clock.ts';
import type { Reader, Scope } from '../db/scope.ts';

export interface Actor extends RoleHolder {
  userId: number;
  /** Empty for an API key. */
  sessionId: string;
  /** The key that the request came with; it works from `addressRanges` (CIDR), or from everywhere when these are none. */
  apiKey?: { id: number; scopes: readonly KeyScope[]; addressRanges: readonly string[] };
  /** Chat in which a linked account acts; absent in the portal. */
  chat?: 'slack';
  displayName: string;
  email: string;
  /** Organisations that the actor may see: its own, its clients’, all at the provider. */
  organisationIds: readonly number[];
  /** When the user last proved who they are, in milliseconds since 1970; 0 for never and for an API key. */
  provenAt: number;
  /** The same with a second factor. */
  secondFactorAt: number;
  hasPassword: boolean;
  hasSecondFactor: boolean;
  /** Source address of the request, for the audit log. */
  address: string;
}

const readerOf = (actor: Actor): Reader => ({ organisationId: actor.organisationId, canSeeInternal: canSeeInternal(actor) });

type Caller = RoleHolder & Pick<Actor, 'apiKey'>;

/** Reach of a permission for the actor’s role; undefined without it, and for an API key without the scope for it. */
export const reachAs = (actor: Caller, permission: Permission): Reach | undefined =>
  actor.apiKey && (!isAvailableToKeys(permission) || missingKeyScope(actor.apiKey.scopes, permission) !== undefined)
    ? undefined
    : reachOf(actor, permission);

export const mayAs = (actor: Caller, permission: Permission): boolean => reachAs(actor, permission) !== undefined;

/** Scope of the actor’s own organisation. */
export const ownScope = (actor: Actor): Scope => ({ organisationIds: [actor.organisationId], reader: readerOf(actor) });

/** The whole scope of an actor. */
export const scopeOf = (actor: Actor): Scope => ({
  organisationIds: isGuest(actor) ? [] : actor.organisationIds,
  reader: readerOf(actor),
});

/**
 * The scope cut to one client, or the whole scope for 0 (All). Throws forbidden for an organisation outside the scope, and for
 * All when the actor has no client selector.
 */
export function scopeFor(actor: Actor, client: number): Scope {
  if (client === allClients) {
    if (!hasClientSelector(actor))
      throw problem.forbidden('All clients (0) can be chosen by staff only; ask for your own organisation.');
    return scopeOf(actor);
  }
  if (!actor.organisationIds.includes(client)) throw outsideScope(client);
  return { organisationIds: [client], reader: readerOf(actor) };
}

/** Foreign and missing organisations are refused alike. */
export const outsideScope = (client: number) => problem.forbidden(`You don’t have access to organisation ${client}.`);

/** Proofs of actors without a session: API keys and jobs. */
export const neverProven = { provenAt: 0, secondFactorAt: 0, hasPassword: false, hasSecondFactor: false } as const;

/** Age up to which a proof of identity counts as recent (docs/decisions/0022-step-up.md). */
export const freshMs = 10 * 60_000;
const isRecent = (at: number): boolean => systemClock.now() - at <= freshMs;

/** True when the actor’s proofs satisfy the endpoint. MFA is required only of users who have it. */
export function isFresh(actor: Actor, needs: FreshnessLevel = 'fresh'): boolean {
  if (needs === 'none') return true;
  if (actor.apiKey) return needs === 'freshOrKey';
  return isRecent(needs === 'freshSecondFactor' && actor.hasSecondFactor ? actor.secondFactorAt : actor.provenAt);
}

/** Protects actions from stolen sessions: throws forbidden with the proofs that this actor can give. */
export function requireFresh(actor: Actor, needs: FreshnessLevel = 'fresh'): void {
  if (isFresh(actor, needs)) return;
  if (actor.apiKey) throw problem.forbidden(signInAgainText);
  const isPasswordEnough = actor.hasPassword && !(needs === 'freshSecondFactor' && actor.hasSecondFactor);
  const methods: StepUpMethod[] = [
    ...(isPasswordEnough ? (['password'] as const) : []),
    ...(actor.hasSecondFactor ? (['code'] as const) : []),
  ];
  throw new Problem('forbidden', signInAgainText, { stepUp: methods });
}
