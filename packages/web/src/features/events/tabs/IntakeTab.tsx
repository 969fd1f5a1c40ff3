/** How much came in and what became of it, from the balance sheet: a row for each day, client and outcome. Where there are rows, it leads to them. */
import Box from '@mui/material/Box';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../../kit/DataTable.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { EmptyState } from '../../../kit/States.tsx';
import { pageSizes } from '../../../kit/TablePager.tsx';
import { numberIn, useGo, useSearchState } from '../../../lib/address.ts';
import type { Query } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { intakeQuery } from '../events.queries.ts';
import { intakeRows, outcomeOptions, outcomesIn } from '../intakeRows.ts';
import { drillDownOf, IntakeCard, intakeColumns } from '../parts/intakeColumns.tsx';

const usualSize = 50;

export function IntakeTab() {
  const { client, range: timeframe, timeframe: timeframeName } = useScope();
  const { search, change } = useSearchState();
  const go = useGo();
  const [range] = useHeldRange(timeframe, `${client}`);
  const sheet = useQuery(intakeQuery(client, range));
  const key = outcomesIn(search).join();
  const chosen = useMemo(() => outcomesIn({ outcome: key }), [key]);
  const all = useMemo(() => sheet.data && intakeRows(sheet.data.results, chosen), [sheet.data, chosen]);
  const total = useMemo(() => all?.reduce((sum, { count }) => sum + count, 0), [all]);
  const pageSize = pageSizes.find((size) => size === Number(search.pageSize)) ?? usualSize;
  const page = Math.min(numberIn(search.page, 1), Math.max(1, Math.ceil((all?.length ?? 0) / pageSize)));
  const hasClients = client === 0;
  const columns = useMemo(() => intakeColumns({ hasClients, timeframe: timeframeName }), [hasClients, timeframeName]);
  const filter = (patch: Query) => change({ ...patch, page: undefined });
  return (
    <>
      <Box sx={{ mb: 2 }}>
        <Note>
          Duplicates and dropped events keep no rows, only these counts: of a duplicate the first copy is stored, and what is
          dropped could not even be kept aside.
        </Note>
      </Box>
      <DataTable
        id="events-intake"
        label="Intake"
        columns={columns}
        rows={all?.slice((page - 1) * pageSize, page * pageSize)}
        rowId={(row) => row.id}
        card={(row) => <IntakeCard row={row} timeframe={timeframeName} />}
        total={all?.length ?? 0}
        page={page}
        pageSize={pageSize}
        onPage={(next, size) => change({ page: next === 1 ? undefined : next, pageSize: size === usualSize ? undefined : size })}
        sort="date"
        order="desc"
        onSort={() => {}}
        isFetching={sheet.isFetching}
        error={sheet.error}
        onRetry={() => void sheet.refetch()}
        onOpen={(row) => {
          const door = drillDownOf(row, timeframeName);
          if (door) go(door);
        }}
        empty={
          <EmptyState
            title={chosen.length > 0 ? 'Nothing of this kind came in' : 'Nothing came in during this time'}
            text={
              chosen.length > 0
                ? `${chosen.map((each) => reconciliationLabels[each]).join(', ')}: none in this time. Take the filter away, or choose another time.`
                : `No event arrived ${search.on ? `on ${periodLabel(search.on)}` : 'in this timeframe'}. Look whether the data sources report.`
            }
          />
        }
        news={
          total !== undefined && (
            <span style={{ fontSize: 13 }}>
              {exact(total)} {total === 1 ? 'event' : 'events'}
            </span>
          )
        }
        toolbar={
          <>
            <FilterMenu
              label="Outcome"
              none=""
              options={outcomeOptions}
              chosen={chosen}
              onChange={(outcome) => filter({ outcome })}
            />
            <FilterChips
              chips={chosen.map((outcome) => ({
                key: outcome,
                name: 'Outcome',
                value: reconciliationLabels[outcome],
                onRemove: () => filter({ outcome: chosen.filter((each) => each !== outcome) }),
              }))}
              onClear={() => filter({ outcome: undefined })}
            />
          </>
        }
      />
    </>
  );
}
