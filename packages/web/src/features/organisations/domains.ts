/** Labels of a claimed domain’s state and use. */
import type { ClaimedDomain } from '@parapet/contract/domains.ts';
import { dateText } from '../../kit/time.ts';

export function stateText({ state, verifiedAt, failingSince, endsAt }: ClaimedDomain, timeZone: string): string {
  const day = (at: string | null) => (at ? dateText(Date.parse(at), timeZone) : '');
  switch (state) {
    case 'verified':
      return `Verified on ${day(verifiedAt)}`;
    case 'vouched':
      return 'Vouched for by the Host';
    case 'failing':
      return `Failing since ${day(failingSince)}, in use until ${day(endsAt)}`;
    case 'accepted':
      return `Unverified, in use until ${day(endsAt)}`;
    case 'unverified':
      return 'Unverified';
  }
}

export function usageText({ uses, isInUse }: Pick<ClaimedDomain, 'uses' | 'isInUse'>): string {
  const isFor = uses.map((use) => (use === 'links' ? 'the portal’s address and links' : 'the sender’s address')).join(' and ');
  if (isInUse) return `Used for ${isFor || 'nothing'}.`;
  const instead = uses.map((use) =>
    use === 'links' ? 'links lead to the sub-domain' : 'emails come from the portal’s own address',
  );
  return `Claimed for ${isFor}. Until the record below is found, ${instead.join(' and ')}.`;
}
