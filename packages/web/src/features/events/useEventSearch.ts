/** Event search of the address: its page of events and its counts over time. */
import { type Condition, withCondition } from '@parapet/contract/rules/kql/edit.ts';
import { useMemo } from 'react';
import { useScope } from '../../lib/scope.ts';
import { toast } from '../../lib/toast.ts';
import { useHeldRange } from '../../lib/useHeldRange.ts';
import { useListState } from '../../lib/useListState.ts';
import { eventList, eventSearchOf, rangeOf } from './eventSearch.ts';
import { eventsSlices, pageSize, rowsOf, timelineSlices } from './events.queries.ts';
import { useLiveEvents } from './useLiveEvents.ts';
import { useSlices } from './useSlices.ts';

export function useEventSearch() {
  const { client, range: timeframe } = useScope();
  const list = useListState(eventList);
  const search = useMemo(() => eventSearchOf(list.state), [list.state]);
  const [held, renew] = useHeldRange(timeframe, `${client} ${list.filterKey}`);
  const range = useMemo(() => rangeOf(held, search.narrowed), [held, search.narrowed]);
  const events = useSlices(eventsSlices(client, range, search));
  const hits = useSlices(timelineSlices(client, range, search));
  const page = events.found && rowsOf(events.found).slice(0, pageSize);
  // Arriving events are the newest of the first page.
  const canBeLive = search.order === 'newest' && !search.after && search.query === undefined;
  const live = useLiveEvents(client, search, list.state.live === true && canBeLive);
  const repeat = () => {
    renew();
    events.refetch();
    hits.refetch();
  };
  const addCondition = (condition: Condition | undefined) => {
    const found = condition && withCondition(search.search, condition);
    if (found === undefined) toast.info('This value can’t be used in a search');
    else list.set({ search: found });
  };
  return {
    client,
    list,
    search,
    range,
    events,
    hits,
    page,
    live,
    canBeLive,
    repeat,
    addCondition,
    keptDays: hits.found?.at(-1)?.keptDays,
  };
}
