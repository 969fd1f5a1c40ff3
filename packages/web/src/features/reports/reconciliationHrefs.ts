/**
 * What stands behind a number of the balance sheet, on the sheet's own UTC days: events by when they arrived, and what became of those that
 * have no rows; alerts by what became of them. None for a reader who may not see them.
 */
import type { Permission } from '@parapet/contract/access.ts';
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { outcomeHref } from '../../lib/intake.ts';
import { paths } from '../../lib/paths.ts';
import type { Count } from './balance.ts';

export interface Where {
  client: number;
  timeframe: Month;
  /** Only this day, or these: 2026-10-01..2026-10-31. */
  date?: string | undefined;
}

export type May = (permission: Permission) => boolean;

export function reconciliationHref(name: Count | 'dropped', { client, timeframe, date }: Where, may: May): string | undefined {
  switch (name) {
    case 'received':
    case 'stored':
    case 'duplicate':
    case 'dropped':
    case 'dead':
      return may('events:read') ? outcomeHref(name, { client, timeframe, date }) : undefined;
    default:
      return may('alerts:read')
        ? paths.alerts(client, { timeframe, on: date && `${date}Z`, fate: name === 'raised' ? undefined : name })
        : undefined;
  }
}

/** Where a number is not how many rows the page behind it has. */
export const doorNotes: Partial<Record<Count | 'dropped', string>> = {
  duplicate: 'Came again and was kept once: counted by day, without rows of their own',
  raised: 'The list has each alert once; its repeats are counted here too',
  folded: 'The alerts with repeats: the counts in the list, less one each, add up to this',
};
