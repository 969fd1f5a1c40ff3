/** Dead letters: input that could not be parsed as an event, stored with the reason. */
import Box from '@mui/material/Box';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { reasonLabel } from '../../../lib/intake.ts';
import { ListTable } from '../../../lib/ListTable.tsx';
import type { ListFilter } from '../../../lib/listFilters.ts';
import { useScope } from '../../../lib/scope.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { useListState } from '../../../lib/useListState.ts';
import { isOverAge } from '../eventSearch.ts';
import { asideQuery, pageSize } from '../events.queries.ts';
import { deadLetterList } from '../intakeRows.ts';
import { DeadLetterSidePanel } from '../parts/DeadLetterSidePanel.tsx';
import { AsideCard, deadLetterColumns } from '../parts/deadLetterColumns.tsx';
import { OlderPager } from '../parts/OlderPager.tsx';

export function DeadLettersTab() {
  const { client, range: timeframe, timeZone } = useScope();
  const list = useListState(deadLetterList);
  const [range, renew] = useHeldRange(timeframe, `${client} ${list.filterKey}`);
  const letters = useQuery(asideQuery(client, range, list.query));
  const { data } = letters;
  const hasClients = client === allClients;
  const columns = useMemo(() => deadLetterColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const oldest = data && data.results.length >= pageSize ? data.results.at(-1) : undefined;
  const isPartExpired = data !== undefined && list.state.query === undefined && isOverAge(range, data.keptDays, Date.now());
  const filters: ListFilter[] = [
    {
      name: 'reason',
      label: 'Reason',
      none: 'None in this timeframe',
      textOf: reasonLabel,
      options: (data?.reasons ?? []).map(({ reason, count }) => ({
        value: reason,
        text: reasonLabel(reason),
        label: `${reasonLabel(reason)} (${exact(count)})`,
      })),
    },
  ];

  return (
    <>
      {isPartExpired && (
        <Box sx={{ mb: 2 }}>
          <Note>
            Unprocessed events are kept for {data.keptDays} days: older ones are deleted. The reconciliation keeps their numbers.
          </Note>
        </Box>
      )}
      <ListTable
        id="events-aside"
        label="Unprocessed"
        noun="unprocessed events"
        list={list}
        query={letters}
        columns={columns}
        rowId={(row) => row.id}
        card={(row, onPreview) => <AsideCard row={row} timeZone={timeZone} onPreview={onPreview} />}
        panel={(panel) => <DeadLetterSidePanel {...panel} timeZone={timeZone} />}
        pager={
          <OlderPager
            what="rows"
            list={list}
            oldest={oldest && { id: oldest.id, at: oldest.receivedAt }}
            onRepeat={() => {
              renew();
              void letters.refetch();
            }}
          />
        }
        news={
          data && (
            <span style={{ fontSize: 13 }}>
              {exact(data.total)}
              {data.isAtLeast && '+'} unprocessed
            </span>
          )
        }
        filters={filters}
        end={list.state.before !== undefined && { title: 'No older unprocessed events', text: 'The list ends here.' }}
        noMatch="Remove the filter or select another timeframe."
        empty={
          isPartExpired
            ? {
                title: 'Unprocessed events of this timeframe are deleted',
                text: 'Select a newer timeframe. The intake keeps their numbers.',
              }
            : { title: 'No unprocessed events in this timeframe', text: 'All input was parsed.' }
        }
      />
    </>
  );
}
