import type { Feature, Platform } from '../../core/feature.ts';
import { startNoticeWorker } from './mail-subscriptions.notices.ts';
import { mailSubscriptionsRoutes } from './mail-subscriptions.routes.ts';
import { createMailSubscriptionsService, type MailSubscriptionsService } from './mail-subscriptions.service.ts';

export type MailSubscriptionsDeps = Platform &
  Pick<Parameters<typeof createMailSubscriptionsService>[0], 'brand' | 'outbox' | 'approvals'>;

export async function registerMailSubscriptions({
  db,
  bus,
  keys,
  clock,
  brand,
  outbox,
  approvals,
  log,
}: MailSubscriptionsDeps): Promise<Feature<MailSubscriptionsService>> {
  const key = await keys.shared('mail subscriptions');
  const service = createMailSubscriptionsService({ db, clock, brand, outbox, key, approvals });
  return {
    service,
    routes: (serving) => mailSubscriptionsRoutes(serving, service),
    jobs: [
      { name: 'subscribers.tell', cron: '* * * * *', run: service.sendNotices },
      { name: 'approvers.tell', cron: '* * * * *', run: service.emailApprovers },
      { name: 'digest.daily', cron: '0 6 * * *', run: () => service.digest('day') },
      { name: 'digest.weekly', cron: '0 6 * * 1', run: () => service.digest('week') },
    ],
    workers: [() => startNoticeWorker(bus, service, log)],
  };
}
