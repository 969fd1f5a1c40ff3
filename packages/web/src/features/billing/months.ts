/** Months of billing in the address and as choices. */
import { billingMonthOf, monthAfter } from '@parapet/contract/rules/billing.ts';

const monthText = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
export const monthLabel = (month: string): string => monthText.format(new Date(`${month}-01T00:00:00Z`));

/** Offered months, newest first. */
const maxMonths = 13;
export const monthsUntil = (now: number): string[] =>
  Array.from({ length: maxMonths }, (_, back) => monthAfter(billingMonthOf(now), -back));

/** Month of an address; this month for none or another one. */
export function monthIn(text: string | undefined, now: number): string {
  const months = monthsUntil(now);
  return months.find((month) => month === text) ?? months[0] ?? billingMonthOf(now);
}
