/** Billing: counts of each client and month, their difference to the agreements of a PSA, and quantities that people confirm. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { subscriptionLevels } from './organisations.ts';
import { clientId, count, id, instant, line, name, organisationId, page, results } from './primitives.ts';
import { billingMeasureValues, correctedMeasures } from './rules/billing.ts';
import { deliveryStateValues } from './rules/deliveries.ts';

const month = z
  .string()
  .max(7)
  .regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, 'Enter a month such as 2026-11.')
  .describe('Month in UTC, such as 2026-11.');
const measure = z.enum(billingMeasureValues).describe('Measure; devices are servers and workstations.');
const quantity = z.number().min(-1_000_000_000).max(1_000_000_000);
const psaId = z.string().max(60);
const recordId = z.number().int();

const counts = z.object({
  devices: count
    .nullable()
    .describe('Servers and workstations that an agent, endpoint protection or their events showed in the month.'),
  servers: count.nullable().describe('Servers among them.'),
  workstations: count.nullable().describe('Workstations among them.'),
  users: count.nullable().describe('Active users of the connected directories; null without one.'),
  mailboxes: count.nullable().describe('Mailboxes of these users; null without a directory.'),
  gigabytes: count.nullable().describe('Stored log volume in gigabytes of 10⁹ bytes, begun ones included.'),
});

const correction = z.object({
  id: recordId.describe('Correction ID.'),
  measure: z.enum(correctedMeasures).describe('Corrected measure.'),
  amount: quantity.describe('Added to the count; negative to subtract.'),
  reason: line.describe('Reason given by its author.'),
  by: line.describe('Author.'),
  at: instant.describe('Time of the correction.'),
});

export const billingRow = z.object({
  clientOrganizationID: organisationId.describe('Client ID.'),
  clientOrganizationName: name.describe('Name of the client.'),
  month,
  level: z.enum(subscriptionLevels.map(({ name }) => name) as [string, ...string[]]).describe('Service level in the month.'),
  counts: counts.describe('As counted; never changed once the month is closed.'),
  corrections: z.array(correction).max(1_000).describe('Corrections, each a line of its own, oldest first.'),
  countedAt: instant.describe('Time of the newest count.'),
  closedAt: instant.nullable().describe('Time at which the month was closed; null while it is open.'),
});
export type BillingRow = z.infer<typeof billingRow>;

const item = z.object({
  kind: z.enum(['server', 'workstation', 'user']).describe('Kind of the entry.'),
  name: line.describe('Name of the device or user.'),
  sources: z
    .array(z.string().max(40))
    .max(50)
    .describe('agent, events, or the kinds of connections that list it. It counts once.'),
  hasMailbox: z.boolean().describe('True for a user with a mailbox.'),
  firstDay: z.iso.date().max(10).describe('First day on which it was found in the month.'),
  lastDay: z.iso.date().max(10).describe('Last day on which it was found in the month.'),
});
export type BillingItem = z.infer<typeof item>;

const psaItem = z.object({
  id: psaId.describe('Id of the PSA.'),
  label: line.describe('Name at the PSA.'),
  quantity: quantity.nullable().describe('Quantity that the PSA has now; null where it shows none.'),
});
const agreement = z.object({
  id: psaId.describe('Id of the PSA.'),
  label: line.describe('Name of the agreement, contract or recurring invoice.'),
  items: z.array(psaItem).max(1_000).describe('Additions, contract services or lines.'),
});

const write = z.object({
  id: recordId.describe('ID of the confirmation.'),
  quantity: quantity.describe('Confirmed quantity.'),
  by: line.describe('User who confirmed.'),
  at: instant.describe('Time of the confirmation.'),
  state: z.enum(deliveryStateValues).describe('State of the delivery; accepted once the PSA returned the quantity.'),
  words: line.nullable().describe('Newest failure in words.'),
});

const billingLine = z.object({
  measure,
  agreementId: psaId.describe('Agreement; empty for none.'),
  itemId: psaId.describe('Item of the agreement; empty for none.'),
  label: line.describe('Names of agreement and item as they were chosen.'),
  counted: quantity.nullable().describe('Count with corrections; null where nothing was counted.'),
  current: quantity
    .nullable()
    .describe('Quantity at the PSA now; null without an item, once it ended, or where the PSA shows none.'),
  isGone: z.boolean().describe('True for a chosen item that ended or was removed at the PSA.'),
  newest: write.nullable().describe('Newest confirmation of this line and month.'),
});
export type BillingLine = z.infer<typeof billingLine>;

const ofClient = z.object({ client: id.describe('Client ID.') });
const ofTarget = ofClient.extend({ target: id.describe('Target ID of a PSA.') });
const allow = 'billing:write';

export const billingApi = {
  list: endpoint({
    id: 'billing.list',
    route: 'GET /billing/:client',
    allow,
    freshness: 'none',
    summary: 'Lists the counts of a month by client.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    query: z.object({ month }),
    answer: results(billingRow, 20_000),
  }),
  csv: endpoint({
    id: 'billing.csv',
    route: 'GET /billing/:client/csv',
    allow,
    freshness: 'none',
    summary: 'Exports the counts of a month as CSV, with each correction on a line of its own.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    query: z.object({ month }),
    answers: 'file',
    answer: nothing,
  }),
  items: endpoint({
    id: 'billing.items',
    route: 'GET /billing/:client/items',
    allow,
    freshness: 'none',
    summary: 'Lists the devices and users that a client’s count has.',
    params: ofClient,
    query: z.object({ month, ...page }),
    answer: results(item, 200),
  }),
  targets: endpoint({
    id: 'billing.targets',
    route: 'GET /billing/:client/targets',
    allow,
    freshness: 'none',
    summary: 'Lists the PSA targets in scope that have a company for a client.',
    params: ofClient,
    answer: results(
      z.object({
        id: recordId.describe('Target ID.'),
        name: name.describe('Name of the target.'),
        title: line.describe('Product.'),
        companyName: line.describe('Company of the client.'),
      }),
      100,
    ),
  }),
  compare: endpoint({
    id: 'billing.compare',
    route: 'GET /billing/:client/targets/:target',
    allow,
    freshness: 'none',
    summary:
      'Reads the agreements of a client’s company at a PSA, and compares their quantities with the counts. Writes nothing.',
    params: ofTarget,
    query: z.object({ month }),
    answer: z.object({
      agreements: z.array(agreement).max(200).nullable().describe('Active agreements; null when the PSA could not be read.'),
      error: line.nullable().describe('Reason in the PSA’s words; null without one.'),
      lines: z.array(billingLine).max(20).describe('Each measure with its item.'),
    }),
  }),
  saveLines: endpoint({
    id: 'billing.saveLines',
    route: 'PUT /billing/:client/targets/:target/lines',
    allow,
    freshness: 'none',
    summary: 'Sets which item of an agreement each measure is billed by. Nothing is written to the PSA.',
    params: ofTarget,
    body: z.object({
      lines: z
        .array(z.object({ measure, agreementId: psaId.describe('Agreement.'), itemId: psaId.describe('Item of the agreement.') }))
        .max(20)
        .describe('Measures with their items; others are billed by none.'),
    }),
    answer: nothing,
  }),
  confirm: endpoint({
    id: 'billing.confirm',
    route: 'POST /billing/:client/targets/:target/confirm',
    allow,
    freshness: 'none',
    summary:
      'Writes confirmed quantities to the PSA, as deliveries. Refused once a count or another confirmation changed what was shown.',
    params: ofTarget,
    body: z.object({
      month,
      lines: z
        .array(
          z.object({
            measure,
            agreementId: psaId.describe('Agreement as it was shown.'),
            itemId: psaId.describe('Item as it was shown.'),
            current: quantity.describe('Quantity at the PSA as it was shown.'),
            quantity: quantity.describe('Count with corrections as it was shown.'),
            newestId: z.number().int().min(0).describe('ID of the newest confirmation as it was shown; 0 for none.'),
          }),
        )
        .min(1, 'Choose at least one line.')
        .max(20)
        .describe('Lines to write.'),
    }),
    answer: z.object({ count: count.describe('Number of deliveries.') }),
  }),
  correct: endpoint({
    id: 'billing.correct',
    route: 'POST /billing/:client/corrections',
    allow,
    freshness: 'none',
    summary: 'Adds a correction to a closed month as a line of its own. The count stays as it is.',
    params: ofClient,
    body: z.object({
      month,
      measure: z.enum(correctedMeasures).describe('Measure.'),
      amount: z
        .number({ error: 'Enter a whole number.' })
        .int('Enter a whole number.')
        .min(-1_000_000)
        .max(1_000_000)
        .refine((amount) => amount !== 0, 'Enter a number other than 0.')
        .describe('Added to the count; negative to subtract.'),
      reason: z.string().trim().min(3, 'Enter a reason.').max(500).describe('Reason, shown with the line.'),
    }),
    answer: z.object({ id: recordId.describe('Correction ID.') }),
  }),
};
