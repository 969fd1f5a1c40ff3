/**
 * Case list (/apps/cases/{client} or a device's name), worked through by keyboard. The end of the timeframe is held until something else
 * changes or new cases are requested, so that the list stays in place.
 */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { NewRows } from '../../kit/NewRows.tsx';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { visibleText } from '../../kit/visible.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { exportList } from '../../lib/exportList.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import { LiveMark } from '../../lib/LiveMark.tsx';
import { listSubtitle, timeShown } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { heldRows, useHeldList } from '../../lib/useHeldList.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { caseFilters } from './caseFilters.ts';
import { caseFilterInput, caseList } from './caseList.ts';
import { caseFacetsQuery, caseListQuery } from './cases.queries.ts';
import { lastCases } from './lastCases.ts';
import { CaseFacets } from './parts/CaseFacets.tsx';
import { CaseFigures, EarlierOpen } from './parts/CaseFigures.tsx';
import { CaseSelection, type SelectionHandle } from './parts/CaseSelection.tsx';
import { CaseSidePanel } from './parts/CaseSidePanel.tsx';
import { CaseCard, caseColumns } from './parts/caseColumns.tsx';
import { useBulkCases } from './useBulkCases.ts';
import { type CaseActions, useCaseActions } from './useCaseActions.tsx';
import { useLiveCases } from './useLiveCases.ts';

export function CasesPage() {
  const portal = useScope();
  const { client, deviceName, timeZone, timeframe, period, may } = portal;
  const queue = useCaseQueue();
  const { list, cases, facets, live, scope, selection } = queue;
  const actions = useCaseActions({ write: may('cases:write'), changeStatus: may('cases:changeStatus') });
  const selected = useRef<SelectionHandle>(null);
  const hasSelection = selection.isAll || selection.rows.length > 0;
  const hasClients = client === allClients;
  const { bulk } = queue;
  // The last bulk change while that is offered, else the last change of one case.
  const undo = !bulk.isRunning && bulk.bulk?.job?.undoUntil ? bulk.undo : actions.undo;
  const columns = useMemo(() => caseColumns({ timeZone, hasClients }), [timeZone, hasClients]);

  return (
    <ListPage
      id="cases"
      label="Cases"
      title={deviceName ? `Cases of ${deviceName}` : 'Cases'}
      purpose={listSubtitle('Correlated alerts', portal)}
      actions={<Actions {...queue} />}
      list={list}
      query={cases}
      columns={columns}
      rowId={(row) => row.id}
      card={(row) => <CaseCard row={row} timeZone={timeZone} hasClients={hasClients} />}
      hrefOf={(row) => paths.case(row.id)}
      returnTo={lastCases.useReturnTo()}
      isFresh={(row) => live.fresh.has(row.id)}
      keys={keysOf(actions, () => (hasSelection ? selected.current : null), undo)}
      keepsPreview
      panel={(panel) => <CaseSidePanel {...panel} timeZone={timeZone} hasClients={hasClients} actions={actions} />}
      search="Search cases"
      filters={caseFilters((id) => facets.data?.analyst.find(({ value }) => value === id)?.label)}
      facets={
        <CaseFacets
          facets={facets.data}
          error={facets.error}
          onRetry={facets.refetch}
          filters={list.query}
          hasDevice={deviceName !== undefined}
          onChange={list.set}
        />
      }
      views={ViewsMenu}
      selection={selection}
      news={
        <>
          <CaseSelection
            selection={selection}
            total={cases.data?.total ?? 0}
            isTotalAtLeast={cases.data?.totalIsAtLeast ?? false}
            bulk={queue.bulk}
            handle={selected}
          />
          <NewRows count={live.newCount} what="case" onShow={queue.showNew} />
        </>
      }
      dialogs={actions.dialogs}
      noMatch={`Filters apply to cases opened in ${timeShown(portal)}. Remove a filter or select a longer timeframe.`}
      empty={{
        title: `No cases: ${timeShown(portal)}`,
        text: `No alerts of ${visibleText(queue.owner)} were correlated in this timeframe. There may be single alerts.`,
        actions: (
          <Button component={AppLink} href={paths.alerts(client)} variant="outlined" size="small">
            Alerts
          </Button>
        ),
      }}
    >
      {!deviceName && <CaseFigures scope={scope} time={{ timeframe, on: period }} />}
      <EarlierOpen scope={scope} since={scope.start} />
    </ListPage>
  );
}

/** The list with everything that follows its address: rows, facets, live updates, selection and bulk changes. */
function useCaseQueue() {
  const portal = useScope();
  const held = useHeldList(caseList);
  const { list, scope } = held;
  const options = caseListQuery(scope, list.query);
  const cases = useQuery({ ...options, ...heldRows });
  const facets = useQuery(caseFacetsQuery(scope));
  const rows = cases.data?.results;
  const live = useLiveCases({ scope, filters: list.query, until: portal.range.end, listKey: options.queryKey, rows });
  const selection = useRowSelection({ ...held.selectable, rows, rowId: (row) => row.id });
  const bulk = useBulkCases(
    () => ({
      ...(selection.isAll
        ? { filters: caseFilterInput(list.query, scope.device) }
        : { ids: selection.rows.map((row) => row.id) }),
      selectedClientOrganizationID: scope.client,
      // Rows selected in another timeframe count too.
      start: selection.isAll ? scope.start : new Date(0).toISOString(),
      end: selection.isAll ? scope.end : portal.range.end,
    }),
    selection.clear,
  );
  const showNew = () => {
    held.renew();
    live.show();
  };
  return { ...held, cases, facets, live, selection, bulk, showNew };
}

function Actions({ list, live, scope, cases, isOngoing }: ReturnType<typeof useCaseQueue>) {
  return (
    <>
      {isOngoing && <LiveMark state={live.state} what="cases" />}
      <ExportButton
        total={cases.data?.total ?? 0}
        onExport={exportList({
          endpoint: casesApi.exportList,
          input: {
            params: { client: scope.client, start: scope.start, end: scope.end },
            query: caseFilterInput(list.query, scope.device),
          },
          fileName: 'cases.csv',
          name: 'The list',
          topic: 'case',
        })}
      />
    </>
  );
}

/** Element at which a menu opened by key is anchored. */
const focusedElement = (): Element => document.activeElement ?? document.body;

/** Keys act on the selection, else on the focused row. */
function keysOf(actions: CaseActions, selected: () => SelectionHandle | null, undo: () => void) {
  const on = (act: (row: CaseRow) => void, actOnAll: (handle: SelectionHandle) => void) => (row: CaseRow | undefined) => {
    const handle = selected();
    if (handle) actOnAll(handle);
    else if (row) act(row);
  };
  return {
    a: on(actions.assignToMe, (all) => all.assignToMe()),
    s: on(
      (row) => actions.askStatus(row, focusedElement()),
      (all) => all.askStatus(focusedElement()),
    ),
    c: on(actions.close, (all) => all.close()),
    z: undo,
  };
}
