/** Raw events by search, device, user, fields and time, with a timeline of hits. Each search is audited, so the text is sent on Enter. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import useMediaQuery from '@mui/material/useMediaQuery';
import { allClients } from '@parapet/contract/access.ts';
import type { EventRow } from '@parapet/contract/events.ts';
import { Problem } from '@parapet/contract/problem.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { useMemo } from 'react';
import type { FilterChip } from '../../../kit/FilterChips.tsx';
import { Note } from '../../../kit/Note.tsx';
import { absoluteTime, shortTime } from '../../../kit/time.ts';
import { ListTable } from '../../../lib/ListTable.tsx';
import type { ListFilter } from '../../../lib/listFilters.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { ViewsMenu } from '../../views/ViewsMenu.tsx';
import { aroundOf, conditionOf, type EventSearch, isOverAge, type rangeOf, unmatchedText } from '../eventSearch.ts';
import { pageSize } from '../events.queries.ts';
import { EventSidePanel } from '../parts/EventSidePanel.tsx';
import { EventTimeline } from '../parts/EventTimeline.tsx';
import { ExportMenu } from '../parts/ExportMenu.tsx';
import { EventCard, eventColumns } from '../parts/eventColumns.tsx';
import { FieldsPane } from '../parts/FieldsPane.tsx';
import { LiveTools } from '../parts/LiveTools.tsx';
import { MakeRule } from '../parts/MakeRule.tsx';
import { OlderPager } from '../parts/OlderPager.tsx';
import { SearchBar } from '../parts/SearchBar.tsx';
import { SearchHelp } from '../parts/SearchHelp.tsx';
import { historyChange, SearchHistory } from '../parts/SearchHistory.tsx';
import { SearchProgress } from '../parts/SearchProgress.tsx';
import { useEventSearch } from '../useEventSearch.ts';

export function SearchTab() {
  const { timeZone } = useScope();
  const all = useEventSearch();
  const { client, list, search, range, hits, keptDays } = all;
  const isByArrival = search.by === 'arrived';
  const isBeside = useMediaQuery('(min-width: 1200px)', { noSsr: true });
  const { columns, fields: isPaneOpen } = list.state;
  const toggleColumn = (field: string) =>
    list.set({ columns: columns.includes(field) ? columns.filter((each) => each !== field) : [...columns, field] });
  return (
    <>
      <Limits range={range} keptDays={isByArrival ? keptDays : undefined} timeZone={timeZone} />
      <SearchRow all={all} timeZone={timeZone} />
      <Box sx={{ mb: 2 }}>
        <EventTimeline
          slices={hits}
          range={range}
          isByArrival={isByArrival}
          timeZone={timeZone}
          onNarrow={({ start, end }) => list.set({ from: start, until: end })}
        />
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2 }}>
        {isPaneOpen && (
          <FieldsPane
            client={client}
            range={range}
            search={search}
            isBeside={isBeside}
            columns={columns}
            onClose={() => list.set({ fields: undefined }, { replace: true })}
            onCondition={all.addCondition}
            onColumn={toggleColumn}
          />
        )}
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <EventList all={all} timeZone={timeZone} isByArrival={isByArrival} />
        </Box>
      </Box>
    </>
  );
}

interface ListProps {
  all: ReturnType<typeof useEventSearch>;
  timeZone: string;
  isByArrival: boolean;
}

function EventList({ all, timeZone, isByArrival }: ListProps) {
  const { client, list, search, events, hits, page, addCondition, keptDays } = all;
  const isOldestFirst = search.order === 'oldest';
  // Rows that may still come are no empty list.
  const found = page?.length === 0 && events.isRunning ? undefined : page;
  const rows = found && withLive(all.live.rows, found);
  const hasClients = client === allClients;
  const { columns: fields } = list.state;
  const columns = useMemo(
    () => eventColumns({ timeZone, hasClients, isByArrival, fields }),
    [timeZone, hasClients, isByArrival, fields],
  );
  const unmatched = unmatchedText(search.search, hits.found?.at(-1)?.unmatched ?? []);
  return (
    <ListTable
      // Columns are stored separately: by arrival, the time of arrival is shown.
      key={search.by}
      id={isByArrival ? 'events-arrived' : 'events'}
      label="Events"
      list={list}
      query={{
        data: rows && { results: rows },
        isFetching: events.isRunning,
        error: withHint(events.error),
        refetch: events.refetch,
      }}
      columns={columns}
      rowId={(row) => row.id}
      card={(row, onPreview) => <EventCard row={row} timeZone={timeZone} onPreview={onPreview} />}
      panel={(panel) => (
        <EventSidePanel
          {...panel}
          timeZone={timeZone}
          onPick={(path, value, isExcluded) => addCondition(conditionOf(path, value, isExcluded))}
          onAround={(row, minutes) => list.set(aroundOf(row, minutes))}
        />
      )}
      views={EventViews}
      pager={
        <OlderPager
          what="events"
          list={list}
          isOldestFirst={isOldestFirst}
          oldest={found?.length === pageSize ? found.at(-1) : undefined}
          onRepeat={all.repeat}
        />
      }
      toolbar={<SearchTools all={all} timeZone={timeZone} />}
      filters={filters}
      chips={timeChips(search, timeZone, list.set)}
      end={
        search.after && {
          title: isOldestFirst ? 'No newer events' : 'No older events',
          text: 'The search ends here.',
          actions: (
            <Button variant="outlined" size="small" onClick={() => list.set({ by: search.by })}>
              Go to {search.order}
            </Button>
          ),
        }
      }
      noMatch={`${unmatched}Raw events are kept for ${keptDays ?? 30} days; alerts keep copies of theirs for longer. Remove a filter or select another time.`}
      empty={{
        title: 'No events in this timeframe',
        text: `Raw events are kept for ${keptDays ?? 30} days. Select a newer timeframe, or check the state of the data sources.`,
      }}
    />
  );
}

/** The bar stands above its results: histogram, fields and list follow it. */
function SearchRow({ all, timeZone }: Omit<ListProps, 'isByArrival'>) {
  const { client, list, search, range } = all;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 0.5, mb: 2 }}>
      <SearchBar
        value={search.search}
        onSearch={(text) => text !== search.search && list.set({ search: text })}
        client={client}
        range={range}
      />
      <SearchHelp />
      {all.canBeLive && (
        <LiveTools
          isOn={list.state.live === true}
          live={all.live}
          onToggle={() => list.set({ live: list.state.live ? undefined : 1 }, { replace: true })}
        />
      )}
      <SearchHistory timeZone={timeZone} onApply={(query) => list.set(historyChange(query))} />
    </Box>
  );
}

function SearchTools({ all, timeZone }: Omit<ListProps, 'isByArrival'>) {
  const { client, list, search, range, events, page } = all;
  const isPaneOpen = list.state.fields === true;
  return (
    <>
      <Button
        size="small"
        color="inherit"
        aria-expanded={isPaneOpen}
        onClick={() => list.set({ fields: isPaneOpen ? undefined : 1 }, { replace: true })}
        sx={{ height: 32, color: 'text.secondary' }}
      >
        Fields
      </Button>
      <MakeRule search={search} isReady={!events.isFormer} shape={page?.[0]?.shape} />
      <ExportMenu client={client} range={range} search={search} timeZone={timeZone} />
      <SearchProgress slices={events} count={page?.length ?? 0} verb="Searched" timeZone={timeZone} />
    </>
  );
}

/** Live rows before those of the page. */
function withLive(live: readonly EventRow[], page: readonly EventRow[]): readonly EventRow[] {
  if (live.length === 0) return page;
  const ids = new Set(live.map(({ id }) => id));
  return [...live, ...page.filter(({ id }) => !ids.has(id))];
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
