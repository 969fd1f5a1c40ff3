/** Raw events by search, device, user, fields and time, with a timeline of hits. Each search is audited, so the text is sent on Enter. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { Problem } from '@parapet/contract/problem.ts';
import { kqlLimits } from '@parapet/contract/rules/kql/ast.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FilterChip } from '../../../kit/FilterChips.tsx';
import { Note } from '../../../kit/Note.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { absoluteTime, shortTime } from '../../../kit/time.ts';
import { ListTable } from '../../../lib/ListTable.tsx';
import type { ListFilter } from '../../../lib/listFilters.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { useListState } from '../../../lib/useListState.ts';
import { ViewsMenu } from '../../views/ViewsMenu.tsx';
import {
  type EventSearch,
  errorOfSearch,
  eventList,
  eventSearchOf,
  filterOf,
  isOverAge,
  rangeOf,
  unmatchedText,
} from '../eventSearch.ts';
import { eventsQuery, pageSize, timelineQuery } from '../events.queries.ts';
import { EventSidePanel } from '../parts/EventSidePanel.tsx';
import { EventTimeline } from '../parts/EventTimeline.tsx';
import { EventCard, eventColumns } from '../parts/eventColumns.tsx';

import { OlderPager } from '../parts/OlderPager.tsx';
import { SearchHelp } from '../parts/SearchHelp.tsx';

export function SearchTab() {
  const { client, range: timeframe, timeZone } = useScope();
  const list = useListState(eventList);
  const search = useMemo(() => eventSearchOf(list.state), [list.state]);
  const [held, renew] = useHeldRange(timeframe, `${client} ${list.filterKey}`);
  const range = useMemo(() => rangeOf(held, search.narrowed), [held, search.narrowed]);
  const isByArrival = search.by === 'arrived';
  const events = useQuery(eventsQuery(client, range, search));
  const hits = useQuery(timelineQuery(client, range, search));
  const keptDays = hits.data?.keptDays;
  const rows = events.data?.results.slice(0, pageSize);
  const hasClients = client === 0;
  const columns = useMemo(() => eventColumns({ timeZone, hasClients, isByArrival }), [timeZone, hasClients, isByArrival]);
  const addField = (field: string) => list.set({ field: [...new Set([...search.field, field])] });
  const pick = (path: string, value: unknown) => {
    const found = filterOf(path, value);
    if (found === undefined) toast.info('This value can’t be used as a filter');
    else addField(found);
  };

  return (
    <>
      <Limits range={range} keptDays={isByArrival ? keptDays : undefined} timeZone={timeZone} />
      <Box sx={{ mb: 2 }}>
        <EventTimeline
          client={client}
          range={range}
          search={search}
          timeZone={timeZone}
          onNarrow={({ start, end }) => list.set({ from: start, until: end })}
        />
      </Box>
      <ListTable
        // Columns are stored separately: by arrival, the time of arrival is shown.
        key={search.by}
        id={isByArrival ? 'events-arrived' : 'events'}
        label="Events"
        list={list}
        query={{ ...events, error: withHint(events.error), data: rows && { results: rows } }}
        columns={columns}
        rowId={(row) => row.id}
        card={(row, onPreview) => <EventCard row={row} timeZone={timeZone} onPreview={onPreview} />}
        panel={(panel) => <EventSidePanel {...panel} timeZone={timeZone} onPick={pick} />}
        views={EventViews}
        pager={
          <OlderPager
            what="events"
            list={list}
            oldest={rows?.length === pageSize ? rows.at(-1) : undefined}
            onRepeat={() => {
              renew();
              void events.refetch();
              void hits.refetch();
            }}
          />
        }
        toolbar={
          <>
            <SearchField
              value={search.search}
              onChange={(text) => text !== search.search && list.set({ search: text })}
              label="Search events, then Enter"
              placeholder="user.name: alice and not event.code: 4624"
              maxLength={kqlLimits.length}
              errorOf={errorOfSearch}
              hasShortcut
              isOnEnter
              width={520}
            />
            <SearchHelp />
          </>
        }
        filters={filters}
        chips={timeChips(search, timeZone, list.set)}
        end={
          search.after && {
            title: 'No older events',
            text: 'The search ends here.',
            actions: (
              <Button variant="outlined" size="small" onClick={() => list.set({ by: search.by })}>
                Go to newest
              </Button>
            ),
          }
        }
        noMatch={`${unmatchedText(search.search, hits.data?.unmatched ?? [])}Raw events are kept for ${keptDays ?? 30} days; alerts keep copies of theirs for longer. Remove a filter or select another time.`}
        empty={{
          title: 'No events in this timeframe',
          text: `Raw events are kept for ${keptDays ?? 30} days. Select a newer timeframe, or check the state of the data sources.`,
        }}
      />
    </>
  );
}

/** One set of views for both column layouts. */
const EventViews = (look: Omit<Parameters<typeof ViewsMenu>[0], 'list'>) => <ViewsMenu {...look} list="events" />;

const filters: ListFilter[] = [
  { name: 'search', label: 'Search' },
  { name: 'text', label: 'Text' },
  { name: 'device', label: 'Device' },
  { name: 'user', label: 'User' },
  { name: 'field', label: 'Field' },
];

interface LimitsProps {
  range: ReturnType<typeof rangeOf>;
  /** Of a search by arrival. */
  keptDays: number | undefined;
  timeZone: string;
}

/** Notes about times that are not, or only partly, searched. */
function Limits({ range, keptDays, timeZone }: LimitsProps) {
  return (
    <>
      {keptDays !== undefined && isOverAge(range, keptDays, Date.now()) && (
        <Box sx={{ mb: 2 }}>
          <Note>
            Raw events are kept for {keptDays} days, so some or all that arrived in this time are deleted. The reconciliation
            keeps their numbers.
          </Note>
        </Box>
      )}
      {range.isCut && (
        <Box sx={{ mb: 2 }}>
          <Note>
            A search covers at most {maxSearchDays} days: here the newest, from {absoluteTime(Date.parse(range.start), timeZone)}.
            For older events select a timeframe that ends earlier, such as Last Month.
          </Note>
        </Box>
      )}
    </>
  );
}

/** Adds how to speed up a search that timed out. */
function withHint(error: Error | null): Error | null {
  if (!(error instanceof Problem) || error.code !== 'unavailable') return error;
  return new Error(`${error.message} A device, a user, a field with its whole value or a shorter time makes a search faster.`);
}

function timeChips({ by, narrowed }: EventSearch, timeZone: string, set: (patch: Query) => void): FilterChip[] {
  const chip = (key: string, name: string, value: string, clear: Query) => ({ key, name, value, onRemove: () => set(clear) });
  return [
    ...(by === 'arrived' ? [chip('by', 'Time', 'of arrival', { by: undefined })] : []),
    ...(narrowed
      ? [
          chip('time', by === 'arrived' ? 'Arrived' : 'Time', timeText(narrowed, timeZone), {
            from: undefined,
            until: undefined,
          }),
        ]
      : []),
  ];
}

/** "21 Nov 09:00 to 09:30", with the second day where that is another. */
function timeText({ start, end }: Range, timeZone: string): string {
  const text = (at: string, unit: 'day' | 'minute') => shortTime(Date.parse(at), unit, timeZone);
  const [first, last] = [text(start, 'day'), text(end, 'day')];
  return `${first} ${text(start, 'minute')} to ${first === last ? '' : `${last} `}${text(end, 'minute')}`;
}
