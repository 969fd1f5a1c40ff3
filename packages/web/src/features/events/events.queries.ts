/** Queries of raw events. Each search writes an audit entry, so queries refetch only on request. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type EventRow, eventsApi } from '@parapet/contract/events.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { call } from '../../lib/call.ts';
import type { ListQuery } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { type TimelineSlice, totalOf } from './eventCounts.ts';
import { afterOf, type EventSearch } from './eventSearch.ts';
import type { deadLetterList } from './intakeRows.ts';
import type { SlicesOptions } from './useSlices.ts';

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

const searchInput = (client: number, { start, end }: Range, search: EventSearch) => ({
  params: { client, start, end },
  query: { ...filtersOf(search), order: search.order, pageSize, ...search.after },
});

export const eventsQuery = (client: number, range: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.search, searchInput(client, range, search)),
  ...onRequest,
});

/** The events of a page, slice by slice until it is full. */
export const eventsSlices = (client: number, range: Range, search: EventSearch): SlicesOptions<EventsSlice> => {
  const { params, query } = searchInput(client, range, search);
  return {
    first: eventsQuery(client, range, search),
    next: (before, _found, signal) =>
      call(eventsApi.search, { params, query: { ...query, before, beforeID: undefined } }, { signal }),
    isEnough: (found) => rowsOf(found).length >= pageSize,
  };
};

type EventsSlice = AnswerOf<typeof eventsApi.search>;
export const rowsOf = (found: readonly EventsSlice[]) => found.flatMap(({ results }) => results);

const timelineInput = (client: number, { start, end }: Range, search: EventSearch) => ({
  params: { client, start, end },
  query: filtersOf(search),
});

export const timelineQuery = (client: number, range: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.timeline, timelineInput(client, range, search)),
  ...onRequest,
});

export const timelineSlices = (client: number, range: Range, search: EventSearch): SlicesOptions<TimelineSlice> => {
  const { params, query } = timelineInput(client, range, search);
  return {
    first: timelineQuery(client, range, search),
    next: (before, found, signal) =>
      call(eventsApi.timeline, { params, query: { ...query, before, counted: totalOf(found) } }, { signal }),
  };
};

export const fieldsQuery = (client: number, { start, end }: Range, search: EventSearch) => ({
  ...queryOptionsOf(eventsApi.fields, { params: { client, start, end }, query: filtersOf(search) }),
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

export const alertsOfEventQuery = ({ clientOrganizationID, id, at }: EventRow) =>
  queryOptionsOf(alertsApi.ofEvent, { params: { client: clientOrganizationID, event: id, at } });

/** Intake per day and outcome, of the reconciliation. */
export const intakeQuery = (client: number, { start, end }: Range) =>
  queryOptionsOf(balanceApi.get, { params: { client, start, end } });
