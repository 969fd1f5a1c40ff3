/**
 * What stands behind a number of the balance sheet. Alerts by what became of them, on the sheet's own UTC days; of events, which count by
 * when they arrived, the nearest there is.
 */
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { paths } from '../../lib/paths.ts';
import { type Count, instantsOf } from './balance.ts';

export interface Where {
  client: number;
  timeframe: Month;
  /** Only this day, or these: 2026-10-01..2026-10-31. */
  date?: string | undefined;
}

export function balanceDoor(name: Count | 'dropped', { client, timeframe, date }: Where): string {
  switch (name) {
    case 'received':
    case 'stored':
      return paths.events({ client, timeframe, ...(date && !date.includes('..') ? instantsOf(date) : {}) });
    case 'duplicate':
    case 'dropped':
    case 'dead':
      return paths.agents({ client });
    default:
      return paths.alerts(client, { timeframe, on: date && `${date}Z`, fate: name === 'raised' ? undefined : name });
  }
}

/** Where a number is not how many rows the page behind it has. */
export const doorNotes: Partial<Record<Count | 'dropped', string>> = {
  duplicate: 'Came again and was kept once. The page shows what came in since yesterday',
  dropped: 'Was not kept, so there are no rows. The page shows what came in since yesterday, by reason',
  dead: 'Kept aside. The page shows what came in since yesterday, by reason',
  raised: 'The list has each alert once; its repeats are counted here too',
  folded: 'The alerts with repeats: the counts in the list, less one each, add up to this',
};
