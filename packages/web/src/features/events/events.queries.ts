/** Queries of raw events. Each search is audited, so it is repeated only on request. */
import { eventsApi } from '@parapet/contract/events.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import type { ListQuery } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { afterOf, type EventSearch } from './eventSearch.ts';
import type { deadLetterList } from './intakeRows.ts';

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

export const asideQuery = (client: number, { start, end }: Range, { reason, ...place }: ListQuery<typeof deadLetterList>) => ({
  ...queryOptionsOf(eventsApi.keptAside, { params: { client, start, end }, query: { reason, pageSize, ...afterOf(place) } }),
  ...asked,
});

/** Intake per day and outcome, of the reconciliation. */
export const intakeQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(balanceApi.get, { params: { client, start, end } });
