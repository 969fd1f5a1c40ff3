/** Users of the portal, as the Users page lists them; roles without that page find themselves only. */
import type { RoleName, UserRow } from '@parapet/contract/users.ts';
import { type RawBuilder, sql } from 'kysely';
import { displayNameOf, isInvitedOf } from '../../userState.ts';
import { column, inScope, organisationAttributes, wordsOf } from '../attributes.ts';
import { ofUser } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

const roleWords: Record<RoleName, readonly string[]> = {
  Host: ['host', 'provider host', 'host role', 'host rights', 'host right'],
  Administrator: wordsOf(
    'administrator, admin, admin role, administrator role, admin rights, administrator rights, admin access, admin user, admin account, portal admin',
  ),
  Manager: ['manager', 'manager role', 'manager rights'],
  'Partner Analyst': ['partner analyst'],
  Analyst: ['analyst', 'client analyst', 'analyst role', 'analyst rights'],
};
const stateWords: Record<UserRow['state'], readonly string[]> = {
  active: ['active', 'enabled'],
  invited: wordsOf(
    'invited, not yet registered, pending invitation, pending, never registered, without a password, open invitation, not registered yet, havent registered, not yet accepted, havent accepted, invited but not registered, invite pending, invitation pending, with an open invitation, yet to register, not signed up yet, not accepted the invitation',
  ),
  deleted: wordsOf('deleted, removed, deactivated, former, disabled, gone, switched off, inactivated, suspended, ex'),
};
const organisationOf = (row: RawBuilder<unknown>, name: string) =>
  sql`(select ${sql.ref(`o.${name}`)} from organisations o where o.id = ${row}.organisation_id)`;

export const accountSchema: EntitySchema = {
  entity: 'account',
  title: ['portal user', 'portal users'],
  words: wordsOf(
    'portal user, account, portal account, colleague, staff, team member, staff member, people, member, user of the portal, accounts of the portal, accounts of our portal, users of our portal, portal staff, people on the portal, accounts on the portal, portal login, portal member, team mate, teammate, coworker, co-worker, user account of the portal, login of the portal',
  ),
  allow: 'users:read',
  initial: { where: { field: 'state', in: ['active', 'invited'] } },
  from: (row) => sql`users ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  attributes: {
    name: {
      type: 'name',
      names: 'account',
      title: 'name',
      words: ['name', 'full name', 'display name', 'who'],
      column: 'displayName',
      isShown: true,
      ...ofUser,
    },
    email: {
      type: 'text',
      title: 'email address',
      words: ['email', 'email address', 'mail address', 'address', 'e-mail', 'mail'],
      column: 'emailAddress',
      isShown: true,
      sql: of('email'),
    },
    role: {
      type: 'choice',
      choices: roleWords,
      title: 'role',
      words: ['role', 'permission', 'right', 'user role', 'access right', 'access level', 'privilege level'],
      isShown: true,
      sql: of('role'),
    },
    ...organisationAttributes(),
    isPartnerStaff: {
      type: 'flag',
      title: 'staff of a partner or the provider',
      words: ['partner staff'],
      yes: ['partner staff', 'partner user', 'of a partner', 'of partners', 'partner people', 'partner side', 'at partners'],
      no: wordsOf('client user, client staff, of clients, client people, customer staff, client side, at clients'),
      sql: (row) => organisationOf(row, 'is_partner'),
    },
    state: {
      type: 'choice',
      choices: stateWords,
      title: 'state',
      words: ['state', 'status', 'account state'],
      isShown: true,
      sql: (row) => sql`case when ${row}.is_deleted then 'deleted' when ${isInvitedOf(row)} then 'invited' else 'active' end`,
    },
    mfaIsSet: {
      type: 'flag',
      title: 'MFA set up',
      words: ['mfa', '2fa', 'second factor', 'multi-factor', 'two-factor', 'authenticator', 'mfa status'],
      yes: wordsOf(
        'with mfa, with 2fa, has mfa, has 2fa, mfa set, mfa enabled, mfa on, using mfa, with mfa enabled, with mfa set up, having mfa, have mfa, have 2fa, have set up mfa, set up mfa, mfa set up, mfa active, use mfa, use 2fa, with a second factor, with two-factor, with multi-factor, protected by mfa, mfa turned on, enrolled in mfa, 2fa on, 2fa enabled, mfa is on',
      ),
      no: wordsOf(
        'without mfa, without 2fa, no mfa, no 2fa, mfa unset, mfa not set, mfa disabled, mfa off, without a second factor, no second factor, lacking mfa, missing mfa, w/o mfa, w/o 2fa, mfa missing, missing 2fa, lack mfa, lack 2fa, lacking 2fa, havent set up mfa, have not set up mfa, hasnt set up mfa, not set up mfa, not set up 2fa, mfa not set up, mfa is not set up, 2fa not set up, mfa not enabled, 2fa not enabled, mfa isnt set up, mfa isnt enabled, not using mfa, not using 2fa, dont have mfa, dont use mfa, doesnt have mfa, dont have 2fa, have no mfa, have no 2fa, with no mfa, with no 2fa, without multi-factor, without multifactor, without two-factor, without two factor, no two-factor, no multi-factor, no multifactor, still without mfa, mfa turned off, 2fa off, not enrolled in mfa, not protected by mfa, unprotected by mfa, without an authenticator, single factor',
      ),
      isShown: true,
      sql: of('is_mfa_set'),
    },
    isMfaRequired: {
      type: 'flag',
      title: 'MFA required',
      words: ['mfa requirement', 'compulsory mfa'],
      yes: ['mfa required', 'must use mfa', 'required to use mfa', 'mfa compulsory', 'mfa mandatory', 'needs mfa'],
      no: ['mfa not required', 'mfa optional', 'not required to use mfa'],
      sql: (row) => sql`(${row}.is_mfa_required or ${organisationOf(row, 'is_mfa_compulsory')})`,
    },
    lastSignInAt: {
      type: 'time',
      title: 'last sign-in',
      words: wordsOf(
        'last sign-in, last login, last signin, last logon, sign-in, login time, last log-in, last sign in, last log in, last time signed in, last time logged in, last online, last visit, last active, last access, sign-in date',
      ),
      verbs: wordsOf(
        'signed in, logged in, signed, logged, last signed in, last logged in, logged on, been active, been here, log in, sign in, login, log on, signed on, used the portal, been online, been seen, opened the portal, visited, been in the portal, authenticated',
      ),
      superlatives: {
        latest: ['most recently signed in', 'last signed in'],
        earliest: ['longest away', 'longest not signed in'],
      },
      isShown: true,
      sql: of('last_sign_in_at'),
    },
    hasSignedIn: {
      type: 'flag',
      title: 'ever signed in',
      words: ['first sign-in'],
      yes: ['ever signed in', 'ever logged in', 'has signed in'],
      no: wordsOf(
        'never signed in, never logged in, not signed in ever, no login, no sign-in, never used, never been in, never signed in to the portal, never logged in to the portal, not signed in once, never once signed in, never once logged in, never visited, havent ever signed in, havent ever logged in, havent signed in at all, havent signed in yet, never used the portal, without a sign-in, without a login, never logged on, without any login, without any sign-in',
      ),
      sql: (row) => sql`${row}.last_sign_in_at is not null`,
    },
    createdAt: {
      type: 'time',
      title: 'created',
      words: ['creation', 'creation date', 'registration'],
      verbs: ['created', 'added', 'registered', 'joined', 'new'],
      superlatives: { latest: ['newest', 'latest', 'most recent'], earliest: ['oldest', 'earliest', 'first'] },
      sql: of('created_at'),
    },
    isMine: {
      type: 'flag',
      title: 'me',
      words: ['own account'],
      yes: ['me', 'my', 'mine', 'my own', 'myself', 'i'],
      no: ['not me', 'others', 'other people', 'everyone else', 'besides me'],
      sql: isViewer('id'),
    },
    text: {
      type: 'text',
      title: 'name or email address',
      words: ['text', 'keyword'],
      sql: (row) => sql`concat_ws(chr(10), ${displayNameOf(row)}, ${row}.email)`,
    },
  },
  keys: { account: { sql: (row) => sql`${row}.id::text` }, client: clientKey },
  list: { page: 'users', path: ({ id, organisationId }) => `/apps/profile/${id}?client=${organisationId}` },
  order: { field: 'name', isAscending: true },
};
