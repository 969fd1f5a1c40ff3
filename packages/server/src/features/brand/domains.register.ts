import { createResolver } from '../../core/dns.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { domainsRoutes } from './domains.routes.ts';
import { createDomainsService, type DomainsService, type DomainsServiceDeps } from './domains.service.ts';

export type DomainsDeps = Platform & Omit<DomainsServiceDeps, 'resolver'>;

/** Separate from the brand: its notices go through the outbox, whose mails carry the brand. */
export function registerDomains(deps: DomainsDeps): Feature<DomainsService> {
  const resolver = createResolver({ servers: deps.config.dnsServers });
  const service = createDomainsService({ ...deps, resolver });
  return {
    service,
    routes: (serving) => domainsRoutes(serving, service),
    jobs: [{ name: 'domains.check', cron: '50 * * * *', run: service.checkDue }],
  };
}
