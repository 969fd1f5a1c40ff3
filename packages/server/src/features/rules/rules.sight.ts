/** Scopes in which an actor reads rules: tenants’ data in its scope, and settings that a client inherits from organisations above. */
import { allClients } from '@parapet/contract/access.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Scope } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import type { Detector } from '../../pipeline/detector.ts';
import type { RuleSet } from '../../pipeline/rule-set.ts';

export interface RulesDeps {
  db: Database;
  clock: Clock;
  detector: Detector;
}

export interface Sight {
  /** Owner of the set. */
  organisationId: number;
  /** Of tenants’ data. */
  scope: Scope;
  /** Of settings, which organisations above pass on. */
  settings: Exclude<Scope, 'system'>;
}

/** For a client, or for all of the actor’s scope (0), whose set is then the actor’s own. */
export function sightOf(actor: Actor, set: RuleSet, client: number): Sight {
  const scope = scopeFor(actor, client);
  if (scope === 'system') throw new TypeError('An actor has a scope of its own.');
  const organisationId = client === allClients ? actor.organisationId : client;
  const organisationIds = [...new Set([...set.chainOf(organisationId), ...scope.organisationIds])];
  return { organisationId, scope, settings: { ...scope, organisationIds } };
}

const isIn = (scope: Scope, organisationId: number): boolean =>
  scope === 'system' || scope.organisationIds.includes(organisationId);

/** False for rules of other partners. */
export function isVisible(set: RuleSet, settings: Scope, key: string): boolean {
  const owner = set.owners.get(key);
  return owner === undefined || isIn(settings, owner);
}

/** Rules that a new text may name; without the one that it replaces. */
export function visibleRules(set: RuleSet, settings: Scope, replaced?: string): Pick<RuleSet, 'rules' | 'correlations'> {
  const visible = <T>(all: ReadonlyMap<string, T>) =>
    new Map([...all].filter(([key]) => key !== replaced && isVisible(set, settings, key)));
  return { rules: visible(set.rules), correlations: visible(set.correlations) };
}
