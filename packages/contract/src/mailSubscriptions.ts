/** Email and digest subscriptions (spec §2.1 /apps/mailsubscriptions). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, id, line, name, organisationId, results } from './primitives.ts';

/** Optional emails. Account emails, and case emails to escalation addresses, cannot be disabled. */
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
  userID: z.number().int().describe('User ID.'),
  displayName: line.describe('User name.'),
  emailAddress: line.describe('Email address of the user.'),
  clientOrganizationID: organisationId.describe('Organisation of the user.'),
  clientOrganizationName: name.describe('Organisation name.'),
  kinds: z.array(kind).max(10).describe('Subscribed kinds.'),
});
export type SubscriptionRow = z.infer<typeof subscriptionRow>;

export const mailSubscriptionsApi = {
  list: endpoint({
    id: 'mailSubscriptions.list',
    route: 'GET /mailsubscriptions/:client',
    allow: 'mailSubscriptions:write',
    freshness: 'none',
    summary: 'Lists the email subscriptions of users.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    answer: results(subscriptionRow, 10_000),
  }),
  update: endpoint({
    id: 'mailSubscriptions.update',
    route: 'PUT /mailsubscriptions/user/:id',
    allow: 'mailSubscriptions:write',
    freshness: 'none',
    summary: 'Sets the email subscriptions of a user.',
    params: z.object({ id: id.describe('User ID.') }),
    body: z.object({ kinds: z.array(kind).max(10).describe('Subscribed kinds.') }),
    answer: subscriptionRow,
  }),
  mine: endpoint({
    id: 'mailSubscriptions.mine',
    route: 'GET /mailsubscriptions/mine',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Returns the caller’s email subscriptions.',
    answer: subscriptionRow,
  }),
  updateMine: endpoint({
    id: 'mailSubscriptions.updateMine',
    route: 'PUT /mailsubscriptions/mine',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Sets the caller’s email subscriptions.',
    body: z.object({ kinds: z.array(kind).max(10).describe('Kinds to subscribe to.') }),
    answer: subscriptionRow,
  }),
  /** RFC 8058: posted by the mail client without a sign-in; the token identifies user and kind. */
  unsubscribe: endpoint({
    id: 'mailSubscriptions.unsubscribe',
    route: 'POST /mailsubscriptions/unsubscribe/:token',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Unsubscribes from one kind of email with the token of its link.',
    params: z.object({ token: z.string().max(300).describe('Token from the email.') }),
    answer: z.object({ kind: kind.describe('The unsubscribed kind of email.') }),
  }),
};
