/** Effective email subscriptions, access to case emails, and signed unsubscribe tokens. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hasClientSelector, may, type RoleHolder } from '@parapet/contract/access.ts';
import { type SubscriptionKind, subscriptionKindValues } from '@parapet/contract/mailSubscriptions.ts';
import { defaultKinds } from '../../domain/mailDefaults.ts';

/** Effective subscriptions: explicit choices take precedence over the role’s defaults. */
export function kindsOf(who: RoleHolder, chosen: readonly { kind: SubscriptionKind; isOn: boolean }[]): SubscriptionKind[] {
  const choice = new Map(chosen.map(({ kind, isOn }) => [kind, isOn]));
  const defaults = defaultKinds(who);
  return subscriptionKindValues.filter((kind) => choice.get(kind) ?? defaults.includes(kind));
}

/** True when a user of the organisation or its partner may read its cases and so receive emails subject them. */
export const maySeeCasesOf = (who: RoleHolder, organisationId: number): boolean =>
  may(who, 'cases:read') && (who.organisationId === organisationId || hasClientSelector(who));

export interface UnsubscribeTokens {
  issue(userId: number, kind: SubscriptionKind): string;
  /** Content of a valid token; undefined for a forged one. */
  read(token: string): { userId: number; kind: SubscriptionKind } | undefined;
}

/** Signed instead of stored, so that the link in an email never expires and grants nothing else. */
export function createUnsubscribeTokens(key: Buffer): UnsubscribeTokens {
  const signed = (subject: string) => createHmac('sha256', key).update(subject).digest();
  return {
    issue: (userId, kind) => `${userId}-${kind}-${signed(`${userId}-${kind}`).toString('base64url')}`,
    read(token) {
      const [, subject, user, kind, mac] = /^((\d{1,10})-([a-z.]{1,40}))-([\w-]{43})$/.exec(token) ?? [];
      if (subject === undefined || mac === undefined) return undefined;
      const given = Buffer.from(mac, 'base64url');
      const expected = signed(subject);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      return { userId: Number(user), kind: kind as SubscriptionKind };
    },
  };
}
