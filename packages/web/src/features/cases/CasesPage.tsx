/**
 * The case list (/apps/cases/{client} or a device's name): an analyst's queue, worked through by keyboard. Everything about it stands in the
 * address. The timeframe's end is held still while nothing else changes, so that the list moves only when its reader asks for it.
 */
import Box from '@mui/material/Box';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { useFacetPane } from '../../kit/FacetPane.tsx';
import { FilterBar } from '../../kit/FilterBar.tsx';
import { NewRows } from '../../kit/NewRows.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { visibleText } from '../../kit/visible.ts';
import { numberIn, useGo, useSearchState } from '../../lib/address.ts';
import { exportList } from '../../lib/exportList.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { useHeldRange } from '../../lib/useHeldRange.ts';
import { listSubtitle } from '../alerts/listSubtitle.ts';
import { LiveMark } from '../alerts/parts/LiveMark.tsx';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { caseChips } from './caseChips.ts';
import { askedFor, caseFiltersIn, defaultPageSize, filterNames, isFiltered, noFilters } from './caseFilters.ts';
import { type CaseScope, caseFacetsQuery, caseListQuery } from './cases.queries.ts';
import { caseToReturnTo, rememberCases } from './lastCases.ts';
import { CaseFacets } from './parts/CaseFacets.tsx';
import { CaseFigures, EarlierOpen } from './parts/CaseFigures.tsx';
import { CaseSelection, type SelectionHandle } from './parts/CaseSelection.tsx';
import { CaseSidePanel } from './parts/CaseSidePanel.tsx';
import { CaseCard, caseColumns } from './parts/caseColumns.tsx';
import { NoCases } from './parts/NoCases.tsx';
import { useBulkCases } from './useBulkCases.ts';
import { useCaseActions } from './useCaseActions.tsx';
import { useLiveCases } from './useLiveCases.ts';

export function CasesPage() {
  const portal = useScope();
  const { client, deviceName, timeZone, timeframe, period, may } = portal;
  const { search, change } = useSearchState();
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: compared by its text, so that the same address keeps the same objects.
  const filters = useMemo(() => caseFiltersIn(search), [key]);
  const go = useGo();
  const filterKey = JSON.stringify(filterNames.map((name) => search[name]));
  const [range, renewRange] = useHeldRange(portal.range, JSON.stringify([client, deviceName, timeframe, period, filterKey]));
  const scope = useMemo<CaseScope>(() => ({ client, device: deviceName, ...range }), [client, deviceName, range]);

  const listOptions = caseListQuery(scope, filters);
  const list = useQuery({ ...listOptions, refetchOnWindowFocus: false, refetchOnReconnect: false });
  const facets = useQuery(caseFacetsQuery(scope));
  const rows = list.data?.results;
  const total = list.data?.total ?? 0;
  const live = useLiveCases({ scope, filters, until: portal.range.end, listKey: listOptions.queryKey, rows });

  const [facetsOpen, setFacetsOpen, isWide] = useFacetPane();
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const clear = () => filter(noFilters);

  const selection = useRowSelection({
    subject: `${client} ${deviceName ?? ''}`,
    filter: JSON.stringify([range, filterKey]),
    rows,
    rowId: (row) => row.id,
  });
  const bulk = useBulkCases(
    () => ({
      ...(selection.isAll ? { filters: askedFor(filters, deviceName) } : { ids: selection.rows.map((row) => row.id) }),
      selectedClientOrganizationID: client,
      // Rows that were selected in another timeframe count too.
      start: selection.isAll ? range.start : new Date(0).toISOString(),
      end: selection.isAll ? range.end : portal.range.end,
    }),
    selection.clear,
  );
  const actions = useCaseActions({ write: may('cases:write'), changeStatus: may('cases:changeStatus') });
  const selected = useRef<SelectionHandle>(null);
  const hasSelection = selection.isAll || selection.rows.length > 0;
  /** A key acts on what is selected, else on the row one stands on. */
  const onKey = (act: (row: CaseRow) => void, actOnAll: (handle: SelectionHandle) => void) => (row: CaseRow | undefined) => {
    if (hasSelection) selected.current && actOnAll(selected.current);
    else if (row) act(row);
  };
  const keys = {
    a: onKey(actions.assignToMe, (all) => all.assignToMe()),
    s: onKey(
      (row) => actions.askStatus(row, whereOneStands()),
      (all) => all.askStatus(whereOneStands()),
    ),
    c: onKey(actions.close, (all) => all.close()),
  };

  const [returnTo] = useState(caseToReturnTo);
  // Of what is over nothing new will come.
  const isOngoing = Date.parse(portal.range.end) > Date.now() - 60_000;
  const hasClients = client === 0;
  const columns = useMemo(() => caseColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const peek = numberIn(search.peek, 0);
  const peeked = peek > 0 && peek <= maxId ? peek : undefined;
  const chips = caseChips(
    filters,
    (id) => facets.data?.analyst.find(({ value }) => value === String(id))?.label,
    (patch) => filter(patch),
  );
  useTitle(deviceName ? `Cases of ${visibleText(deviceName)}` : 'Cases');
  useEffect(() => rememberCases({ address: location.pathname + location.search }));

  const showNew = () => {
    renewRange();
    live.show();
    change({ page: undefined, sort: undefined, order: undefined });
  };

  return (
    <>
      <PageHeader
        title={
          deviceName ? (
            <>
              Cases of <VisibleText text={deviceName} />
            </>
          ) : (
            'Cases'
          )
        }
        purpose={listSubtitle('Alerts that belong together', portal)}
        actions={
          <>
            {isOngoing && <LiveMark state={live.state} what="cases" />}
            <ExportButton
              total={total}
              onExport={exportList({
                endpoint: casesApi.exportList,
                input: { params: { client, start: range.start, end: range.end }, query: askedFor(filters, deviceName) },
                fileName: 'cases.csv',
                name: 'The list',
                topic: 'case',
              })}
            />
          </>
        }
      />
      {!deviceName && <CaseFigures scope={scope} time={{ timeframe, on: period }} />}
      <EarlierOpen scope={scope} since={range.start} />
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <CaseFacets
          isOpen={facetsOpen}
          isBeside={isWide}
          onClose={() => setFacetsOpen(false)}
          facets={facets.data}
          error={facets.error}
          onRetry={() => void facets.refetch()}
          filters={filters}
          hasDevice={deviceName !== undefined}
          onChange={filter}
        />
        <DataTable
          id="cases"
          label="Cases"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => <CaseCard row={row} timeZone={timeZone} hasClients={hasClients} />}
          total={total}
          isTotalAtLeast={list.data?.totalIsAtLeast ?? false}
          page={filters.page}
          pageSize={filters.pageSize}
          onPage={(page, pageSize) =>
            change({ page: page === 1 ? undefined : page, pageSize: pageSize === defaultPageSize ? undefined : pageSize })
          }
          sort={filters.sort}
          order={filters.order}
          onSort={(sort, order) =>
            filter({ sort: sort === 'createdTime' ? undefined : sort, order: order === 'asc' ? 'asc' : undefined })
          }
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          empty={
            <NoCases
              page={filters.page}
              isFiltered={isFiltered(filters)}
              portal={portal}
              onClear={clear}
              onFirst={() => change({ page: undefined })}
            />
          }
          toolbar={
            <FilterBar
              isOpen={facetsOpen}
              onOpen={setFacetsOpen}
              text={filters.text}
              onText={(text) => filter({ text }, true)}
              label="Search cases"
              chips={chips}
              onClear={clear}
            />
          }
          news={
            <>
              <CaseSelection
                selection={selection}
                total={total}
                isTotalAtLeast={list.data?.totalIsAtLeast ?? false}
                bulk={bulk}
                handle={selected}
              />
              <NewRows count={live.newCount} what="case" onShow={showNew} />
            </>
          }
          views={(look) => <ViewsMenu list="cases" {...look} />}
          selected={selection.ids}
          onSelect={selection.choose}
          peeked={peeked}
          onPreview={(row) => change({ peek: row.id }, { replace: true })}
          onOpen={(row) => go(paths.case(row.id))}
          returnTo={returnTo}
          isFresh={(row) => live.fresh.has(row.id)}
          keys={keys}
        />
        <CaseSidePanel
          id={peeked}
          timeZone={timeZone}
          hasClients={hasClients}
          actions={actions}
          onClose={() => change({ peek: undefined }, { replace: true })}
        />
      </Box>
      {actions.dialogs}
    </>
  );
}

/** Where a menu that was asked for by key opens. */
const whereOneStands = (): Element => document.activeElement ?? document.body;
