/**
 * Response (/apps/response): what was asked for on devices and accounts over all cases, what waits for somebody, and on two more tabs who
 * must approve what and what is protected.
 */
import AddRounded from '@mui/icons-material/AddRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import { timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/DataTable.tsx';
import { FacetList } from '../../kit/FacetList.tsx';
import { FacetLists, FacetPane, useFacetPane } from '../../kit/FacetPane.tsx';
import { FilterBar } from '../../kit/FilterBar.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { numberIn, oneIn, useGo, useSearchState } from '../../lib/address.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { ChooseClient } from '../organisations/parts/ChooseClient.tsx';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { ProtectedTab } from './parts/ProtectedTab.tsx';
import { RequestResponse } from './parts/RequestResponse.tsx';
import { ResponseSidePanel } from './parts/ResponseSidePanel.tsx';
import { RulesTab } from './parts/RulesTab.tsx';
import { ResponseCard, responseColumns } from './parts/responseColumns.tsx';
import { draftIn, isFiltered, noDraft, noFilters, pageChange, responseFiltersIn, responseTabs } from './responseFilters.ts';
import { pollIntervalMs, responseListQuery } from './responses.queries.ts';
import { responseTexts, stateText } from './responseTexts.ts';
import { useResponseToasts } from './useResponseToasts.ts';

const titles = { requests: 'Requests', rules: 'Approval rules', protected: 'Protected assets' } as const;
const purposes = {
  requests: 'What was asked for on devices and accounts, and how far it is',
  rules: 'Who must approve what',
  protected: 'What is isolated or blocked only after two persons approved',
} as const;

export function ResponsesPage() {
  useTitle('Response');
  const { client, clientName, hasSelector, timeframe, may } = useScope();
  const { search, change } = useSearchState();
  const tab = oneIn(search.tab, responseTabs, 'requests');
  const mayWrite = may('responses:write');
  const whose = client === 0 ? 'all clients' : clientName || 'your organisation';
  const place = { client: hasSelector ? client : undefined, timeframe };
  const draft = mayWrite ? draftIn(search, client) : undefined;
  return (
    <>
      <PageHeader
        title="Response"
        purpose={`${purposes[tab]}, for ${whose}`}
        actions={
          tab === 'requests' && (
            <span title={mayWrite ? undefined : 'Your role cannot isolate devices or block users.'}>
              <Button
                variant="contained"
                startIcon={<AddRounded />}
                disabled={!mayWrite}
                onClick={() => change({ ...noDraft, new: 1 })}
              >
                Request response
              </Button>
            </span>
          )
        }
      />
      <TabLinks
        label="Response"
        current={tab}
        tabs={responseTabs.map((id) => ({
          id,
          title: titles[id],
          href: paths.responses({ ...place, tab: id === 'requests' ? undefined : id }),
        }))}
      />
      {tab === 'requests' ? (
        <Requests />
      ) : client === 0 ? (
        <ChooseClient purpose={titles[tab]} hrefOf={(id) => paths.responses({ client: id, timeframe, tab })} />
      ) : tab === 'rules' ? (
        <RulesTab key={client} client={client} />
      ) : (
        <ProtectedTab key={client} client={client} />
      )}
      {draft && (
        <RequestResponse
          draft={draft}
          onClose={() => change(noDraft)}
          onRequested={(id) => change({ ...noDraft, ...noFilters, tab: undefined, peek: id }, { replace: true })}
        />
      )}
    </>
  );
}

function Requests() {
  const { client, range, timeframe, timeZone } = useScope();
  const { search, change } = useSearchState();
  const go = useGo();
  const filters = responseFiltersIn(search);
  const list = useQuery({
    ...responseListQuery(client, range, filters),
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.results),
  });
  const rows = list.data?.results;
  const hasClients = client === 0;
  const columns = useMemo(() => responseColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const peek = numberIn(search.peek, 0) || undefined;
  // Of the one in the panel the panel tells.
  useResponseToasts(useMemo(() => rows?.filter(({ id }) => id !== peek), [rows, peek]));
  const [isOpen, setOpen, isBeside] = useFacetPane();
  const filter = (patch: Query, replace = false) => change({ ...patch, page: undefined, peek: undefined }, { replace });
  const look = (id: number | undefined) => change({ peek: id }, { replace: true });
  const clear = () => filter(noFilters);
  const counts = new Map(list.data?.states.map(({ state, count }) => [state, count]));
  const without = <T,>(all: readonly T[], one: T) => all.filter((each) => each !== one);
  const chips = [
    ...filters.state.map((state) => ({
      key: `state ${state}`,
      name: 'State',
      value: stateText[state].word,
      onRemove: () => filter({ state: without(filters.state, state) }),
    })),
    ...filters.action.map((action) => ({
      key: `action ${action}`,
      name: 'What',
      value: responseTexts(action).name,
      onRemove: () => filter({ action: without(filters.action, action) }),
    })),
    ...(filters.caseID === undefined
      ? []
      : [{ key: 'case', name: 'Case', value: `#${filters.caseID}`, onRemove: () => filter({ case: undefined }) }]),
  ];
  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2.5 }}>
      <FacetPane isOpen={isOpen} isBeside={isBeside} onClose={() => setOpen(false)}>
        <FacetLists>
          <FacetList
            title="State"
            expected={5}
            options={
              list.data &&
              responseStates
                .filter((state) => counts.has(state))
                .map((state) => ({ value: state, label: stateText[state].word, count: counts.get(state) ?? 0 }))
            }
            selected={filters.state}
            onChange={(state) => filter({ state })}
          />
          <FacetList
            title="What"
            options={responseActions.map((action) => ({ value: action, label: responseTexts(action).name }))}
            selected={filters.action}
            onChange={(action) => filter({ action })}
          />
        </FacetLists>
      </FacetPane>
      <DataTable
        id="responses"
        label="Responses"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        card={(row) => <ResponseCard row={row} timeZone={timeZone} hasClients={hasClients} />}
        total={list.data?.total ?? 0}
        page={filters.page}
        pageSize={filters.pageSize}
        onPage={(page, pageSize) => change(pageChange(page, pageSize))}
        sort="waiting"
        order="desc"
        onSort={() => {}}
        isFetching={list.isFetching && list.isPlaceholderData}
        error={list.error}
        onRetry={() => void list.refetch()}
        peeked={peek}
        onPreview={(row) => look(row.id)}
        onOpen={(row) => go(paths.response(row.id))}
        views={(shown) => <ViewsMenu list="responses" {...shown} />}
        toolbar={
          <FilterBar
            isOpen={isOpen}
            onOpen={setOpen}
            text={filters.text}
            onText={(text) => filter({ text }, true)}
            label="Search targets"
            chips={chips}
            onClear={clear}
          />
        }
        empty={
          isFiltered(filters) || filters.page > 1 ? (
            <EmptyState
              title={filters.page > 1 ? `There is no page ${filters.page}` : 'No response matches these filters'}
              text={`Filters apply to what was asked for in: ${timeframeLabel(timeframe)}.`}
              actions={
                <Button variant="outlined" size="small" onClick={clear}>
                  {filters.page > 1 ? 'To the first page' : 'Clear all filters'}
                </Button>
              }
            />
          ) : (
            <EmptyState
              title={`Nothing was asked for: ${timeframeLabel(timeframe)}`}
              text="Isolate a device or block a user from a case, or here. Choose a longer timeframe for earlier ones."
            />
          )
        }
      />
      <ResponseSidePanel id={peek} onPreview={look} />
    </Box>
  );
}
