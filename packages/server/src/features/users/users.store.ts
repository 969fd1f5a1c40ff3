/** SQL of users. Every function takes the scope first, even in transactions with the portal’s own scope. */
import { administratorRoles, type TargetUser } from '@parapet/contract/access.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Query } from '@parapet/contract/rules/query.ts';
import { sql, type Updateable } from 'kysely';
import { containing, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Tables } from '../../core/db/tables.ts';
import { within } from '../../core/db/within.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import { displayNameOf, isInvitedOf } from '../../domain/userState.ts';

/** User with the columns that permissions and pages need. */
export interface User extends TargetUser {
  organisationName: string;
  isPartner: boolean;
  email: string;
  firstName: string;
  lastName: string;
  phoneNumber: string;
  pictureVersion: string | null;
  createdAt: Date;
  lastSignInAt: Date | null;
  /** True until the user has a way to sign in. */
  isInvited: boolean;
}

const userStates = ['active', 'invited', 'deleted'] as const;

export interface UserFilter {
  search?: string | undefined;
  role: readonly string[];
  state: readonly (typeof userStates)[number][];
  query?: Query | undefined;
  mfa?: 'set' | 'unset' | undefined;
  sort: 'displayName' | 'emailAddress' | 'role' | 'lastSignInAt' | 'clientOrganizationName';
  order: 'asc' | 'desc';
}

const isInvited = isInvitedOf(sql.table('users'));
const displayName = displayNameOf(sql.table('users'));

const usersOf = (tx: Tx, scope: Scope) =>
  tx
    .selectFrom('users')
    .innerJoin('organisations', 'organisations.id', 'users.organisation_id')
    .where(within('users.organisation_id', scope));

const columns = [
  'users.id',
  'users.organisation_id as organisationId',
  'organisations.name as organisationName',
  'organisations.is_partner as isPartner',
  'users.email',
  'users.first_name as firstName',
  'users.last_name as lastName',
  'users.role',
  'users.phone_number as phoneNumber',
  'users.is_deleted as isDeleted',
  'users.is_mfa_set as mfaIsSet',
  'users.picture_version as pictureVersion',
  'users.created_at as createdAt',
  'users.last_sign_in_at as lastSignInAt',
  isInvited.as('isInvited'),
] as const;

export const findUser = (tx: Tx, scope: Scope, id: number): Promise<User | undefined> =>
  usersOf(tx, scope).where('users.id', '=', id).select(columns).executeTakeFirst();

const sorts = {
  displayName: sql`lower(${displayName})`,
  emailAddress: sql`lower(users.email)`,
  role: sql`users.role`,
  lastSignInAt: sql`users.last_sign_in_at`,
  clientOrganizationName: sql`lower(organisations.name)`,
};

/** Throws not found outside the scope. */
export async function getUser(tx: Tx, scope: Scope, id: number): Promise<User> {
  const user = await findUser(tx, scope, id);
  if (!user) throw problem.notFound('user', id);
  return user;
}

export async function listUsers(
  tx: Tx,
  scope: Scope,
  filter: UserFilter & { onlyId?: number | undefined; rows?: QueryRows | undefined; limit: number; offset: number },
): Promise<{ results: User[]; total: number }> {
  const defaultStates = filter.rows ? userStates : (['active', 'invited'] as const);
  const states = filter.state.length > 0 ? filter.state : defaultStates;
  let query = usersOf(tx, scope).where((eb) =>
    eb.or(
      states.map((state) =>
        state === 'deleted'
          ? sql<boolean>`users.is_deleted`
          : state === 'invited'
            ? isInvited
            : sql<boolean>`not users.is_deleted and not (${isInvited})`,
      ),
    ),
  );
  query = query.where((eb) => eb.and(isAmong('users', filter.rows)));
  if (filter.onlyId !== undefined) query = query.where('users.id', '=', filter.onlyId);
  if (filter.role.length > 0) query = query.where('users.role', 'in', filter.role.map(storable));
  if (filter.mfa) query = query.where('users.is_mfa_set', '=', filter.mfa === 'set');
  if (filter.search) {
    const pattern = containing(filter.search);
    query = query.where((eb) => eb.or([eb(displayName, 'ilike', pattern), eb('users.email', 'ilike', pattern)]));
  }
  const results = await query
    .select(columns)
    .orderBy(sorts[filter.sort], (by) => (filter.order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('users.id')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
  const { total } = await query.select(sql<number>`count(*)::integer`.as('total')).executeTakeFirstOrThrow();
  return { results, total };
}

/** Throws not found outside the scope. */
export async function getOrganisation(tx: Tx, scope: Scope, id: number) {
  const organisation = await tx
    .selectFrom('organisations')
    .where(within('id', scope))
    .where('id', '=', id)
    .select(['id', 'name', 'is_partner as isPartner'])
    .executeTakeFirst();
  if (!organisation) throw problem.notFound('organisation', id);
  return organisation;
}

/** Locks an organisation until the transaction ends, to serialise changes of its users. */
export async function lockOrganisation(tx: Tx, scope: Scope, id: number): Promise<void> {
  await tx
    .selectFrom('organisations')
    .where(within('id', scope))
    .where('id', '=', id)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** True when the organisation has an administrator besides this user. */
export async function hasOtherAdministrator(tx: Tx, scope: Scope, user: User): Promise<boolean> {
  const other = await tx
    .selectFrom('users')
    .where(within('organisation_id', scope))
    .where('organisation_id', '=', user.organisationId)
    .where('id', '!=', user.id)
    .where('role', 'in', administratorRoles)
    .where('is_deleted', '=', false)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** User with an address, which is unique in the installation. Needs the portal’s own scope. */
export const findTakenAddress = (tx: Tx, email: string) =>
  tx
    .selectFrom('users')
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .select(['id', 'organisation_id as organisationId', 'is_deleted as isDeleted'])
    .executeTakeFirst();

/** Inserts a user and returns the id; undefined when the address is taken. */
export async function insertUser(
  tx: Tx,
  user: {
    organisationId: number;
    email: string;
    firstName: string;
    lastName: string;
    role: string;
    phoneNumber: string;
    passwordHash: string | null;
  },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('users')
    .values({
      organisation_id: user.organisationId,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      role: user.role,
      phone_number: user.phoneNumber,
      password_hash: user.passwordHash,
      password_changed_at: user.passwordHash === null ? null : sql<Date>`now()`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export async function updateUser(tx: Tx, scope: Scope, id: number, fields: Updateable<Tables['users']>): Promise<void> {
  await tx.updateTable('users').set(fields).where(within('organisation_id', scope)).where('id', '=', id).execute();
}

/** Revokes sessions (except one), API keys, access of assistants, pending sign-ins, one-time links, chat links and notifications. Needs the portal’s own scope. */
export async function endAccess(tx: Tx, scope: Scope, userId: number, exceptSession?: string): Promise<void> {
  let sessions = tx
    .updateTable('sessions')
    .set({ revoked_at: sql<Date>`now()` })
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (exceptSession) sessions = sessions.where('id', '!=', exceptSession);
  await sessions.execute();
  for (const table of ['api_keys', 'assistant_grants'] as const)
    await tx
      .updateTable(table)
      .set({ revoked_at: sql<Date>`now()` })
      .where(within('organisation_id', scope))
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute();
  await endLinks(tx, scope, userId);
  for (const table of ['mfa_challenges', 'sign_on_codes', 'chat_accounts', 'push_subscriptions'] as const)
    await tx.deleteFrom(table).where(within('organisation_id', scope)).where('user_id', '=', userId).execute();
}

/** Revokes emailed one-time links. Needs the portal’s own scope. */
export async function endLinks(tx: Tx, scope: Scope, userId: number): Promise<void> {
  await tx.deleteFrom('one_time_links').where(within('organisation_id', scope)).where('user_id', '=', userId).execute();
}

/** Current picture version of a user. Read in the portal’s own scope: the signed address is the permission. */
export async function findPictureVersion(tx: Tx, id: number): Promise<string | undefined> {
  const row = await tx.selectFrom('users').where('id', '=', id).select('picture_version').executeTakeFirst();
  return row?.picture_version ?? undefined;
}
