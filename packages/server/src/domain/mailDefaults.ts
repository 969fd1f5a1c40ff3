/** Emails that users receive unless they choose otherwise. */
import { groupsOf, may, type RoleHolder } from '@parapet/contract/access.ts';
import type { SubscriptionKind } from '@parapet/contract/mailSubscriptions.ts';

const staffKinds: readonly SubscriptionKind[] = ['case.assigned', 'case.escalated'];
const approverKinds: readonly SubscriptionKind[] = ['response.approval'];
const managerKinds: readonly SubscriptionKind[] = ['digest.weekly'];

/** Default subscriptions of a role. */
export const defaultKinds = (who: RoleHolder): readonly SubscriptionKind[] => [
  ...(groupsOf(who).includes('staff') ? staffKinds : who.role === 'Manager' ? managerKinds : []),
  ...(may(who, 'responses:write') ? approverKinds : []),
];
