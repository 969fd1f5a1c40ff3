/** Verification of partner domains, for the portal's URL and the sender of emails (docs/decisions/0026-proven-names.md). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { id, instant, line, results } from './primitives.ts';

/**
 * `accepted`: claimed before verification was introduced, within its notice period; `failing`: verified, but the daily check fails; `vouched`:
 * confirmed by the Host without DNS.
 */
export const domainStates = ['unverified', 'verified', 'failing', 'accepted', 'vouched'] as const;
export type DomainState = (typeof domainStates)[number];

export const claimedDomain = z.object({
  domain: z.string().max(253).describe('Domain name.'),
  uses: z
    .array(z.enum(['links', 'mail']))
    .max(2)
    .describe('Purposes: links and the portal’s address, or the sender address of emails.'),
  state: z.enum(domainStates).describe('Verification state.'),
  isInUse: z.boolean().describe('True when in use; otherwise the sub-domain and the portal’s own sender apply.'),
  recordName: line.describe('Name of the TXT record to set.'),
  recordValue: line.describe('Value of the TXT record to set.'),
  verifiedAt: instant.nullable().describe('Time of verification.'),
  failingSince: instant.nullable().describe('Start of the failing daily checks.'),
  endsAt: instant.nullable().describe('End of use without verification; null if not set.'),
  checkedAt: instant.nullable().describe('Time of the last DNS check; null if never checked.'),
  error: line.describe('Reason of the last failed check; empty otherwise.'),
});
export type ClaimedDomain = z.infer<typeof claimedDomain>;

const ofPartner = z.object({ id: id.describe('Partner ID.') });
const domain = z.string().trim().toLowerCase().min(1).max(253);
const list = results(claimedDomain, 10);

export const domainsApi = {
  list: endpoint({
    id: 'domains.list',
    route: 'GET /clientorganization/:id/domains',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Lists the domains claimed by a partner, with verification instructions and state.',
    params: ofPartner,
    answer: list,
  }),
  check: endpoint({
    id: 'domains.check',
    route: 'POST /clientorganization/:id/domains/check',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Checks the TXT record of a claimed domain now.',
    params: ofPartner,
    body: z.object({ domain: domain.describe('A claimed domain.') }),
    answer: list,
  }),
  vouch: endpoint({
    id: 'domains.vouch',
    route: 'POST /clientorganization/:id/domains/vouch',
    allow: 'partners:manage',
    freshness: 'freshSecondFactor',
    summary: 'Confirms a partner’s domain without DNS, for closed networks, or revokes the confirmation.',
    params: ofPartner,
    body: z.object({
      domain: domain.describe('A claimed domain.'),
      isVouched: z.boolean().describe('True to confirm.'),
    }),
    answer: list,
  }),
};
