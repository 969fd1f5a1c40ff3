/** A list of the client or device over the timeframe, whose end is held until something else changes or new rows are requested. */
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { useMemo } from 'react';
import type { ListSchema } from './listSchema.ts';
import { clientLabel } from './listSubtitle.ts';
import { useScope } from './scope.ts';
import { useHeldRange } from './useHeldRange.ts';
import { useListState } from './useListState.ts';

/** Client and timeframe of a list; `device` where the path names one. */
export interface ListScope extends Range {
  client: number;
  device?: string | undefined;
}

export function useHeldList<S extends { peek?: number | undefined }>(schema: ListSchema<S>) {
  const portal = useScope();
  const { client, deviceName, timeframe, period } = portal;
  const list = useListState(schema);
  const [range, renewRange] = useHeldRange(portal.range, JSON.stringify([client, deviceName, timeframe, period, list.filterKey]));
  const scope = useMemo<ListScope>(() => ({ client, device: deviceName, ...range }), [client, deviceName, range]);
  return {
    list,
    scope,
    /** Client or device of the list, for sentences. */
    owner: deviceName ?? clientLabel(portal),
    /** False for a timeframe in the past, which gets no new rows. */
    isOngoing: Date.parse(portal.range.end) > Date.now() - 60_000,
    /** Subject and filter of a selection. */
    selectable: { subject: `${client} ${deviceName ?? ''}`, filter: JSON.stringify([scope, list.filterKey]) },
    /** Up to now, in the order of the page, from the first page on. */
    renew: () => {
      renewRange();
      list.set({ sort: undefined, order: undefined, peek: list.state.peek });
    },
  };
}

/** Options of a query whose rows change by the live stream only. */
export const heldRows = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const;
