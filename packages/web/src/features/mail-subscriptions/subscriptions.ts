/** Filtering and updates of the subscription grid. */
import { type SubscriptionKind, type SubscriptionRow, subscriptionKindValues } from '@parapet/contract/mailSubscriptions.ts';

/** Adds or removes a kind; the result is in the contract’s order. */
export const withKind = (kinds: readonly SubscriptionKind[], kind: SubscriptionKind, isOn: boolean): SubscriptionKind[] =>
  subscriptionKindValues.filter((each) => (each === kind ? isOn : kinds.includes(each)));

/** Users whose name, email address or organisation contains every word of the text. */
export function matching(rows: readonly SubscriptionRow[], text: string): readonly SubscriptionRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ displayName, emailAddress, clientOrganizationName }) => {
    const all = `${displayName}\n${emailAddress}\n${clientOrganizationName}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
