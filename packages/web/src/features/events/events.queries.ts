/** Raw events, made from the contract. A search leaves a row in the audit log: it is asked for again only when its reader wants that. */

import { eventsApi } from '@parapet/contract/events.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { EventSearch } from './eventSearch.ts';
import type { AsideSearch } from './intakeRows.ts';

export const pageSize = 50;

const asked = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const;

const filtersOf = ({ text, device, user, field, by }: EventSearch) => ({
  by,
  text,
  device: device || undefined,
  user: user || undefined,
  field,
});

export const eventsQuery = (client: number, { start, end }: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.search, {
    params: { client, start, end },
    query: { ...filtersOf(search), pageSize, ...search.after },
  }),
  ...asked,
});

export const timelineQuery = (client: number, { start, end }: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.timeline, { params: { client, start, end }, query: filtersOf(search) }),
  ...asked,
});

export const asideQuery = (client: number, { start, end }: Range, { reason, after }: AsideSearch) => ({
  ...queryOptionsOf(eventsApi.keptAside, { params: { client, start, end }, query: { reason, pageSize, ...after } }),
  ...asked,
});

/** What the balance sheet has. */
export const intakeQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(balanceApi.get, { params: { client, start, end } });
