/** Proof of the domains that a partner claims: for its portal address and for the sender of its mails (decision 26). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { id, instant, line, results } from './primitives.ts';

/**
 * `accepted` is a claim made before proofs were asked for, in its notice period; `failing` was verified, and its daily check fails now; `vouched` was
 * confirmed by the Host without DNS.
 */
export const domainStates = ['unverified', 'verified', 'failing', 'accepted', 'vouched'] as const;
export type DomainState = (typeof domainStates)[number];

export const claimedDomain = z.object({
  domain: z.string().max(253).describe('The domain.'),
  uses: z
    .array(z.enum(['links', 'mail']))
    .max(2)
    .describe('What it is for: links and the portal’s address, or the sender’s address of mails.'),
  state: z.enum(domainStates).describe('Whether it is proven.'),
  isInUse: z.boolean().describe('Whether it is used now; otherwise the sub-domain and the portal’s own sender are.'),
  recordName: line.describe('Name of the TXT record to set.'),
  recordValue: line.describe('Value of the TXT record to set.'),
  verifiedAt: instant.nullable().describe('Since when it is verified.'),
  failingSince: instant.nullable().describe('Since when its daily check fails.'),
  endsAt: instant.nullable().describe('When it stops being used without a proof; null where no end is set.'),
  checkedAt: instant.nullable().describe('When DNS was asked last; null where never.'),
  error: line.describe('Why the last check failed; empty where it did not.'),
});
export type ClaimedDomain = z.infer<typeof claimedDomain>;

const ofPartner = z.object({ id: id.describe('The partner.') });
const domain = z.string().trim().toLowerCase().min(1).max(253);
const list = results(claimedDomain, 10);

export const domainsApi = {
  list: endpoint({
    id: 'domains.list',
    method: 'GET',
    path: '/clientorganization/:id/domains',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'The domains that a partner claims, how each is proven, and whether it is.',
    params: ofPartner,
    answer: list,
  }),
  check: endpoint({
    id: 'domains.check',
    method: 'POST',
    path: '/clientorganization/:id/domains/check',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Looks for the TXT record of a claimed domain now.',
    params: ofPartner,
    body: z.object({ domain: domain.describe('One of the claimed domains.') }),
    answer: list,
  }),
  vouch: endpoint({
    id: 'domains.vouch',
    method: 'POST',
    path: '/clientorganization/:id/domains/vouch',
    allow: 'partners:manage',
    freshness: 'freshSecondFactor',
    summary: 'Confirms a partner’s domain without DNS, on a closed network, or takes that back.',
    params: ofPartner,
    body: z.object({
      domain: domain.describe('One of the claimed domains.'),
      isVouched: z.boolean().describe('Whether the Host vouches for it.'),
    }),
    answer: list,
  }),
};
