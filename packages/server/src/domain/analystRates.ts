/** Minutes of an analyst for an alert and a case: of the provider or a partner, whose analysts they are. */
import type { AnalystRates } from '@parapet/contract/analystTime.ts';
import type { Tx } from '../core/db/scope.ts';

export const readRates = (tx: Tx, organisationId: number): Promise<AnalystRates> =>
  tx
    .selectFrom('organisations')
    .select(['minutes_per_alert as minutesPerAlert', 'minutes_per_case as minutesPerCase'])
    .where('id', '=', organisationId)
    .executeTakeFirstOrThrow();
