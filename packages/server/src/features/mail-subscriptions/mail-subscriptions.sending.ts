/** Emails of a subscription, with links that end it. */
import { type SubscriptionKind, subscriptionKinds } from '@parapet/contract/mailSubscriptions.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { MailContent } from '../../core/mail/render.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { UnsubscribeTokens } from './mail-subscriptions.rules.ts';
import type { Subscriber } from './mail-subscriptions.store.ts';

const labelOf = (kind: SubscriptionKind): string => subscriptionKinds.find(({ value }) => value === kind)!.label;

export type SubscriptionMails = ReturnType<typeof createSubscriptionMails>;

export function createSubscriptionMails({
  brand,
  outbox,
  tokens,
}: {
  brand: Pick<BrandService, 'ofMails'>;
  outbox: Pick<OutboxService, 'queue'>;
  tokens: UnsubscribeTokens;
}) {
  /** Address of the portal in emails to this user. */
  const originFor = async (tx: Tx, { organisationId }: Subscriber): Promise<string> =>
    (await brand.ofMails(tx, organisationId)).origin;

  /** Queues an email with unsubscribe links for readers and mail clients (RFC 2369, RFC 8058). */
  const send = async (tx: Tx, user: Subscriber, kind: SubscriptionKind, content: MailContent, name?: string): Promise<void> => {
    const origin = await originFor(tx, user);
    const token = tokens.issue(user.id, kind);
    const [page, post] = [`${origin}/unsubscribe/${token}`, `${origin}/api/v1/mailsubscriptions/unsubscribe/${token}`];
    await outbox.queue(tx, {
      ...content,
      kind,
      organisationId: user.organisationId,
      to: [user.email],
      notes: [
        `You receive this email because of your subscription “${labelOf(kind)}”. Change your subscriptions under Mail Subscriptions in the portal, or unsubscribe from these emails:\n${page}`,
      ],
      headers: {
        'List-Unsubscribe': `<${post}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
      links: [page, post],
      ...(name && { name }),
    });
  };

  return { originFor, send };
}
