import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { listOrganisations } from './organisations.store.ts';

export type OrganisationsService = ReturnType<typeof createOrganisationsService>;

export function createOrganisationsService({ db }: { db: Database }) {
  return {
    async getAllClients(actor: Actor) {
      const scope = scopeOf(actor);
      return scoped(db, scope, (tx) => listOrganisations(tx, scope));
    },
  };
}
