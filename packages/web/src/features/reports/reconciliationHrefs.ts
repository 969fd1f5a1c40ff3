/**
 * Links from numbers of the reconciliation to their rows on the same UTC days: events by arrival, outcomes of events without rows, alerts
 * by disposition. Undefined without permission to see them.
 */
import type { Permission } from '@parapet/contract/access.ts';
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { outcomeHref } from '../../lib/intake.ts';
import { paths } from '../../lib/paths.ts';
import type { Count } from './balance.ts';

export interface Where {
  client: number;
  timeframe: Month;
  /** Day or range of days: 2026-10-01..2026-10-31. */
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

/** Tooltips for numbers that differ from the row count of the linked list. */
export const linkNotes: Partial<Record<Count | 'dropped', string>> = {
  duplicate: 'Duplicates are counted by day and have no rows of their own',
  raised: 'The list shows each alert once; repeats are included here',
  folded: 'Repeats of the listed alerts, each alert’s count less one',
};
