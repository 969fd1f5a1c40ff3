/** Optional emails: one row for each active user and kind, on or off. Roles that do not manage them find their own only. */
import { type SubscriptionKind, subscriptionKindValues } from '@parapet/contract/mailSubscriptions.ts';
import { roles } from '@parapet/contract/users.ts';
import { sql } from 'kysely';
import { defaultKinds } from '../../mailDefaults.ts';
import { inScope, organisationAttributes, wordsOf } from '../attributes.ts';
import { ofUser } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { clientKey, isViewer, of } from './columns.ts';

const kindWords: Record<SubscriptionKind, readonly string[]> = {
  'case.assigned': ['case assigned', 'assignment', 'assignment mail', 'assigned to me', 'case assignment'],
  'case.escalated': ['case escalated', 'escalation', 'escalation mail', 'escalations'],
  'case.closed': ['case closed', 'closing', 'closing mail', 'closed cases'],
  'case.breached': ['breach', 'breach mail', 'breaches', 'target about to be missed', 'missed target', 'sla warning'],
  'response.approval': ['approval', 'approval request', 'approval mail', 'approvals', 'response approval'],
  'digest.daily': ['daily digest', 'daily', 'daily mail', 'daily summary'],
  'digest.weekly': ['weekly digest', 'weekly', 'weekly mail', 'weekly summary'],
};
const holders = roles.flatMap(({ name }) => [true, false].map((isPartner) => ({ role: name, isPartner, organisationId: 0 })));
const defaults = JSON.stringify(
  Object.fromEntries(holders.map((holder) => [`${holder.role}/${holder.isPartner}`, defaultKinds(holder)])),
);

export const mailSubscriptionSchema: EntitySchema = {
  entity: 'mailSubscription',
  title: ['email subscription', 'email subscriptions'],
  words: wordsOf(
    'email subscription, mail subscription, subscription, digest, notification, mail setting, email setting, email notification, subscribed mail, mail notification, notification setting, mail preference, email preference, newsletter',
  ),
  allow: 'mailSubscriptions:write',
  ownAllow: 'session:use',
  named: 'kind',
  initial: { where: { field: 'isOn', is: true } },
  from: (row) => sql`(select u.*, k.kind, s.is_on is not null as is_chosen,
      coalesce(s.is_on, jsonb_exists(coalesce(${defaults}::jsonb -> (u.role || '/' || o.is_partner::text), '[]'), k.kind)) as is_on
    from users u join organisations o on o.id = u.organisation_id and o.deactivated_at is null
      cross join unnest(${subscriptionKindValues}::text[]) k (kind) left join mail_subscriptions s on s.user_id = u.id and s.kind = k.kind
    where not u.is_deleted) ${row}`,
  within: inScope,
  id: (row) => sql`(${row}.id || '/' || ${row}.kind)`,
  attributes: {
    user: {
      type: 'name',
      names: 'account',
      title: 'user',
      words: ['user', 'who', 'subscriber', 'person', 'account', 'name', 'recipient'],
      column: 'displayName',
      isShown: true,
      ...ofUser,
    },
    email: {
      type: 'text',
      title: 'email address',
      words: ['email address', 'mail address', 'address'],
      column: 'emailAddress',
      sql: of('email'),
    },
    ...organisationAttributes(),
    kind: {
      type: 'choice',
      choices: kindWords,
      title: 'kind',
      words: ['kind', 'type', 'kind of mail', 'kind of email', 'mail', 'email'],
      column: 'kinds',
      isShown: true,
      sql: of('kind'),
    },
    isOn: {
      type: 'flag',
      title: 'on',
      words: ['subscription state'],
      yes: wordsOf(
        'on, subscribed, signed up, turned on, switched on, enabled, get, getting, receive, receiving, active, signed up for',
      ),
      no: wordsOf('off, unsubscribed, turned off, switched off, disabled, not subscribed, do not get, not getting, opted out'),
      isShown: true,
      sql: of('is_on'),
    },
    isChosen: {
      type: 'flag',
      title: 'chosen by the user',
      words: ['choice'],
      yes: ['chosen', 'chosen by the user', 'set by the user', 'changed from the default'],
      no: ['by default', 'default', 'not chosen', 'never changed'],
      sql: of('is_chosen'),
    },
    isMine: {
      type: 'flag',
      title: 'mine',
      words: ['own subscription'],
      yes: ['mine', 'my', 'my own', 'i', 'me', 'am i', 'do i'],
      no: ['not mine', 'others', 'of others'],
      sql: isViewer('id'),
    },
  },
  keys: {
    mailSubscription: { sql: (row) => sql`${row}.id || '/' || ${row}.kind` },
    account: { sql: (row) => sql`${row}.id::text` },
    client: clientKey,
  },
  list: { page: 'mailsubscriptions', path: () => '/apps/mailsubscriptions' },
  order: { field: 'user', isAscending: true },
};
