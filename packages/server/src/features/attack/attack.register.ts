import type { Feature, Platform } from '../../core/feature.ts';
import type { RulesInForce } from '../../domain/rulesInForce.ts';
import { attackRoutes } from './attack.routes.ts';
import { type AttackService, createAttackService } from './attack.service.ts';

export interface AttackDeps extends Platform {
  inForce: RulesInForce;
}

export function registerAttack({ db, clock, inForce }: AttackDeps): Feature<AttackService> {
  const service = createAttackService({ db, clock, inForce });
  return { service, routes: (serving) => attackRoutes(serving, service) };
}
