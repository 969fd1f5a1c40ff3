/**
 * Users (spec §2.5, §6, §7.3). Foreign and missing users are the same 404; users in scope without permission to change are 403.
 * Changes within an organisation are serialised, so that concurrent ones never remove its last administrator.
 */
import { reachOf } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { UserDetail } from '@parapet/contract/users.ts';
import { type Cell, csvLine, csvStart } from '../../core/csv.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryRows, queryText } from '../../domain/query/listed.ts';
import { changePassword, inviteUser, makeLink, reactivateUser, removeUser, resetMfa } from './users.access.ts';
import type { BodyOf, UsersServiceDeps } from './users.change.ts';
import { createUser, type NewAdministrator, welcomeAdministrator } from './users.create.ts';
import { findTakenAddress, getOrganisation, getUser, listUsers, type UserFilter } from './users.store.ts';
import { updateDetails } from './users.update.ts';
import { choicesOf, detailOf, rowOf } from './users.views.ts';

const maxExported = 50_000;

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService(deps: UsersServiceDeps) {
  const { db, clock, addresses } = deps;
  return {
    async list(actor: Actor, client: number, { page, pageSize, ...filter }: UserFilter & { page: number; pageSize: number }) {
      const scope = scopeFor(actor, client);
      const rows = queryRows(actor, scope, filter.query, clock.now());
      const limits = { onlyId: onlyId(actor), rows, limit: pageSize, offset: (page - 1) * pageSize };
      const { results, total } = await scoped(db, scope, (tx) => listUsers(tx, scope, { ...filter, ...limits }), {
        readOnly: true,
      });
      return { results: results.map((user) => rowOf(addresses, user)), total };
    },

    exportList: (actor: Actor, client: number, filter: UserFilter) => exportUsers(deps, actor, client, filter),

    async get(actor: Actor, client: number, id: number): Promise<UserDetail> {
      const scope = scopeFor(actor, client);
      const user = await scoped(db, scope, (tx) => getUser(tx, scope, id), { readOnly: true });
      if ((onlyId(actor) ?? id) !== id) throw problem.forbidden('Your role can only view its own profile.');
      return detailOf(addresses, actor, user);
    },

    async clientRoles(actor: Actor, client: number) {
      const scope = scopeFor(actor, client);
      const { isPartner } = await scoped(db, scope, (tx) => getOrganisation(tx, scope, client), { readOnly: true });
      const results = choicesOf(actor, isPartner);
      return { results, total: results.length };
    },

    create: (actor: Actor, input: BodyOf<'create'>) => createUser(deps, actor, input),
    welcomeAdministrator: (tx: Tx, actor: Actor, administrator: NewAdministrator) =>
      welcomeAdministrator(deps, tx, actor, administrator),
    isTaken: async (tx: Tx, emailAddress: string) => (await findTakenAddress(tx, emailAddress)) !== undefined,
    update: (actor: Actor, id: number, input: BodyOf<'update'>) => updateDetails(deps, actor, id, input),
    changePassword: (actor: Actor, id: number, input: BodyOf<'changePassword'>) => changePassword(deps, actor, id, input),
    resetMfa: (actor: Actor, id: number) => resetMfa(deps, actor, id),
    remove: (actor: Actor, id: number) => removeUser(deps, actor, id),
    reactivate: (actor: Actor, id: number) => reactivateUser(deps, actor, id),
    makeLink: (actor: Actor, id: number) => makeLink(deps, actor, id),
    invite: (actor: Actor, id: number) => inviteUser(deps, actor, id),
  };
}

/** The actor’s own id when that is all they may read. */
const onlyId = (actor: Actor) => (reachOf(actor, 'users:read') === 'me' ? actor.userId : undefined);

async function exportUsers(
  { db, clock, addresses }: UsersServiceDeps,
  actor: Actor,
  client: number,
  filter: UserFilter,
): Promise<string> {
  const scope = scopeFor(actor, client);
  const { results } = await scoped(db, scope, async (tx) => {
    const rows = queryRows(actor, scope, filter.query, clock.now());
    const found = await listUsers(tx, scope, { ...filter, rows, onlyId: onlyId(actor), limit: maxExported, offset: 0 });
    await recordAudit(tx, actor, {
      action: 'users.exported',
      organisationId: client || actor.organisationId,
      after: { client, ...filter, query: queryText(filter.query), count: found.results.length },
    });
    return found;
  });
  const lines = results.map((user): Cell[] => {
    const row = rowOf(addresses, user);
    return [
      row.displayName,
      row.emailAddress,
      row.role,
      row.clientOrganizationName,
      row.state,
      row.mfaIsSet ? 'yes' : 'no',
      row.lastSignInAt,
    ];
  });
  return (
    csvStart(['Name', 'Email', 'Role', 'Organisation', 'State', 'Second factor', 'Last sign-in']) + lines.map(csvLine).join('')
  );
}
