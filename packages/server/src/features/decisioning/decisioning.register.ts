import type { Feature, Platform } from '../../core/feature.ts';
import type { Outbound } from '../../core/outbound.ts';
import type { IntelligenceService } from '../intelligence/intelligence.service.ts';
import { createProse, type ProseModel } from './decisioning.prose.ts';
import { createDecisioningService, type DecisioningService } from './decisioning.service.ts';

export interface DecisioningDeps extends Platform {
  lookUp: IntelligenceService['lookUp'];
  /** Writes narratives as prose; undefined where no language model is configured. */
  model: (ProseModel & { outbound: Outbound }) | undefined;
}

export function registerDecisioning({ db, clock, lookUp, model, log }: DecisioningDeps): Feature<DecisioningService> {
  const writeProse = model && createProse({ model, outbound: model.outbound, log });
  const service = createDecisioningService({ db, clock, lookUp, writeProse, log });
  return { service, jobs: [{ name: 'cases.noteSilence', cron: '*/10 * * * *', run: service.noteSilence }] };
}
