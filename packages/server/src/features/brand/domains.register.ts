import { createResolver } from '../../core/dns.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { domainsRoutes } from './domains.routes.ts';
import { createDomainsService, type DomainsService } from './domains.service.ts';

export type DomainsDeps = Platform &
  Pick<Parameters<typeof createDomainsService>[0], 'outbox' | 'administratorsOf' | 'consumeAttempt'>;

/** Separate from the brand: its notices go through the outbox, whose mails carry the brand. */
export function registerDomains({
  db,
  clock,
  config,
  outbox,
  administratorsOf,
  consumeAttempt,
  log,
}: DomainsDeps): Feature<DomainsService> {
  const resolver = createResolver({ servers: config.dnsServers });
  const service = createDomainsService({ db, clock, resolver, outbox, administratorsOf, consumeAttempt, log });
  return {
    service,
    routes: (serving) => domainsRoutes(serving, service),
    jobs: [{ name: 'domains.check', cron: '50 * * * *', run: service.checkDue }],
  };
}
