/**
 * The alert list (/apps/alerts/{client} or a device's name): an analyst's queue. Everything about it stands in the address. The
 * timeframe's end is held still while nothing else changes, so that the list moves only when its reader asks for it.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { copyText } from '../../kit/CopyButton.tsx';
import { DataTable } from '../../kit/DataTable.tsx';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { useFacetPane } from '../../kit/FacetPane.tsx';
import { FilterBar } from '../../kit/FilterBar.tsx';
import { NewRows } from '../../kit/NewRows.tsx';
import { counted } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { visibleText } from '../../kit/visible.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { useGo } from '../../lib/address.ts';
import { exportList } from '../../lib/exportList.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { toast } from '../../lib/toast.ts';
import { useHeldRange } from '../../lib/useHeldRange.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { whichOf } from './alertActions.ts';
import { alertChips } from './alertChips.ts';
import { type AlertScope, alertFacetsQuery, alertListQuery, exportInput } from './alerts.queries.ts';
import { rowsAsText } from './copyRows.ts';
import { alertToReturnTo, rememberList } from './lastList.ts';
import { listSubtitle } from './listSubtitle.ts';
import { AlertFacets } from './parts/AlertFacets.tsx';
import { AlertFigures } from './parts/AlertFigures.tsx';
import { AlertSelection } from './parts/AlertSelection.tsx';
import { AlertSidePanel } from './parts/AlertSidePanel.tsx';
import { AlertCard, alertColumns } from './parts/alertColumns.tsx';
import { LiveMark } from './parts/LiveMark.tsx';
import { NoAlerts } from './parts/NoAlerts.tsx';
import { type AlertSort, filterNames, isFiltered, useAlertFilters } from './useAlertFilters.ts';
import { useLiveAlerts } from './useLiveAlerts.ts';
import { useMarkAlerts } from './useMarkAlerts.ts';

export function AlertsPage() {
  const portal = useScope();
  const { client, deviceName, timeZone, timeframe, period } = portal;
  const { search, filters, change } = useAlertFilters();
  const go = useGo();
  const [range, renewRange] = useHeldRange(
    portal.range,
    JSON.stringify([client, deviceName, timeframe, period, filterNames.map((name) => search[name])]),
  );
  const scope = useMemo<AlertScope>(() => ({ client, device: deviceName, ...range }), [client, deviceName, range]);

  const listOptions = alertListQuery(scope, filters);
  const list = useQuery({ ...listOptions, refetchOnWindowFocus: false, refetchOnReconnect: false });
  const facets = useQuery(alertFacetsQuery(scope));
  const rows = list.data?.results;
  const live = useLiveAlerts({ scope: { ...scope, end: portal.range.end }, filters, listKey: listOptions.queryKey, rows });

  const [facetsOpen, setFacetsOpen, isWide] = useFacetPane();
  const total = list.data?.total ?? 0;
  const selection = useRowSelection({
    subject: `${client} ${deviceName ?? ''}`,
    filter: JSON.stringify([scope, filterNames.map((name) => search[name])]),
    rows,
    rowId: (row) => row.id,
  });
  const marks = useMarkAlerts(() => whichOf(selection.isAll, selection.rows, scope, filters), selection.clear);
  const [returnTo] = useState(alertToReturnTo);
  // Of what is over nothing new will come.
  const isOngoing = Date.parse(portal.range.end) > Date.now() - 60_000;
  const hasClients = client === 0;
  const columns = useMemo(() => alertColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const chips = alertChips(filters, facets.data, change);
  const clear = () => change(Object.fromEntries(filterNames.map((name) => [name, undefined])));

  useTitle(deviceName ? `Alerts of ${visibleText(deviceName)}` : 'Alerts');
  useEffect(() => rememberList({ address: location.pathname + location.search }));

  const showNew = () => {
    renewRange();
    live.show();
    change({ page: undefined, sort: undefined, order: undefined, peek: search.peek });
  };
  const copySelected = async () => {
    const isCopied = await copyText(rowsAsText(selection.rows, (id) => location.origin + paths.alert(id)));
    if (isCopied) toast.success(`Copied ${counted(selection.rows.length, 'alert')}`);
    else toast.error('The browser did not allow copying');
  };

  return (
    <>
      <PageHeader
        title={
          deviceName ? (
            <>
              Alerts of <VisibleText text={deviceName} />
            </>
          ) : (
            'Alerts'
          )
        }
        purpose={listSubtitle('What the rules found', portal)}
        actions={
          <>
            {isOngoing && <LiveMark state={live.state} />}
            {portal.may('events:read') && (
              <Button
                component={AppLink}
                href={paths.events({ client: portal.hasSelector ? client : undefined, device: deviceName })}
              >
                Event search
              </Button>
            )}
            <ExportButton
              total={total}
              onExport={exportList({
                endpoint: alertsApi.exportList,
                input: exportInput(scope, filters),
                fileName: 'alerts.csv',
                name: 'The list',
              })}
            />
          </>
        }
      />
      {!deviceName && (
        <AlertFigures scope={scope} time={{ timeframe, on: period }} timeZone={timeZone} current={onlySeverity(search)} />
      )}
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
        <AlertFacets
          isOpen={facetsOpen}
          isBeside={isWide}
          onClose={() => setFacetsOpen(false)}
          facets={facets.data}
          error={facets.error}
          onRetry={() => void facets.refetch()}
          filters={filters}
          hasDevice={deviceName !== undefined}
          onChange={change}
        />
        <DataTable
          id="alerts"
          label="Alerts"
          columns={columns}
          rows={rows}
          rowId={(row) => row.id}
          card={(row) => <AlertCard alert={row} timeZone={timeZone} hasClients={hasClients} />}
          total={total}
          isTotalAtLeast={list.data?.totalIsAtLeast ?? false}
          page={filters.page}
          pageSize={filters.pageSize}
          onPage={(page, pageSize) => change({ page, pageSize })}
          sort={filters.sort}
          order={filters.order}
          onSort={(sort, order) => change({ sort: sort as AlertSort, order: order === 'asc' ? 'asc' : undefined })}
          isFetching={list.isFetching}
          error={list.error}
          onRetry={() => void list.refetch()}
          empty={
            <NoAlerts
              page={filters.page}
              isFiltered={isFiltered(search)}
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
              onText={(text) => change({ text }, true)}
              label="Search alerts"
              chips={chips}
              onClear={clear}
            />
          }
          news={
            <>
              <AlertSelection
                selection={selection}
                total={total}
                isTotalAtLeast={list.data?.totalIsAtLeast ?? false}
                marks={marks}
                mayMark={portal.may('alerts:mark')}
                maySuppress={portal.may('suppressions:write') && portal.may('alerts:mark')}
                onCopy={() => void copySelected()}
              />
              <NewRows count={live.newCount} what="alert" onShow={showNew} />
            </>
          }
          views={(look) => <ViewsMenu list="alerts" {...look} />}
          selected={selection.ids}
          onSelect={selection.choose}
          peeked={search.peek}
          onPreview={(row) => change({ peek: row.id }, true)}
          onOpen={(row) => go(paths.alert(row.id))}
          returnTo={returnTo}
          isFresh={(row) => live.fresh.has(row.id)}
        />
        <AlertSidePanel
          id={search.peek}
          row={rows?.find((row) => row.id === search.peek)}
          timeZone={timeZone}
          hasClients={hasClients}
          onClose={() => change({ peek: undefined }, true)}
        />
      </Box>
    </>
  );
}

/** The severity, where the list is filtered by exactly one and nothing else. */
function onlySeverity(search: ReturnType<typeof useAlertFilters>['search']): string | undefined {
  const isOnly = filterNames.every((name) => name === 'severity' || search[name] === undefined);
  return isOnly && search.severity?.length === 1 ? search.severity[0] : undefined;
}
