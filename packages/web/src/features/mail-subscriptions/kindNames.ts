/** Names of email kinds for the guest page. Importing the contract’s list would add its schemas to the guest bundle. */
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';

export const kindNames: Record<SubscriptionKind, string> = {
  'case.assigned': 'A case was assigned to me',
  'case.escalated': 'A case was escalated',
  'case.closed': 'A case was closed',
  'case.breached': 'A target is about to be missed',
  'response.approval': 'A response waits for my approval',
  'digest.daily': 'Daily digest',
  'digest.weekly': 'Weekly digest',
};
