/** Who gets which mails and digests (spec §2.1 /apps/mailsubscriptions). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, id, line, name, organisationId, results } from './primitives.ts';

/** Mails that one can do without; those about one's own account and case mails to escalation addresses are no choice. */
export const subscriptionKinds = [
  { value: 'case.assigned', label: 'A case was assigned to me' },
  { value: 'case.escalated', label: 'A case was escalated' },
  { value: 'case.closed', label: 'A case was closed' },
  { value: 'case.breached', label: 'A target is about to be missed' },
  { value: 'response.approval', label: 'A response waits for my approval' },
  { value: 'digest.daily', label: 'Daily digest' },
  { value: 'digest.weekly', label: 'Weekly digest' },
] as const;
export const subscriptionKindValues = subscriptionKinds.map(({ value }) => value) as [SubscriptionKind, ...SubscriptionKind[]];
export type SubscriptionKind = (typeof subscriptionKinds)[number]['value'];
const kind = z.enum(subscriptionKindValues);

export const subscriptionRow = z.object({
  userID: z.number().int().describe('The user.'),
  displayName: line.describe('The user’s name.'),
  emailAddress: line.describe('The user’s address.'),
  clientOrganizationID: organisationId.describe('The user’s organisation.'),
  clientOrganizationName: name.describe('Its name.'),
  kinds: z.array(kind).max(10).describe('What the user gets.'),
});
export type SubscriptionRow = z.infer<typeof subscriptionRow>;

export const mailSubscriptionsApi = {
  list: endpoint({
    id: 'mailSubscriptions.list',
    method: 'GET',
    path: '/mailsubscriptions/:client',
    allow: 'mailSubscriptions:write',
    freshness: 'none',
    summary: 'Who gets which mails, by user.',
    params: z.object({ client: clientId.describe('The organisation; 0 for all in scope.') }),
    answer: results(subscriptionRow, 10_000),
  }),
  update: endpoint({
    id: 'mailSubscriptions.update',
    method: 'PUT',
    path: '/mailsubscriptions/user/:id',
    allow: 'mailSubscriptions:write',
    freshness: 'none',
    summary: 'Sets what a user gets.',
    params: z.object({ id: id.describe('The user.') }),
    body: z.object({ kinds: z.array(kind).max(10).describe('What the user gets.') }),
    answer: subscriptionRow,
  }),
  mine: endpoint({
    id: 'mailSubscriptions.mine',
    method: 'GET',
    path: '/mailsubscriptions/mine',
    allow: 'session:use',
    freshness: 'none',
    summary: 'What the caller gets.',
    answer: subscriptionRow,
  }),
  updateMine: endpoint({
    id: 'mailSubscriptions.updateMine',
    method: 'PUT',
    path: '/mailsubscriptions/mine',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Sets what the caller gets.',
    body: z.object({ kinds: z.array(kind).max(10).describe('What the caller gets.') }),
    answer: subscriptionRow,
  }),
  /** RFC 8058: the mail program posts, without a sign-in; the token names user and kind. */
  unsubscribe: endpoint({
    id: 'mailSubscriptions.unsubscribe',
    method: 'POST',
    path: '/mailsubscriptions/unsubscribe/:token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Ends one kind of mail by the link in it.',
    params: z.object({ token: z.string().max(300).describe('From the mail.') }),
    answer: z.object({ kind: kind.describe('The kind of mail that has ended.') }),
  }),
};
