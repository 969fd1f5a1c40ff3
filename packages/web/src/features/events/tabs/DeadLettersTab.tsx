/** What arrived and could not be read as an event: kept aside with the reason, as it was sent. It stands in the address whole. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { reasonLabel } from '../../../lib/intake.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { isOverAge } from '../eventSearch.ts';
import { asideQuery, pageSize } from '../events.queries.ts';
import { asideSearchIn } from '../intakeRows.ts';
import { DeadLetterSidePanel } from '../parts/DeadLetterSidePanel.tsx';
import { AsideCard, deadLetterColumns } from '../parts/deadLetterColumns.tsx';
import { OlderPager } from '../parts/OlderPager.tsx';

export function DeadLettersTab() {
  const { client, range: timeframe, timeZone } = useScope();
  const { search: address, change } = useSearchState();
  const key = JSON.stringify(asideSearchIn(address));
  const search = useMemo(() => JSON.parse(key) as ReturnType<typeof asideSearchIn>, [key]);
  const [range, renew] = useHeldRange(timeframe, `${client} ${search.reason.join()}`);
  const list = useQuery(asideQuery(client, range, search));
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => deadLetterColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const filter = (patch: Query) => change({ ...patch, before: undefined, beforeID: undefined, peek: undefined });
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  const oldest = rows?.at(-1);
  const hasOlder = rows !== undefined && rows.length >= pageSize;
  const keptDays = list.data?.keptDays;
  const isPartGone = keptDays !== undefined && isOverAge(range, keptDays, Date.now());

  return (
    <>
      {isPartGone && (
        <Box sx={{ mb: 2 }}>
          <Note>
            What was kept aside is kept for {keptDays} days: what arrived before is gone. The numbers of the balance sheet stay.
          </Note>
        </Box>
      )}
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <DataTable
          id="events-aside"
          label="Kept aside"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => <AsideCard row={row} timeZone={timeZone} onPreview={() => look(row.id)} />}
          total={0}
          page={1}
          pageSize={pageSize}
          onPage={() => {}}
          sort="received"
          order="desc"
          onSort={() => {}}
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          peeked={address.peek}
          onPreview={(row) => look(row.id)}
          onOpen={(row) => look(row.id)}
          empty={
            search.after ? (
              <EmptyState title="Nothing older was kept aside" text="The list ends here." />
            ) : search.reason.length > 0 ? (
              <EmptyState
                title="Nothing was kept aside for this reason"
                text="Take the filter away, or choose another time."
                actions={
                  <Button variant="outlined" size="small" onClick={() => filter({ reason: undefined })}>
                    Clear all filters
                  </Button>
                }
              />
            ) : (
              <EmptyState
                title={isPartGone ? 'Of this time nothing is left here' : 'Nothing was kept aside in this time'}
                text={
                  isPartGone
                    ? 'Choose a newer time. How much was kept aside then is among the numbers of the intake.'
                    : 'All that arrived could be read as events.'
                }
              />
            )
          }
          pager={
            <OlderPager
              what="rows"
              hasNewer={search.after !== undefined}
              onNewest={() => filter({})}
              onAgain={() => {
                renew();
                void list.refetch();
              }}
              onOlder={hasOlder ? () => change({ before: oldest?.receivedAt, beforeID: oldest?.id, peek: undefined }) : undefined}
            />
          }
          news={
            list.data && (
              <span style={{ fontSize: 13 }}>
                {exact(list.data.total)}
                {list.data.isAtLeast && '+'} kept aside
              </span>
            )
          }
          toolbar={
            <>
              <FilterMenu
                label="Reason"
                none="Nothing was kept aside in this time"
                options={(list.data?.reasons ?? []).map(({ reason, count }) => ({
                  value: reason,
                  label: `${reasonLabel(reason)} (${exact(count)})`,
                }))}
                chosen={search.reason}
                onChange={(reason) => filter({ reason })}
              />
              <FilterChips
                chips={search.reason.map((reason) => ({
                  key: reason,
                  name: 'Reason',
                  value: reasonLabel(reason),
                  onRemove: () => filter({ reason: search.reason.filter((each) => each !== reason) }),
                }))}
                onClear={() => filter({ reason: undefined })}
              />
            </>
          }
        />
        <DeadLetterSidePanel
          id={address.peek}
          row={rows?.find((row) => row.id === address.peek)}
          isLoading={rows === undefined}
          timeZone={timeZone}
          onClose={() => look(undefined)}
        />
      </Box>
    </>
  );
}
