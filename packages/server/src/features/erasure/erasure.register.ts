import type { Feature, Platform } from '../../core/feature.ts';
import { createErasureService, type ErasureDeps, type ErasureService } from './erasure.service.ts';

export function registerErasure(deps: Platform & Omit<ErasureDeps, keyof Platform>): Feature<ErasureService> {
  const service = createErasureService(deps);
  return { service, jobs: [{ name: 'erasure.run', cron: '* * * * *', run: service.run }] };
}
