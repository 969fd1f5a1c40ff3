/**
 * Alert list (/apps/alerts/{client} or a device's name). The end of the timeframe is held until something else changes or new alerts are
 * requested, so that the list stays in place.
 */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { alertsApi } from '@parapet/contract/alerts.ts';
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { copyText } from '../../kit/CopyButton.tsx';
import { ExportButton } from '../../kit/ExportButton.tsx';
import { NewRows } from '../../kit/NewRows.tsx';
import { counted } from '../../kit/numbers.ts';
import { useRowSelection } from '../../kit/useRowSelection.ts';
import { visibleText } from '../../kit/visible.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { exportList } from '../../lib/exportList.ts';
import { ListPage } from '../../lib/ListPage.tsx';
import { LiveMark } from '../../lib/LiveMark.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { listSubtitle, timeShown } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { toast } from '../../lib/toast.ts';
import { heldRows, useHeldList } from '../../lib/useHeldList.ts';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { whichOf } from './alertActions.ts';
import { type AlertFilters, alertList } from './alertList.ts';
import { alertFacetsQuery, alertListQuery, exportInput } from './alerts.queries.ts';
import { rowsAsText } from './copyRows.ts';
import { lastAlerts } from './lastList.ts';
import { AlertFacets, type Facets } from './parts/AlertFacets.tsx';
import { AlertFigures } from './parts/AlertFigures.tsx';
import { AlertSelection } from './parts/AlertSelection.tsx';
import { AlertSidePanel } from './parts/AlertSidePanel.tsx';
import { AlertCard, alertColumns } from './parts/alertColumns.tsx';
import { useLiveAlerts } from './useLiveAlerts.ts';
import { useMarkAlerts, useTriageKeys } from './useMarkAlerts.ts';

export function AlertsPage() {
  const portal = useScope();
  const { client, deviceName, timeZone, timeframe, period } = portal;
  const queue = useAlertQueue();
  const { list, alerts, facets, live } = queue;
  const triage = useTriageKeys(portal.may('alerts:mark'));
  const hasClients = client === allClients;
  const columns = useMemo(() => alertColumns({ timeZone, hasClients }), [timeZone, hasClients]);

  return (
    <ListPage
      id="alerts"
      label="Alerts"
      title={deviceName ? `Alerts of ${deviceName}` : 'Alerts'}
      purpose={listSubtitle('Detections', portal)}
      actions={<Actions {...queue} />}
      list={list}
      query={alerts}
      columns={columns}
      rowId={(row) => row.id}
      card={(row) => <AlertCard alert={row} timeZone={timeZone} hasClients={hasClients} />}
      hrefOf={(row) => paths.alert(row.id)}
      returnTo={lastAlerts.useReturnTo()}
      isFresh={(row) => live.fresh.has(row.id)}
      keys={triage}
      keepsPreview
      panel={(panel) => <AlertSidePanel {...panel} timeZone={timeZone} hasClients={hasClients} />}
      search="Search alerts"
      filters={alertFilters(facets.data)}
      facets={
        <AlertFacets
          facets={facets.data}
          error={facets.error}
          onRetry={facets.refetch}
          filters={list.query}
          hasDevice={deviceName !== undefined}
          onChange={list.set}
        />
      }
      views={ViewsMenu}
      selection={queue.selection}
      news={
        <>
          <Selected {...queue} />
          <NewRows count={live.newCount} what="alert" onShow={queue.showNew} />
        </>
      }
      noMatch={`Filters apply to ${timeShown(portal)}. Remove a filter or select a longer timeframe.`}
      empty={{
        title: `No alerts: ${timeShown(portal)}`,
        text: `No detections for ${visibleText(queue.owner)} in this timeframe. Select a longer one, or check the state of the data sources.`,
        actions: (
          <Button component={AppLink} href={paths.devices(client)} variant="outlined" size="small">
            Data Sources
          </Button>
        ),
      }}
    >
      {!deviceName && (
        <AlertFigures
          scope={queue.scope}
          time={{ timeframe, on: period }}
          timeZone={timeZone}
          current={onlySeverity(list.state)}
        />
      )}
    </ListPage>
  );
}

/** The list with everything that follows its address: rows, facets, live updates, selection. */
function useAlertQueue() {
  const portal = useScope();
  const held = useHeldList(alertList);
  const { list, scope } = held;
  const options = alertListQuery(scope, list.query);
  const alerts = useQuery({ ...options, ...heldRows });
  const facets = useQuery(alertFacetsQuery(scope));
  const rows = alerts.data?.results;
  const live = useLiveAlerts({
    scope: { ...scope, end: portal.range.end },
    filters: list.query,
    listKey: options.queryKey,
    rows,
  });
  const selection = useRowSelection({ ...held.selectable, rows, rowId: (row) => row.id });
  const showNew = () => {
    held.renew();
    live.show();
  };
  return { ...held, alerts, facets, live, selection, showNew, total: alerts.data?.total ?? 0 };
}

type Queue = ReturnType<typeof useAlertQueue>;

function Actions({ list, live, scope, total, isOngoing }: Queue) {
  const { client, deviceName, hasSelector, may } = useScope();
  return (
    <>
      {isOngoing && <LiveMark state={live.state} />}
      {may('events:read') && (
        <Button component={AppLink} href={paths.events({ client: hasSelector ? client : undefined, device: deviceName })}>
          Event search
        </Button>
      )}
      <ExportButton
        total={total}
        onExport={exportList({
          endpoint: alertsApi.exportList,
          input: exportInput(scope, list.query),
          fileName: 'alerts.csv',
          name: 'The list',
        })}
      />
    </>
  );
}

function Selected({ alerts, selection, scope, list, total }: Queue) {
  const { may } = useScope();
  const marks = useMarkAlerts(() => whichOf(selection.isAll, selection.rows, scope, list.query), selection.clear);
  const copy = async () => {
    const isCopied = await copyText(rowsAsText(selection.rows, (id) => location.origin + paths.alert(id)));
    if (isCopied) toast.success(`Copied ${counted(selection.rows.length, 'alert')}`);
    else toast.error('The browser did not allow copying');
  };
  return (
    <AlertSelection
      selection={selection}
      total={total}
      isTotalAtLeast={alerts.data?.totalIsAtLeast ?? false}
      marks={marks}
      mayMark={may('alerts:mark')}
      maySuppress={may('suppressions:write') && may('alerts:mark')}
      onCopy={() => void copy()}
    />
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Chips of the filters; the facets label their values. */
function alertFilters(facets: Facets | undefined): ListFilter[] {
  const facet = (name: 'severity' | 'status' | 'category' | 'rule', textOf?: (value: string) => string): ListFilter => ({
    name,
    label: capital(name),
    options: (facets?.[name] ?? []).map(({ value, label }) => ({ value, text: label })),
    ...(textOf && { textOf }),
  });
  return [
    facet('severity', capital),
    facet('status', capital),
    {
      name: 'fate',
      label: 'Outcome',
      textOf: (disposition) => reconciliationLabels[disposition as AlertFilters['fate'][number]],
    },
    facet('category', capital),
    facet('rule'),
    { name: 'technique', label: 'Technique', textOf: (id) => (id === 'ANY' || id === 'NONE' ? id.toLowerCase() : id) },
    { name: 'device', label: 'Device' },
    { name: 'user', label: 'User' },
    { name: 'text', label: 'Text' },
  ];
}

/** The severity, where the list is filtered by exactly one and nothing else. */
function onlySeverity(state: Queue['list']['state']): string | undefined {
  const [severity, another] = state.severity;
  return another === undefined && !alertList.isFiltered({ ...state, severity: [] }) ? severity : undefined;
}
