/** What stands behind a number of the balance sheet. Days are UTC’s, as the sheet’s; lists of alerts and cases know the viewer’s. */
import type { Month } from '@parapet/contract/rules/timeframe.ts';
import { paths } from '../../lib/paths.ts';
import { type Count, instantsOf } from './balance.ts';

export interface Where {
  client: number;
  timeframe: Month;
  /** Only this day. */
  date?: string | undefined;
}

export function balanceDoor(name: Count | 'dropped', { client, timeframe, date }: Where): string {
  const time = { timeframe, on: date };
  switch (name) {
    case 'received':
    case 'stored':
      return paths.events({ client, timeframe, ...(date ? instantsOf(date) : {}) });
    case 'duplicate':
    case 'dropped':
    case 'dead':
      return paths.agents({ client });
    case 'raised':
    case 'shown':
    case 'folded':
      return paths.alerts(client, time);
    case 'suppressed':
      return paths.suppressions({ client });
    case 'autoClosed':
      return paths.cases(client, { ...time, status: 'closed' });
    case 'inCase':
      return paths.cases(client, time);
  }
}
