/** Response (/apps/response): requests over all cases, approval rules and protected assets, each on a tab. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import { timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { FacetList } from '../../kit/FacetList.tsx';
import { FacetLists } from '../../kit/FacetPane.tsx';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { ListTable } from '../../lib/ListTable.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import type { ListState } from '../../lib/listSchema.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { type ListControl, useListState } from '../../lib/useListState.ts';
import { ChooseClient } from '../organisations/parts/ChooseClient.tsx';
import { ViewsMenu } from '../views/ViewsMenu.tsx';
import { ProtectedTab } from './parts/ProtectedTab.tsx';
import { RequestResponse } from './parts/RequestResponse.tsx';
import { ResponseSidePanel } from './parts/ResponseSidePanel.tsx';
import { RulesTab } from './parts/RulesTab.tsx';
import { ResponseCard, responseColumns } from './parts/responseColumns.tsx';
import { draftIn, noDraft, responseTabs } from './responseDraft.ts';
import { pollIntervalMs, responseList, responseListQuery } from './responses.queries.ts';
import { responseTexts, stateText } from './responseTexts.ts';
import { useResponseToasts } from './useResponseToasts.ts';

const noFilters = Object.fromEntries([...responseList.filterNames, 'page'].map((name) => [name, undefined]));
const titles = { requests: 'Requests', rules: 'Approval rules', protected: 'Protected assets' } as const;
const purposes = {
  requests: 'Response actions on devices and accounts, all pending ones included',
  rules: 'Actions that require approval',
  protected: 'Assets that are isolated or blocked only after 2 people approve',
} as const;

export function ResponsesPage() {
  useTitle('Response');
  const scope = useScope();
  const { client, hasSelector, timeframe, may } = scope;
  const { search, change } = useSearchState();
  const tab = oneIn(search.tab, responseTabs, 'requests');
  const mayWrite = may('responses:write');
  const place = { client: hasSelector ? client : undefined, timeframe };
  const draft = mayWrite ? draftIn(search, client) : undefined;
  return (
    <>
      <PageHeader
        title="Response"
        purpose={`${purposes[tab]}, for ${clientLabel(scope)}`}
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
      ) : client === allClients ? (
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
  const list = useListState(responseList);
  const responses = useQuery({
    ...responseListQuery(client, range, list.query),
    refetchInterval: ({ state }) => pollIntervalMs(state.data?.results),
  });
  const rows = responses.data?.results;
  const hasClients = client === allClients;
  const columns = useMemo(() => responseColumns({ timeZone, hasClients }), [timeZone, hasClients]);
  const { peek } = list.state;
  // The panel reports changes of its own response.
  useResponseToasts(useMemo(() => rows?.filter(({ id }) => id !== peek), [rows, peek]));

  return (
    <ListTable
      id="responses"
      label="Responses"
      list={list}
      query={{ ...responses, isFetching: responses.isFetching && responses.isPlaceholderData }}
      columns={columns}
      rowId={(row) => row.id}
      card={(row) => <ResponseCard row={row} timeZone={timeZone} hasClients={hasClients} />}
      hrefOf={(row) => paths.response(row.id)}
      panel={({ id }) => <ResponseSidePanel id={id} onPreview={(id) => list.set({ peek: id })} />}
      views={ViewsMenu}
      search="Search targets"
      filters={filters}
      facets={<ResponseFacets list={list} states={responses.data?.states} />}
      noMatch={`Filters apply to pending responses and those requested in: ${timeframeLabel(timeframe)}.`}
      empty={{
        title: 'No pending responses, and none in this timeframe',
        text: 'Isolate a device or block a user from a case, or here. Select a longer timeframe for earlier responses.',
      }}
    />
  );
}

const states = responseStates.map((value) => ({ value, text: stateText[value].word }));
const actions = responseActions.map((value) => ({ value, text: responseTexts(value).name }));
const filters: ListFilter[] = [
  { name: 'state', label: 'State', options: states },
  { name: 'action', label: 'Action', options: actions },
  { name: 'case', label: 'Case', textOf: (id) => `#${id}` },
];

interface FacetsProps {
  list: ListControl<ListState<typeof responseList>>;
  /** Responses per state; undefined while they load. */
  states: readonly { state: string; count: number }[] | undefined;
}

function ResponseFacets({ list, states: known }: FacetsProps) {
  const counts = new Map(known?.map(({ state, count }) => [state, count]));
  return (
    <FacetLists>
      <FacetList
        title="State"
        expected={5}
        options={
          known &&
          states.flatMap(({ value, text }) => (counts.has(value) ? [{ value, label: text, count: counts.get(value)! }] : []))
        }
        selected={list.state.state}
        onChange={(state) => list.set({ state })}
      />
      <FacetList
        title="Action"
        options={actions.map(({ value, text }) => ({ value, label: text }))}
        selected={list.state.action}
        onChange={(action) => list.set({ action })}
      />
    </FacetLists>
  );
}
