import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { DeliveriesService } from '../deliveries/deliveries.service.ts';

export interface BillingDeps {
  db: Database;
  clock: Clock;
  deliveries: Pick<DeliveriesService, 'billingTargets' | 'readAgreements' | 'queueQuantity'>;
}
