import type { Feature, Platform } from '../../core/feature.ts';
import { createAdvisoriesService } from './advisories.service.ts';
import { createMatchingService } from './matching.service.ts';
import { vulnerabilitiesRoutes } from './vulnerabilities.routes.ts';
import { createVulnerabilitiesService, type VulnerabilitiesService } from './vulnerabilities.service.ts';

export { findCategoryInputs } from './categories.store.ts';
// For the composition of the application; other features receive them as arguments.
export { categoriesOf } from './categories.ts';
export { countAll, listFindings } from './vulnerabilities.store.ts';

export interface VulnerabilitiesRegisterDeps extends Platform {
  /** True for the key of a rule that is loaded; the database also keeps former ones. */
  isLoaded: (key: string) => boolean;
}

export function registerVulnerabilities(deps: VulnerabilitiesRegisterDeps): Feature<VulnerabilitiesService> {
  const service = createVulnerabilitiesService({
    ...deps,
    advisories: createAdvisoriesService(deps),
    matching: createMatchingService(deps),
    alertRetentionMonths: deps.config.alertRetentionMonths,
  });
  return {
    service,
    routes: (serving) => vulnerabilitiesRoutes(serving, service),
    jobs: [
      { name: 'vulnerabilities.match', cron: '* * * * *', run: service.match },
      { name: 'vulnerabilities.drop', cron: '30 3 * * *', run: service.dropOld },
    ],
  };
}
