/** Received events per day, client and outcome, from the reconciliation. Rows lead to their events where these are stored. */
import Box from '@mui/material/Box';
import { allClients } from '@parapet/contract/access.ts';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { periodLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { ListTable } from '../../../lib/ListTable.tsx';
import { pageOf } from '../../../lib/paging.ts';
import { useScope } from '../../../lib/scope.ts';
import { useHeldRange } from '../../../lib/useHeldRange.ts';
import { useListState } from '../../../lib/useListState.ts';
import { intakeQuery } from '../events.queries.ts';
import { intakeList, intakeRows, outcomeOptions } from '../intakeRows.ts';
import { drillDownOf, IntakeCard, intakeColumns } from '../parts/intakeColumns.tsx';

const filters = [
  { name: 'outcome', label: 'Outcome', options: outcomeOptions.map(({ value, label }) => ({ value, text: label })) },
];

export function IntakeTab() {
  const { client, range: timeframe, timeframe: timeframeName, period } = useScope();
  const list = useListState(intakeList);
  const [range] = useHeldRange(timeframe, `${client}`);
  const sheet = useQuery(intakeQuery(client, range));
  const { outcome } = list.state;
  const all = useMemo(() => sheet.data && intakeRows(sheet.data.results, outcome), [sheet.data, outcome]);
  const { rows, paging } = pageOf(list, all);
  const hasClients = client === allClients;
  const columns = useMemo(() => intakeColumns({ hasClients, timeframe: timeframeName }), [hasClients, timeframeName]);
  return (
    <>
      <Box sx={{ mb: 2 }}>
        <Note>
          Duplicates and dropped events are only counted: the first copy of a duplicate is stored, and dropped input could not be
          stored at all.
        </Note>
      </Box>
      <ListTable
        id="events-intake"
        label="Intake"
        noun="events"
        list={{ ...list, state: { ...list.state, page: paging.page } }}
        query={{ ...sheet, data: rows && { results: rows, total: paging.total } }}
        columns={columns}
        rowId={(row) => row.id}
        card={(row) => <IntakeCard row={row} timeframe={timeframeName} />}
        hrefOf={(row) => drillDownOf(row, timeframeName)}
        news={
          all && (
            <span style={{ fontSize: 13 }}>
              {counted(
                all.reduce((sum, { count }) => sum + count, 0),
                'event',
              )}
            </span>
          )
        }
        filters={filters}
        noMatch={`${outcome.map((each) => reconciliationLabels[each]).join(', ')}: none in this timeframe. Remove the filter or select another timeframe.`}
        empty={{
          title: 'No events received',
          text: `No event arrived ${period ? `on ${periodLabel(period)}` : 'in this timeframe'}. Check the state of the data sources.`,
        }}
      />
    </>
  );
}
