/** Requests of targets to the portal: presses in chat by linked accounts, and changes of tickets. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, results } from './primitives.ts';

const allow = 'deliveries:write';
const ofTarget = z.object({ client: id.describe('Owner of the target.'), target: id.describe('Target ID.') });

export const chatAccount = z.object({
  id: id.describe('ID of the link.'),
  product: line.describe('Chat.'),
  name: line.describe('Name of the account in the chat when it was linked.'),
  workspace: line.describe('Id of the workspace.'),
  linkedAt: instant.describe('Time of the link.'),
});
export type ChatAccount = z.infer<typeof chatAccount>;

export const deliveryCallbacksApi = {
  openCallbacks: endpoint({
    id: 'deliveries.openCallbacks',
    route: 'PUT /deliverytargets/:client/:target/callbacks',
    allow,
    freshness: 'freshOrKey',
    summary:
      'Lets a target send requests to the portal, at an address of its own. Repeating it replaces the secret; the address stays.',
    params: ofTarget,
    body: z.object({
      secret: z
        .string()
        .trim()
        .max(200)
        .describe('Secret of the other side by which its requests are verified; empty where the portal generates one.'),
    }),
    answer: z.object({
      address: line.describe('Address to enter at the other side.'),
      secret: line.nullable().describe('Generated secret, returned only now; null for kinds without one.'),
    }),
  }),
  closeCallbacks: endpoint({
    id: 'deliveries.closeCallbacks',
    route: 'DELETE /deliverytargets/:client/:target/callbacks',
    allow,
    freshness: 'none',
    summary: 'Refuses further requests of a target, and has the other side send none where the portal set that up.',
    params: ofTarget,
    answer: nothing,
  }),
  syncTickets: endpoint({
    id: 'deliveries.syncTickets',
    route: 'POST /deliverytargets/:client/:target/sync',
    allow,
    freshness: 'none',
    summary: 'Reads the tickets of a PSA at once, also after failures, but not before the PSA wants to be called again.',
    params: ofTarget,
    answer: nothing,
  }),
};

/** The caller’s own accounts in chat. */
export const chatAccountsApi = {
  chatAccounts: endpoint({
    id: 'account.chatAccounts',
    route: 'GET /account/chataccounts',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists the caller’s linked accounts in chat.',
    answer: results(chatAccount, 100),
  }),
  linkChat: endpoint({
    id: 'account.linkChat',
    route: 'POST /account/chataccounts',
    allow: 'session:use',
    freshness: 'fresh',
    summary: 'Links the account in chat that got this link to the caller: its presses then act with the caller’s rights.',
    body: z.object({ token: z.string().max(1_000).describe('Token of the link.') }),
    answer: chatAccount,
  }),
  unlinkChat: endpoint({
    id: 'account.unlinkChat',
    route: 'DELETE /account/chataccounts/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Unlinks an account in chat at once.',
    params: z.object({ id: id.describe('ID of the link.') }),
    answer: nothing,
  }),
};
