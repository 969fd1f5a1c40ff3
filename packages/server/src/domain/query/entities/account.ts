/** Users of the portal, as the Users page lists them; roles without that page find themselves only. */
import type { RoleName, UserRow } from '@parapet/contract/users.ts';
import { type RawBuilder, sql } from 'kysely';
import { displayNameOf, isInvitedOf } from '../../userState.ts';
import { column, inScope, lowered, organisationAttributes } from '../attributes.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

const roleWords: Record<RoleName, readonly string[]> = {
  Host: ['host', 'provider host'],
  Administrator: ['administrator', 'admin'],
  Manager: ['manager'],
  'Partner Analyst': ['partner analyst'],
  Analyst: ['analyst', 'client analyst'],
};
const stateWords: Record<UserRow['state'], readonly string[]> = {
  active: ['active', 'enabled'],
  invited: [
    'invited',
    'not yet registered',
    'pending invitation',
    'pending',
    'never registered',
    'without a password',
    'open invitation',
  ],
  deleted: ['deleted', 'removed', 'deactivated', 'former', 'disabled'],
};
const organisationOf = (row: RawBuilder<unknown>, name: string) =>
  sql`(select ${sql.ref(`o.${name}`)} from organisations o where o.id = ${row}.organisation_id)`;

export const accountSchema: EntitySchema = {
  entity: 'account',
  title: ['portal user', 'portal users'],
  words: ['portal user', 'account', 'portal account', 'colleague', 'staff', 'team member', 'staff member', 'people', 'member'],
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
      sql: (row) => displayNameOf(row),
      matches: (row, _, values) =>
        sql<boolean>`(lower(${displayNameOf(row)}) = any(${lowered(values)}) or lower(${row}.email) = any(${lowered(values)}))`,
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
      words: ['role', 'permission', 'right'],
      isShown: true,
      sql: of('role'),
    },
    ...organisationAttributes(),
    isPartnerStaff: {
      type: 'flag',
      title: 'staff of a partner or the provider',
      words: ['partner staff'],
      yes: ['partner staff', 'partner user', 'of a partner', 'of partners', 'partner people', 'partner side', 'at partners'],
      no: [
        'client user',
        'client staff',
        'of a client',
        'of clients',
        'client people',
        'customer staff',
        'client side',
        'at clients',
      ],
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
      yes: ['with mfa', 'with 2fa', 'has mfa', 'has 2fa', 'mfa set', 'mfa enabled', 'mfa on', 'using mfa'],
      no: [
        'without mfa',
        'without 2fa',
        'no mfa',
        'no 2fa',
        'mfa unset',
        'mfa not set',
        'mfa disabled',
        'mfa off',
        'without a second factor',
        'no second factor',
        'lacking mfa',
        'missing mfa',
        'w/o mfa',
        'w/o 2fa',
      ],
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
      words: [
        'last sign-in',
        'last login',
        'last signin',
        'last logon',
        'sign-in',
        'login time',
        'last log-in',
        'last sign in',
        'last log in',
      ],
      verbs: ['signed in', 'logged in', 'last signed in', 'last logged in', 'logged on', 'been active', 'been here'],
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
      no: ['never signed in', 'never logged in', 'not signed in ever', 'no login', 'no sign-in', 'never used'],
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
