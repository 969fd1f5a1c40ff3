/** Cases as tickets of a PSA: what an administrator sets up at a target, and the tickets that are linked. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, name, page, results, severity } from './primitives.ts';
import { caseStatusValues } from './rules/cases.ts';

/** Companies that are read of a PSA at most, and clients that a target covers. */
export const maxTicketCompanies = 3_000;

const psaId = z.string().max(60);
const chosen = psaId.describe('Id of the PSA; empty for none.');
const choice = z.object({ id: psaId.describe('Id of the PSA.'), label: line.describe('Name at the PSA.') });
const statusChoice = choice.extend({ isClosed: z.boolean().describe('True for the end of a ticket.') });

const timeSetup = z.object({
  type: chosen,
  role: chosen,
  person: chosen.describe('Technician whose time it is; empty for the account of the portal.'),
  isBillable: z.boolean().describe('True for time that the PSA bills.'),
  maxMinutes: z.int().min(1).max(1440).describe('Minutes of one entry at most.'),
});

const ticketSetup = z.object({
  board: psaId.min(1, 'Choose one.').describe('Board, queue or ticket type.'),
  type: psaId.describe('Type within the board; empty where the PSA has none.'),
  priorities: z.partialRecord(severity, psaId).describe('Priority by severity; empty or absent for the PSA’s own.'),
  statuses: z
    .partialRecord(z.enum(caseStatusValues), psaId)
    .describe('Status of the ticket by status of the case; empty or absent leaves the ticket as it is.'),
  back: z
    .record(psaId, z.enum([...caseStatusValues, '']))
    .describe('Status of the case by status of the ticket; empty or absent leaves the case as it is.'),
  fields: z.record(psaId, z.string().trim().max(500)).describe('Values of the PSA’s custom fields, by their id.'),
  time: timeSetup.nullable().default(null).describe('Time entry with the handling time of each closing; null for none.'),
  attachment: z
    .enum(['none', 'report', 'archive'])
    .default('none')
    .describe(
      'File of a closed case that is attached: the client’s report as PDF, or the signed archive as the client may read it.',
    ),
});
export type TicketSetupInput = z.infer<typeof ticketSetup>;

const company = z.object({
  clientId: id.describe('Client of the portal.'),
  companyId: chosen,
});

const allow = 'deliveries:write';
const ofTarget = z.object({ client: id.describe('Owner of the target.'), target: id.describe('Target ID.') });

export const linkedTicket = z.object({
  caseId: id.describe('Case.'),
  ticketId: line.describe('Id of the ticket at the PSA.'),
  link: line.nullable().describe('Page of the ticket.'),
  targetName: name.describe('Target.'),
  title: line.describe('Product.'),
  status: line.describe('Status of the ticket when both sides agreed last.'),
  syncedAt: instant.describe('Time of the last exchange about it.'),
  conflict: line.nullable().describe('Change that one side did not take over; null without one.'),
  deletedAt: instant.nullable().describe('Time at which the PSA no longer had it.'),
});
export type LinkedTicket = z.infer<typeof linkedTicket>;

export const deliveryTicketsApi = {
  ticketSetup: endpoint({
    id: 'deliveries.ticketSetup',
    route: 'GET /deliverytargets/:client/:target/ticketsetup',
    allow,
    freshness: 'none',
    summary: 'Returns how cases become tickets at a PSA, with the choices that are read from it now.',
    params: ofTarget,
    query: z.object({ board: psaId.optional().describe('Board whose types and fields are read; the stored one without it.') }),
    answer: z.object({
      setup: ticketSetup.nullable().describe('Stored choices; null before the first.'),
      companies: z
        .array(
          company.extend({
            clientName: name.describe('Name of the client.'),
            companyName: line.describe('Name of the company as stored; empty for none.'),
          }),
        )
        .max(maxTicketCompanies)
        .describe('Clients of the target, with the company of each.'),
      choices: z
        .object({
          companies: z.array(choice).max(maxTicketCompanies).describe('Companies.'),
          boards: z.array(choice).max(1_000).describe('Boards, queues or ticket types.'),
          types: z.array(choice).max(1_000).describe('Types within the board.'),
          statuses: z.array(statusChoice).max(1_000).describe('Statuses of tickets.'),
          priorities: z.array(choice).max(1_000).describe('Priorities.'),
          fields: z
            .array(
              choice.extend({
                isRequired: z.boolean().describe('True where the PSA creates no ticket without it.'),
                options: z.array(choice).max(500).nullable().describe('Values to choose from; null for free text.'),
              }),
            )
            .max(300)
            .describe('Custom fields.'),
          time: z
            .object({
              types: z.array(choice).max(1_000).describe('Work types.'),
              roles: z.array(choice).max(1_000).describe('Work roles.'),
              people: z
                .array(choice)
                .max(1_000)
                .describe('Technicians; empty where entries belong to the account of the portal.'),
              required: z
                .array(z.enum(['type', 'role', 'person']))
                .max(3)
                .describe('Choices that every entry needs.'),
            })
            .nullable()
            .describe('Choices of time entries; null when the account may not read them.'),
          isPartial: z.boolean().describe('True when the PSA has more companies than were read.'),
        })
        .nullable()
        .describe('Choices; null when the PSA could not be read.'),
      error: line.nullable().describe('Reason for which the PSA could not be read.'),
      polledAt: instant.nullable().describe('Last time its tickets were read.'),
      pollError: line.nullable().describe('Failure of the newest reading; null after a success.'),
    }),
  }),
  saveTicketSetup: endpoint({
    id: 'deliveries.saveTicketSetup',
    route: 'PUT /deliverytargets/:client/:target/ticketsetup',
    allow,
    freshness: 'none',
    summary: 'Saves how cases become tickets at a PSA. The choices are checked against the PSA.',
    params: ofTarget,
    body: z.object({
      setup: ticketSetup.describe('Choices, by the ids of the PSA.'),
      companies: z.array(company).max(maxTicketCompanies).describe('Companies of clients; others stay.'),
    }),
    answer: nothing,
  }),
  tickets: endpoint({
    id: 'deliveries.tickets',
    route: 'GET /deliverytargets/:client/:target/tickets',
    allow,
    freshness: 'none',
    summary: 'Lists the tickets that are linked at a PSA, conflicts first.',
    params: ofTarget,
    query: z.object(page),
    answer: results(linkedTicket, 200),
  }),
  caseTickets: endpoint({
    id: 'deliveries.caseTickets',
    route: 'GET /casetickets/:caseId',
    allow: 'cases:read',
    freshness: 'none',
    summary: 'Lists the tickets of a case at PSA systems whose targets belong to an organisation in scope.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answer: results(linkedTicket, 50),
  }),
};
