import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { usersApi } from '@parapet/contract/users.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { type AuditActions, recordAudit } from '../../domain/audit.ts';
import { assignableRole, type BodyOf, hashOfNew, takenText, type UsersServiceDeps } from './users.change.ts';
import { findTakenAddress, getOrganisation, insertUser } from './users.store.ts';

/** Creates a user with a password or an invitation. Returns the id of a deactivated account with this address instead, for its reactivation. */
export async function createUser(
  deps: UsersServiceDeps,
  actor: Actor,
  input: BodyOf<'create'>,
): Promise<AnswerOf<typeof usersApi.create>> {
  const organisationId = input.clientOrganizationID;
  const scope = scopeFor(actor, organisationId);
  const organisation = await scoped(deps.db, scope, (tx) => getOrganisation(tx, scope, organisationId), { readOnly: true });
  const role = assignableRole(input.UserRoleID, organisation.isPartner, 'UserRoleID');
  const password = input.sendInvitation ? undefined : input.password;
  const passwordHash = password === undefined ? null : await hashOfNew(deps, password, 'password', organisation);

  return scoped(deps.db, 'system', async (tx) => {
    const fields = {
      organisationId,
      email: input.emailAddress,
      firstName: input.firstName,
      lastName: input.lastName,
      role,
      phoneNumber: input.phoneNumber ?? '',
    };
    const id = await insertUser(tx, { ...fields, passwordHash });
    if (id === undefined) {
      const taken = await findTakenAddress(tx, input.emailAddress);
      // Details about a taken address are disclosed within the caller’s scope only.
      if (taken?.isDeleted && actor.organisationIds.includes(taken.organisationId))
        return { id: 0, clientOrganizationID: -1, deactivatedUserID: taken.id };
      throw problem.conflict(takenText);
    }
    if (passwordHash === null) await deps.links.invite(tx, { id, ...fields });
    await auditCreation(tx, actor, id, { ...fields, isInvited: passwordHash === null });
    return { id, clientOrganizationID: organisationId, deactivatedUserID: null };
  });
}

const auditCreation = (tx: Tx, actor: Actor, id: number, after: AuditActions['user.created']['after']): Promise<void> =>
  recordAudit(tx, actor, { action: 'user.created', organisationId: after.organisationId, target: String(id), after });

export interface NewAdministrator {
  organisationId: number;
  firstName: string;
  lastName: string;
  emailAddress: string;
}

/**
 * Creates the first administrator of an organisation and queues a welcome email with a link to set a password, in the caller’s transaction, which
 * needs the portal’s own scope. Returns false when the address is taken.
 */
export async function welcomeAdministrator(
  { links }: Pick<UsersServiceDeps, 'links'>,
  tx: Tx,
  actor: Actor,
  { emailAddress: email, ...administrator }: NewAdministrator,
): Promise<boolean> {
  const fields = { ...administrator, email, role: 'Administrator', phoneNumber: '' };
  const id = await insertUser(tx, { ...fields, passwordHash: null });
  if (id === undefined) return false;
  await links.welcome(tx, { id, ...fields });
  await auditCreation(tx, actor, id, { ...fields, isInvited: true });
  return true;
}
