/** Minutes of an analyst for an alert and a case: one row of the installation. */
import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import type { Tx } from '../core/db/scope.ts';

export const readRates = (tx: Tx): Promise<AnalystRates> =>
  tx
    .selectFrom('installation_settings')
    .select(['minutes_per_alert as minutesPerAlert', 'minutes_per_case as minutesPerCase'])
    .executeTakeFirstOrThrow();
