/** Queries of raw events. Each search writes an audit entry, so queries refetch only on request. */
import { eventsApi } from '@parapet/contract/events.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import type { ListQuery } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { afterOf, type EventSearch } from './eventSearch.ts';
import type { deadLetterList } from './intakeRows.ts';

export const pageSize = 50;

const onRequest = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const;

const filtersOf = ({ search, text, device, user, field, by, query }: EventSearch) => ({
  by,
  search,
  text,
  device: device || undefined,
  user: user || undefined,
  field,
  query,
});

export const eventsQuery = (client: number, { start, end }: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.search, {
    params: { client, start, end },
    query: { ...filtersOf(search), pageSize, ...search.after },
  }),
  ...onRequest,
});

export const timelineQuery = (client: number, { start, end }: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.timeline, { params: { client, start, end }, query: filtersOf(search) }),
  ...onRequest,
});

export const asideQuery = (
  client: number,
  { start, end }: Range,
  { reason, query, ...place }: ListQuery<typeof deadLetterList>,
) => ({
  ...queryOptionsOf(eventsApi.keptAside, {
    params: { client, start, end },
    query: { reason, query, pageSize, ...afterOf(place) },
  }),
  ...onRequest,
});

/** Intake per day and outcome, of the reconciliation. */
export const intakeQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(balanceApi.get, { params: { client, start, end } });
