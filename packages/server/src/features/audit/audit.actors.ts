/**
 * Users whose names the reader of the log sees: those of the scope, and of the partner of the reader’s own organisation
 * (docs/decisions/0021-visibility-and-names.md).
 */
import { providerId } from '@parapet/contract/access.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { findActors, findPartnerOf, searchActors } from './audit.store.ts';

/** Scope of the users whom the reader sees by name. */
export async function namedScope(db: Database, actor: Actor): Promise<Scope> {
  const own = { organisationIds: [actor.organisationId] };
  const partner = await readScoped(db, own, (tx) => findPartnerOf(tx, actor.organisationId));
  // A partner does not see the provider’s users; a direct client of the provider does.
  const known = partner?.parent_id && !(actor.isPartner && partner.parent_id === providerId) ? [partner.parent_id] : [];
  return { organisationIds: [...new Set([...actor.organisationIds, ...known])] };
}

/** The same with the ids of the users that match a search. */
export async function searchNamed(db: Database, actor: Actor, search: string | undefined) {
  const named = await namedScope(db, actor);
  const searchedActors = search ? await readScoped(db, named, (tx) => searchActors(tx, named, search)) : [];
  return { named, searchedActors };
}

/** Users by id; without those outside the scope. */
export async function namesOf(db: Database, named: Scope, ids: readonly (number | null)[]) {
  const userIds = [...new Set(ids)].filter((id) => id !== null);
  const found = userIds.length > 0 ? await readScoped(db, named, (tx) => findActors(tx, named, userIds)) : [];
  return new Map(found.map((user) => [user.id, user]));
}
