/** Entries of the audit log that its page shows the viewer: internal ones for staff only, and people by the rule of names. */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../../core/db/within.ts';
import { auditActions } from '../../audit.visibility.ts';
import { displayNameOf } from '../../userState.ts';
import { shownName, visible } from '../../visibility.ts';
import { column, inScope, lowered, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import type { EntitySchema, QueryContext } from '../schema.ts';
import { addressOf, clientKey, isViewer, of } from './columns.ts';

type Row = RawBuilder<unknown>;

/** "user.mfaReset" → "user mfa reset". */
const phraseOf = (action: string) => action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('.', ' ');

const phrases: Readonly<Record<string, readonly string[]>> = {
  'call.denied': wordsOf('denied call, denied, refused call, denied access, access denied, denied request'),
  'user.signedIn': [
    'sign-in',
    'sign-ins',
    'sign ins',
    'log ins',
    'login',
    'logins',
    'signed in',
    'logged in',
    'successful login',
    'log-in',
  ],
  'user.signInRefused': wordsOf('failed sign-in, failed login, refused sign-in, wrong password, refused login, failed log-in'),
  'user.signedOut': ['sign-out', 'sign-outs', 'logout', 'logouts', 'signed out', 'logged out'],
  'user.created': ['created user', 'new user', 'user added', 'users created', 'user creation'],
  'user.deleted': wordsOf(
    'deleted user, users deleted, user deletion, user removed, removed user, deactivated user, user deactivated',
  ),
  'user.updated': ['updated user', 'user edited', 'role change'],
  'user.invited': ['invitation', 'invitations', 'invited user'],
  'user.mfaReset': ['mfa reset', 'mfa resets', '2fa reset', 'reset mfa', 'second factor reset'],
  'user.mfaSet': ['mfa set up', 'mfa setup', 'enabled mfa', 'mfa enrolment'],
  'user.mfaDisabled': ['mfa disabled', 'disabled mfa', 'mfa turned off'],
  'user.passwordChanged': ['password change', 'password changes', 'changed password'],
  'user.passwordReset': ['password reset', 'password resets', 'reset password'],
  'user.reactivated': ['reactivated user', 'reactivation'],
  'apiKey.created': ['new api key', 'created api key', 'api keys created'],
  'apiKey.revoked': ['revoked api key', 'api keys revoked'],
  'case.closed': ['closed case', 'case closure', 'cases closed', 'case closing'],
  'case.reopened': ['reopened case', 'cases reopened', 'case reopening'],
  'case.assigned': ['assigned case', 'case assignment', 'assignment', 'assignments'],
  'suppression.created': ['created suppression', 'new suppression', 'suppressions created'],
  'suppression.ended': ['ended suppression', 'suppressions ended'],
  'response.requested': ['requested response', 'response request'],
  'response.approved': ['approved response', 'approval', 'approvals'],
  'events.searched': ['event search', 'event searches', 'searched events'],
  'agent.revoked': ['revoked agent', 'agent revocation'],
  'finding.accepted': ['accepted finding', 'risk acceptance', 'accepted vulnerability'],
};
const areas: Readonly<Record<string, readonly string[]>> = {
  user: ['user change', 'user changes', 'user management', 'about users', 'account change', 'account changes'],
  case: ['case change', 'case changes', 'case work'],
  suppression: ['suppression', 'suppressions', 'suppression change', 'suppression changes'],
  response: ['response', 'responses', 'response change'],
  review: ['review', 'reviews'],
  alerts: ['alert change', 'alert changes', 'alert marking'],
  organisation: wordsOf('organisation change, client change, organisation settings, settings change'),
  apiKey: ['api key', 'api keys', 'api key change'],
  ingestKey: ['ingest key', 'ingest keys'],
  tag: ['tag change', 'tag changes'],
  devices: ['device change', 'device changes'],
  agent: ['agent change', 'agent changes', 'agent enrolment'],
  finding: ['finding change', 'vulnerability change'],
  reportSchedule: ['report schedule', 'report schedules', 'schedule change'],
  mailSubscriptions: ['subscription change', 'email subscription'],
  approvalRule: ['approval rule', 'approval rules'],
  events: ['event access', 'log access'],
  sapphire: ['sapphire', 'sapphire knowledge'],
  session: ['session', 'sessions'],
};

/** Name of the actor as the page shows it: of the scope's users, or the shared one of the provider's staff; null for others. */
const actorName = (row: Row, { scope }: QueryContext) => sql`coalesce(
  (select ${displayNameOf(sql`u`)} from users u where u.id = ${row}.actor_user_id and ${within('u.organisation_id', scope)}),
  nullif(${shownName(scope, column(row, 'actor_user_id'), sql`''`)}, ''))`;
const actorField = (row: Row, { scope }: QueryContext, value: RawBuilder<unknown>) =>
  sql`(select ${value} from users u where u.id = ${row}.actor_user_id and ${within('u.organisation_id', scope)})`;

export const auditSchema: EntitySchema = {
  entity: 'audit',
  title: ['audit entry', 'audit entries'],
  words: wordsOf(
    'audit entry, audit, audit log, audit log entry, audit trail, change, activity, logged action, audited action, audit record, audit item, audit event, audit trail entry, change log, changelog, recorded action, log of changes',
  ),
  allow: 'audit:read',
  named: 'action',
  from: (row) => sql`audit ${row}`,
  within: (row, context) => sql<boolean>`${inScope(row, context)} and ${visible('audit', context.scope, row)}`,
  id: (row) => column(row, 'id'),
  time: 'at',
  attributes: {
    at: {
      type: 'time',
      title: 'time',
      words: ['time', 'timestamp', 'date'],
      verbs: ['made', 'done', 'happened', 'recorded', 'changed', 'logged'],
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: of('at'),
    },
    ...organisationAttributes(),
    action: {
      type: 'choice',
      choices: Object.fromEntries(
        auditActions.map((action) => [action, [action.toLowerCase(), phraseOf(action), ...(phrases[action] ?? [])]]),
      ),
      title: 'action',
      words: ['action', 'event', 'operation', 'what'],
      isShown: true,
      sql: of('action'),
    },
    area: {
      type: 'choice',
      choices: areas,
      title: 'kind of action',
      words: ['area', 'kind', 'kind of action', 'type of action', 'category', 'kind of change', 'type of change'],
      sql: (row) => sql`split_part(${row}.action, '.', 1)`,
    },
    actor: {
      type: 'name',
      names: 'account',
      title: 'actor',
      words: ['actor', 'who', 'by whom', 'person', 'who did', 'doer', 'account'],
      column: 'actorName',
      isShown: true,
      sql: actorName,
      matches: (row, context, values) => sql<boolean>`(lower(${actorName(row, context)}) = any(${lowered(values)})
        or lower(${actorField(row, context, sql`u.email`)}) = any(${lowered(values)}))`,
    },
    actorEmail: {
      type: 'text',
      title: 'email address of the actor',
      words: ['actor email', 'email', 'email address'],
      sql: (row, context) => actorField(row, context, sql`u.email`),
    },
    actorOrganisation: {
      type: 'name',
      names: 'client',
      title: 'organisation of the actor',
      words: ['actor organisation', 'organisation of the actor'],
      column: 'actorOrganizationName',
      sql: (row, context) => actorField(row, context, sql`(select o.name from organisations o where o.id = u.organisation_id)`),
    },
    isMine: {
      type: 'flag',
      title: 'by me',
      words: ['own action'],
      yes: ['by me', 'mine', 'my', 'i did', 'myself'],
      no: ['not by me', 'by others', 'not mine', 'by somebody else'],
      sql: isViewer('actor_user_id'),
    },
    isAutomatic: {
      type: 'flag',
      title: 'without a person',
      words: ['automatic action'],
      yes: ['automatic', 'by the system', 'by the portal', 'automatically', 'without a person', 'by system'],
      no: ['by people', 'by a person', 'by humans', 'by a human', 'not by system', 'manual'],
      sql: (row) => sql`${row}.actor_user_id is null`,
    },
    target: {
      type: 'text',
      title: 'target',
      words: ['target', 'object', 'on what'],
      isShown: true,
      sql: (row) => sql`left(${row}.target, 2000)`,
    },
    address: {
      type: 'text',
      title: 'address',
      words: ['address', 'ip', 'ip address', 'source address', 'source ip'],
      isShown: true,
      sql: of('address'),
    },
    text: {
      type: 'text',
      title: 'action, target, address or email address',
      words: ['text', 'keyword'],
      sql: (row, context) =>
        sql`concat_ws(chr(10), ${row}.action, ${row}.target, ${row}.address, ${actorField(row, context, sql`u.email`)})`,
    },
    ...timeParts((row) => column(row, 'at')),
  },
  keys: {
    audit: { sql: (row) => sql`${row}.id::text` },
    account: { sql: (row) => sql`${row}.actor_user_id::text` },
    client: clientKey,
  },
  list: { page: 'audit', path: ({ organisationId, name }) => addressOf('/apps/audit', { client: organisationId, action: name }) },
  order: { field: 'at', isAscending: false },
};
