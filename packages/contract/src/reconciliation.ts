/** Reconciliation of intake and alerts: received = stored + duplicate + dropped + dead; raised = shown + folded + suppressed + auto-closed + in case. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, line, name, organisationId, results, startBeforeEnd, timeRange } from './primitives.ts';

export const reconciliationDay = z.object({
  date: z.iso.date().max(10).describe('Day (UTC): events by time of arrival, alerts by alert time as in the alert list.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  received: count.describe('Received events.'),
  stored: count.describe('Stored events.'),
  duplicate: count.describe('Duplicate events.'),
  dropped: z
    .array(z.object({ reason: line.describe('Reason.'), count: count.describe('Number of events.') }))
    .max(50)
    .describe('Dropped events by reason.'),
  dead: count.describe('Unprocessed events.'),
  raised: count.describe('Rule matches that raised an alert.'),
  shown: count.describe('Alerts in the list that belong to no case.'),
  folded: count.describe('Repeats grouped into an open alert.'),
  suppressed: count.describe('Suppressed alerts.'),
  autoClosed: count.describe('Alerts of automatically closed cases.'),
  inCase: count.describe('Alerts of other cases.'),
  isBalanced: z.boolean().describe('True when both sums balance.'),
});
export type ReconciliationDay = z.infer<typeof reconciliationDay>;

export const balanceApi = {
  get: endpoint({
    id: 'balance.get',
    route: 'GET /balance/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'Returns intake and outcomes by organisation and day (UTC), for the days nearest to the timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(reconciliationDay, 80_000),
  }),
};
