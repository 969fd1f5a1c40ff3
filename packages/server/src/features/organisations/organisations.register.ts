import type { Feature, Platform } from '../../core/feature.ts';
import type { OrganisationsDeps } from './organisations.deps.ts';
import { organisationsRoutes } from './organisations.routes.ts';
import { createOrganisationsService, type OrganisationsService } from './organisations.service.ts';

// For the composition of the application; other features receive them as arguments.
export { isProvidersHost, requireProvidersHost } from './organisations.rules.ts';
export { listContacts, listEscalation } from './organisations.store.ts';

export function registerOrganisations({
  db,
  clock,
  keys,
  config,
  brand,
  branding,
}: Platform & Pick<OrganisationsDeps, 'brand' | 'branding'>): Feature<OrganisationsService> {
  const service = createOrganisationsService({
    db,
    clock,
    brand,
    branding,
    keys,
    alertRetentionMonths: config.alertRetentionMonths,
    allowsInsecureIssuers: config.allowsInsecureIssuers,
  });
  return { service, routes: (serving) => organisationsRoutes(serving, service) };
}
