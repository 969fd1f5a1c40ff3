/** The balance sheet: nothing that came in is lost without a word. received = stored + duplicate + dropped + dead; raised = shown + folded + suppressed + auto-closed + in case. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, count, line, name, organisationId, results, startBeforeEnd, timeRange } from './primitives.ts';

export const balanceDay = z.object({
  date: z.iso
    .date()
    .max(10)
    .describe('The day, UTC: events by when they arrived, alerts by when they happened, as the list of alerts has them.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  received: count.describe('Events that came in.'),
  stored: count.describe('Stored.'),
  duplicate: count.describe('Were there already.'),
  dropped: z
    .array(z.object({ reason: line.describe('The reason.'), count: count.describe('How many.') }))
    .max(50)
    .describe('Not taken, by reason.'),
  dead: count.describe('Kept aside because they could not be read.'),
  raised: count.describe('Times that rules matched and an alert came of it.'),
  shown: count.describe('Alerts on the list that are in no case.'),
  folded: count.describe('Repeats that were counted on an open alert.'),
  suppressed: count.describe('Alerts hidden by an exception.'),
  autoClosed: count.describe('Alerts of cases that the portal closed by itself.'),
  inCase: count.describe('Alerts in other cases.'),
  isBalanced: z.boolean().describe('Whether both sums agree.'),
});
export type ReconciliationDay = z.infer<typeof balanceDay>;

export const balanceApi = {
  get: endpoint({
    id: 'balance.get',
    method: 'GET',
    path: '/balance/:client/:start/:end',
    allow: 'dashboard:read',
    freshness: 'none',
    summary: 'What came in and what became of it, by organisation and day (UTC): the days nearest to the timeframe.',
    params: startBeforeEnd(z.object({ client: clientId.describe('The client; 0 for all in scope.'), ...timeRange })),
    answer: results(balanceDay, 80_000),
  }),
};
