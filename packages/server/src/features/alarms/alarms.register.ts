import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { type AlarmsService, createAlarmsService } from './alarms.service.ts';

// For the composition of the application; other features receive them as arguments.
export { wrongPasswordsAMinute } from './alarms.service.ts';

export type AlarmsDeps = Platform &
  Pick<Parameters<typeof createAlarmsService>[0], 'outbox' | 'countWrongPassword'> & { brand: Pick<BrandService, 'ofMails'> };

export function registerAlarms({
  db,
  clock,
  metrics,
  outbox,
  brand,
  countWrongPassword,
  log,
}: AlarmsDeps): Feature<AlarmsService> {
  const service = createAlarmsService({
    db,
    clock,
    outbox,
    countWrongPassword,
    counted: metrics.alarmed,
    originOf: async (tx, organisationId) => (await brand.ofMails(tx, organisationId)).origin,
    log,
  });
  return { service, closers: [() => service.close()] };
}
