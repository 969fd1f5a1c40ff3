/** Rules of domain claims: claimable names, and the state of a claim after a DNS check. Pure. */
import type { ClaimedDomain, DomainState } from '@parapet/contract/domains.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { getPublicSuffix, parse } from 'tldts';
import type { TxtAnswer } from '../../core/dns.ts';

/** The portal’s own host, and the domain of its sender address. */
export interface PortalNames {
  host: string;
  mailDomain: string;
}

export const graceMs = 7 * dayMs;

// White-label: the record is in the partner’s own zone.
export const recordNameOf = (domain: string): string => `_portal-challenge.${domain}`;
export const recordValueOf = (token: string): string => `portal-verification=${token}`;

/** Domain of an email address; the whole lower-cased text without an @. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

const isBelow = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`);

/** Reason why a domain can’t be claimed; undefined when it can. */
export function domainFault(domain: string, { host }: Pick<PortalNames, 'host'>): string | undefined {
  const own = [host, 'localhost'].some((name) => isBelow(domain, name));
  if (own) return `${domain} belongs to the portal. Choose a domain of your own, or a sub-domain.`;
  const { isIp } = parse(domain);
  if (isIp) return `${domain} is an IP address. Enter a host name, such as portal.example.com.`;
  if (!domain.includes('.')) return `${domain} is not a full host name. Enter one such as portal.example.com.`;
  // Includes suffixes of hosting providers, such as github.io.
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) === domain)
    return `${domain} is a public suffix that many organisations share. Choose a name of your own below it.`;
  return undefined;
}

/** Reason why partners can’t send from this address; undefined when its domain can be claimed. */
export function senderFault(address: string, portal: PortalNames): string | undefined {
  const domain = domainOf(address);
  if (isBelow(domain, portal.mailDomain)) return `${domain} belongs to the portal. Choose an address of your own domain.`;
  return domainFault(domain, portal);
}

interface Proof {
  verified_at: Date | null;
  failing_since: Date | null;
}

/** Validation message of a DNS response; undefined when the expected record exists. */
export function faultOfAnswer(answer: TxtAnswer, { domain, token }: { domain: string; token: string }): string | undefined {
  if ('fault' in answer) return answer.fault;
  const expected = recordValueOf(token);
  if (answer.values.some((value) => value.trim() === expected)) return undefined;
  const found = answer.values.length === 1 ? 'A TXT record was found' : `${answer.values.length} TXT records were found`;
  const which = answer.values.length === 1 ? 'it does not have' : 'none of them has';
  return `${found} at ${recordNameOf(domain)}, but ${which} the expected value.`;
}

/** Claim after a check: verified, failing within its grace period, or unverified again. */
export function afterCheck(before: Proof, fault: string | undefined, now: Date) {
  if (fault === undefined) return { verified_at: before.verified_at ?? now, failing_since: null, noticed_at: null, error: '' };
  if (before.verified_at === null) return { error: fault };
  const failing = before.failing_since ?? now;
  if (now.getTime() - failing.getTime() >= graceMs) return { verified_at: null, failing_since: null, error: fault };
  return { failing_since: failing, error: fault };
}

interface ClaimRow extends Proof {
  domain: string;
  token: string;
  vouched_by: number | null;
  accepted_until: Date | null;
  checked_at: Date | null;
  error: string;
  is_proven: boolean;
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null;

export function stateOf(row: ClaimRow): DomainState {
  if (row.verified_at === null) return row.is_proven ? 'accepted' : 'unverified';
  if (row.vouched_by !== null) return 'vouched';
  if (row.failing_since === null) return 'verified';
  return row.is_proven ? 'failing' : 'unverified';
}

/** End of a domain’s use unless it is verified before; null when there is none. */
export function endOf(row: Pick<ClaimRow, 'verified_at' | 'failing_since' | 'accepted_until'>): Date | null {
  if (row.failing_since) return new Date(row.failing_since.getTime() + graceMs);
  return row.verified_at ? null : row.accepted_until;
}

export const claimOf = (row: ClaimRow, uses: ClaimedDomain['uses']): ClaimedDomain => ({
  domain: row.domain,
  uses,
  state: stateOf(row),
  isInUse: row.is_proven,
  recordName: recordNameOf(row.domain),
  recordValue: recordValueOf(row.token),
  verifiedAt: text(row.verified_at),
  failingSince: text(row.failing_since),
  endsAt: text(endOf(row)),
  checkedAt: text(row.checked_at),
  error: row.error,
});
