/** Notes and responses that assistants propose for a case (docs/mcp.md). A person accepts or dismisses each. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { acknowledgesWarning, id, instant, line, results } from './primitives.ts';
import { requestActions } from './rules/values.ts';

export const proposal = z.object({
  id: id.describe('Proposal ID.'),
  kind: z.enum(['note', 'response']).describe('A note of the case, or a response request.'),
  text: z.string().max(20_000).describe('Text of the note, or justification of the response.'),
  isInternal: z.boolean().describe('True when the note is hidden from the client.'),
  response: z
    .object({
      action: z.enum(requestActions).describe('Action.'),
      target: z.string().max(4_096).describe('Device, account, process ID or file path.'),
      deviceName: line.describe('Device to execute it on; empty when the target is the device.'),
      warning: line.nullable().describe('Warning about the target, confirmed by accepting; null without one.'),
    })
    .nullable()
    .describe('The proposed response; null for a note.'),
  proposedBy: line.describe('Owner of the access with which the assistant acted.'),
  proposedAt: instant.describe('Time of the proposal.'),
});
export type Proposal = z.infer<typeof proposal>;

export const proposalsApi = {
  list: endpoint({
    id: 'proposals.list',
    route: 'GET /casedetails/proposals/:caseId',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Lists the open proposals of assistants for a case, oldest first.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answer: results(proposal, 20),
  }),
  decide: endpoint({
    id: 'proposals.decide',
    route: 'POST /casedetails/proposals/:id',
    allow: 'cases:write',
    freshness: { needs: 'fresh', fields: {}, also: 'where the proposed response needs it' },
    summary:
      'Accepts a proposal as the caller’s own note or response request, or dismisses it. Approval rules apply to the request. Not available to API keys.',
    params: z.object({ id: id.describe('Proposal ID.') }),
    body: z.object({
      isAccepted: z.boolean().describe('false dismisses the proposal.'),
      acknowledgesWarning,
    }),
    answer: nothing,
  }),
};
