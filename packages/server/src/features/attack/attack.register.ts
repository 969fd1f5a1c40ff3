import type { Feature, Platform } from '../../core/feature.ts';
import { attackRoutes } from './attack.routes.ts';
import { type AttackService, createAttackService } from './attack.service.ts';

export interface AttackDeps extends Platform {
  /** True for the key of a rule that is loaded; the database also keeps former ones. */
  isLoaded: (key: string) => boolean;
}

export function registerAttack({ db, clock, isLoaded }: AttackDeps): Feature<AttackService> {
  const service = createAttackService({ db, clock, isLoaded });
  return { service, routes: (serving) => attackRoutes(serving, service) };
}
