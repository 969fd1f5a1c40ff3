import type { Feature, Platform } from '../../core/feature.ts';
import { riskRoutes } from './risk.routes.ts';
import { createRiskService, type RiskService } from './risk.service.ts';

// For the composition of the application; other features receive them as arguments.
export { countChecked, listInputs, listSnapshots } from './risk.store.ts';

export function registerRisk(platform: Platform): Feature<RiskService> {
  const service = createRiskService(platform);
  return {
    service,
    routes: (serving) => riskRoutes(serving, service),
    jobs: [{ name: 'risk.takeSnapshots', cron: '10 0 * * *', run: service.takeSnapshots }],
  };
}
