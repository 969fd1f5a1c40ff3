/** Items of an agreement by measure, as a form has them. */
import type { BillingLine } from '@parapet/contract/billing.ts';
import { type BillingMeasure, billingMeasureValues } from '@parapet/contract/rules/billing.ts';

/** Agreement and item with a slash between; empty for none. */
export type ItemValues = Record<BillingMeasure, string>;

interface Offered {
  id: string;
  items: readonly { id: string }[];
}

/** Items that ended are left out: the form does not offer them. */
export function valuesOf(lines: readonly BillingLine[], agreements: readonly Offered[]): ItemValues {
  const offered = new Set(agreements.flatMap(({ id, items }) => items.map((item) => `${id}/${item.id}`)));
  const chosen = new Map(lines.map(({ measure, agreementId, itemId }) => [measure, `${agreementId}/${itemId}`]));
  return Object.fromEntries(
    billingMeasureValues.map((measure) => {
      const value = chosen.get(measure) ?? '';
      return [measure, offered.has(value) ? value : ''];
    }),
  ) as ItemValues;
}

export const chosenLines = (values: ItemValues) =>
  billingMeasureValues.flatMap((measure) => {
    const [agreementId = '', itemId = ''] = values[measure].split('/');
    return itemId === '' ? [] : [{ measure, agreementId, itemId }];
  });
