/** Who gets which mails without having chosen, who may get those of a case, and the signed tokens that end one kind. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { groupsOf, hasClientSelector, may, type RoleHolder } from '@parapet/contract/access.ts';
import { type SubscriptionKind, subscriptionKindValues } from '@parapet/contract/mailSubscriptions.ts';

const ofStaff: readonly SubscriptionKind[] = ['case.assigned', 'case.escalated'];
const ofApprovers: readonly SubscriptionKind[] = ['response.approval'];
const ofManagers: readonly SubscriptionKind[] = ['digest.weekly'];

/** What the role gets until its holder chooses. */
export const defaultKinds = (who: RoleHolder): readonly SubscriptionKind[] => [
  ...(groupsOf(who).includes('staff') ? ofStaff : who.role === 'Manager' ? ofManagers : []),
  ...(may(who, 'responses:write') ? ofApprovers : []),
];

/** What was chosen counts before what the role gets. */
export function kindsOf(who: RoleHolder, chosen: readonly { kind: SubscriptionKind; isOn: boolean }[]): SubscriptionKind[] {
  const choice = new Map(chosen.map(({ kind, isOn }) => [kind, isOn]));
  const defaults = defaultKinds(who);
  return subscriptionKindValues.filter((kind) => choice.get(kind) ?? defaults.includes(kind));
}

/** Whether somebody of the case's organisation or of its partner may read the case, and so be told of it. */
export const maySeeCasesOf = (who: RoleHolder, organisationId: number): boolean =>
  may(who, 'cases:read') && (who.organisationId === organisationId || hasClientSelector(who));

export interface UnsubscribeTokens {
  issue(userId: number, kind: SubscriptionKind): string;
  /** Undefined where it was not issued here. */
  read(token: string): { userId: number; kind: SubscriptionKind } | undefined;
}

/** Signed instead of stored: a mail's link works as long as the mail lies about, and for nothing else. */
export function createUnsubscribeTokens(key: Buffer): UnsubscribeTokens {
  const signed = (about: string) => createHmac('sha256', key).update(about).digest();
  return {
    issue: (userId, kind) => `${userId}-${kind}-${signed(`${userId}-${kind}`).toString('base64url')}`,
    read(token) {
      const [, about, user, kind, mac] = /^((\d{1,10})-([a-z.]{1,40}))-([\w-]{43})$/.exec(token) ?? [];
      if (about === undefined || mac === undefined) return undefined;
      const given = Buffer.from(mac, 'base64url');
      const wanted = signed(about);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
      return { userId: Number(user), kind: kind as SubscriptionKind };
    },
  };
}
