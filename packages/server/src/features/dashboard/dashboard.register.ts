import type { Feature, Platform } from '../../core/feature.ts';
import type { RiskService } from '../risk/risk.service.ts';
import { dashboardRoutes } from './dashboard.routes.ts';
import { createDashboardService, type DashboardService } from './dashboard.service.ts';

// For the composition of the application; other features receive them as arguments.
export { countSeverities } from './dashboard.store.ts';
export { listReporting, listTops } from './overview.store.ts';

export interface DashboardRegisterDeps extends Platform {
  risk: Pick<RiskService, 'scoresNow'>;
}

export function registerDashboard({ db, clock, risk }: DashboardRegisterDeps): Feature<DashboardService> {
  const service = createDashboardService({ db, clock, riskScoresNow: risk.scoresNow });
  return { service, routes: (serving) => dashboardRoutes(serving, service) };
}
