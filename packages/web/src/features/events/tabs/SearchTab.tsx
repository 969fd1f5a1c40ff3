/**
 * Raw events by text, device, user, fields and time, with the timeline of hits. It stands in the address whole. Each search is audited, so
 * nothing is asked for while somebody still types.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { Problem } from '@parapet/contract/problem.ts';
import type { Range } from '@parapet/contract/rules/timeframe.ts';
import { maxSearchDays } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { type FilterChip, FilterChips } from '../../../kit/FilterChips.tsx';
import { Note } from '../../../kit/Note.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { EmptyState } from '../../../kit/States.tsx';
import { absoluteTime, shortTime } from '../../../kit/time.ts';
import { useSearchState } from '../../../lib/address.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { ViewsMenu } from '../../views/ViewsMenu.tsx';
import { type EventSearch, eventSearchIn, filterOf, isFiltered, isOverAge, rangeOf } from '../eventSearch.ts';
import { eventsQuery, pageSize, timelineQuery } from '../events.queries.ts';
import { EventSidePanel } from '../parts/EventSidePanel.tsx';
import { EventTimeline } from '../parts/EventTimeline.tsx';
import { EventCard, eventColumns } from '../parts/eventColumns.tsx';
import { FieldFilter } from '../parts/FieldFilter.tsx';
import { OlderPager } from '../parts/OlderPager.tsx';

const none = {
  text: undefined,
  device: undefined,
  user: undefined,
  field: undefined,
  from: undefined,
  until: undefined,
  by: undefined,
};
const firstPage = { before: undefined, beforeID: undefined };

export function SearchTab() {
  const { client, range: timeframe, timeZone } = useScope();
  const { search: address, change } = useSearchState();
  const key = JSON.stringify(address);
  const search = useMemo(() => eventSearchIn(JSON.parse(key)), [key]);
  const [held, renew] = useHeldRange(timeframe, `${client} ${JSON.stringify({ ...search, after: undefined })}`);
  const range = useMemo(() => rangeOf(held, search.narrowed), [held, search.narrowed]);
  const isByArrival = search.by === 'arrived';
  const list = useQuery(eventsQuery(client, range, search));
  const hits = useQuery(timelineQuery(client, range, search));
  const keptDays = hits.data?.keptDays;
  const rows = list.data?.results.slice(0, pageSize);
  const hasClients = client === 0;
  const columns = useMemo(() => eventColumns({ timeZone, hasClients, isByArrival }), [timeZone, hasClients, isByArrival]);
  const filter = (patch: Query) => change({ ...patch, ...firstPage, peek: undefined });
  const look = (id: string) => change({ peek: id }, { replace: true });

  const pick = (path: string, value: unknown) => {
    const found = filterOf(path, value);
    if (found === undefined) return toast.info('No filter can be made of this value');
    filter({ field: [...new Set([...search.field, found])] });
  };
  const oldest = rows?.at(-1);
  const hasOlder = rows !== undefined && rows.length >= pageSize;

  return (
    <>
      {isByArrival && keptDays !== undefined && isOverAge(range, keptDays, Date.now()) && (
        <Box sx={{ mb: 2 }}>
          <Note>
            Raw events are kept for {keptDays} days, so some or all that arrived in this time are gone. The numbers of the balance
            sheet stay.
          </Note>
        </Box>
      )}
      {range.isCut && (
        <Box sx={{ mb: 2 }}>
          <Note>
            At most {maxSearchDays} days are searched: here the newest, from {absoluteTime(Date.parse(range.start), timeZone)} on.
            For older ones choose a timeframe that ends earlier, such as Last Month.
          </Note>
        </Box>
      )}
      <Box sx={{ mb: 2 }}>
        <EventTimeline
          client={client}
          range={range}
          search={search}
          timeZone={timeZone}
          onNarrow={({ start, end }) => filter({ from: start, until: end })}
        />
      </Box>
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <DataTable
          // Its columns are kept apart: when an event arrived is shown where that is asked for.
          key={search.by}
          id={isByArrival ? 'events-arrived' : 'events'}
          label="Events"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => <EventCard row={row} timeZone={timeZone} onPreview={() => look(row.id)} />}
          total={0}
          page={1}
          pageSize={pageSize}
          onPage={() => {}}
          sort="at"
          order="desc"
          onSort={() => {}}
          isFetching={list.isFetching}
          error={tellable(list.error)}
          onRetry={() => void list.refetch()}
          peeked={address.peek}
          onPreview={(row) => look(row.id)}
          onOpen={(row) => look(row.id)}
          empty={<NoEvents search={search} keptDays={keptDays ?? 30} onClear={() => filter(none)} onNewest={() => filter({})} />}
          pager={
            <OlderPager
              hasNewer={search.after !== undefined}
              onNewest={() => filter({})}
              onAgain={() => {
                renew();
                void list.refetch();
                void hits.refetch();
              }}
              onOlder={hasOlder ? () => change({ before: oldest?.at, beforeID: oldest?.id, peek: undefined }) : undefined}
              what="events"
            />
          }
          views={(look) => <ViewsMenu list="events" {...look} />}
          toolbar={
            <>
              <SearchField
                value={search.text}
                onChange={(text) => text !== search.text && filter({ text })}
                label="Text in any field, then Enter"
                hasShortcut
                isOnEnter
                width={260}
              />
              <FieldFilter onAdd={(field) => filter({ field: [...new Set([...search.field, field])] })} />
              <FilterChips chips={chipsOf(search, timeZone, filter)} onClear={() => filter(none)} />
            </>
          }
        />
        <EventSidePanel
          id={address.peek}
          row={rows?.find((row) => row.id === address.peek)}
          isLoading={rows === undefined}
          timeZone={timeZone}
          onClose={() => change({ peek: undefined }, { replace: true })}
          onPick={pick}
        />
      </Box>
    </>
  );
}

/** A search that took too long says what makes it shorter. */
function tellable(error: Error | null): Error | null {
  if (!(error instanceof Problem) || error.code !== 'unavailable') return error;
  return new Error(`${error.message} A device, a user, a field with its whole value or a shorter time makes a search faster.`);
}

function chipsOf(search: EventSearch, timeZone: string, filter: (patch: Query) => void): FilterChip[] {
  const one = (name: 'device' | 'user' | 'text', title: string) =>
    search[name] ? [{ key: name, name: title, value: search[name], onRemove: () => filter({ [name]: undefined }) }] : [];
  return [
    ...one('text', 'Text'),
    ...one('device', 'Device'),
    ...one('user', 'User'),
    ...search.field.map((field) => ({
      key: `field ${field}`,
      name: 'Field',
      value: field,
      onRemove: () => filter({ field: search.field.filter((each) => each !== field) }),
    })),
    ...(search.by === 'arrived'
      ? [{ key: 'by', name: 'Time', value: 'of arrival', onRemove: () => filter({ by: undefined }) }]
      : []),
    ...(search.narrowed
      ? [
          {
            key: 'time',
            name: search.by === 'arrived' ? 'Arrived' : 'Time',
            value: timeText(search.narrowed, timeZone),
            onRemove: () => filter({ from: undefined, until: undefined }),
          },
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

interface NoEventsProps {
  search: EventSearch;
  keptDays: number;
  onClear: () => void;
  onNewest: () => void;
}

function NoEvents({ search, keptDays, onClear, onNewest }: NoEventsProps) {
  if (search.after) {
    return (
      <EmptyState
        title="Nothing older was found"
        text="The search ends here."
        actions={
          <Button variant="outlined" size="small" onClick={onNewest}>
            To the newest
          </Button>
        }
      />
    );
  }
  if (isFiltered(search)) {
    return (
      <EmptyState
        title="No event matches"
        text={`Raw events are kept for ${keptDays} days; alerts keep copies of theirs for longer. Take a filter away, or choose another time.`}
        actions={
          <Button variant="outlined" size="small" onClick={onClear}>
            Clear all filters
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No events in this time"
      text={`Raw events are kept for ${keptDays} days. Choose a newer timeframe, or look whether the data sources report.`}
    />
  );
}
