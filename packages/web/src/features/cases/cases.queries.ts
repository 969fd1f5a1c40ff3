/** Queries of the case pages. */
import { allClients } from '@parapet/contract/access.ts';
import { caseMailsApi } from '@parapet/contract/caseMails.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { connectionsApi } from '@parapet/contract/connections.ts';
import { deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import { proposalsApi } from '@parapet/contract/proposals.ts';
import { type ListQuery, listSchema } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import type { Scope } from '../../lib/scope.ts';
import type { ListScope } from '../../lib/useHeldList.ts';
import { type CaseFilters, caseFilterInput } from './caseList.ts';

export const listBody = ({ client, start, end, device }: ListScope, filters: CaseFilters) => ({
  filters: caseFilterInput(filters, device),
  selectedClientOrganizationID: client,
  start,
  end,
  page: filters.page,
  pageSize: filters.pageSize,
  sort: filters.sort,
  order: filters.order,
});

export const caseListQuery = (scope: ListScope, filters: CaseFilters) =>
  queryOptionsOf(casesApi.list, { body: listBody(scope, filters) });

type CountFilters = NonNullable<InputOf<typeof casesApi.list>['body']['filters']>;

/** Counts cases by a page of one row. */
export const caseCountQuery = ({ client, start, end }: ListScope, filters: CountFilters) =>
  queryOptionsOf(casesApi.list, {
    body: { filters, selectedClientOrganizationID: client, start, end, page: 1, pageSize: 1 },
  });

export const caseFacetsQuery = ({ client, start, end }: ListScope) =>
  queryOptionsOf(casesApi.filters, { params: { client, start, end } });

export const analystsQuery = (client: number) => ({
  ...queryOptionsOf(casesApi.analysts, { params: { clientOrgId: client } }),
  staleTime: 5 * 60_000,
});

/** Case in any client of the scope; users of a single organisation must name it. */
export const caseQuery = (id: number, { hasSelector, user }: Pick<Scope, 'hasSelector' | 'user'>) =>
  queryOptionsOf(casesApi.detail, { params: { id, clientOrgId: hasSelector ? allClients : user.clientOrganizationID } });

/** Pages of 50: spec §9. */
export const caseAlertList = listSchema({});
export const caseAlertsQuery = (caseId: number, query: ListQuery<typeof caseAlertList>) =>
  queryOptionsOf(casesApi.alerts, { params: { caseId }, query });

export const caseGraphQuery = (caseId: number) => queryOptionsOf(casesApi.graph, { params: { caseId } });

export const caseTicketsQuery = (caseId: number) => queryOptionsOf(deliveriesApi.caseTickets, { params: { caseId } });

export const caseProposalsQuery = (caseId: number) => queryOptionsOf(proposalsApi.list, { params: { caseId } });

export const caseIncidentsQuery = (caseId: number) => queryOptionsOf(connectionsApi.caseIncidents, { params: { caseId } });

export const caseMailsQuery = (clientOrgId: number, caseId: number) =>
  queryOptionsOf(caseMailsApi.listOfCase, { params: { clientOrgId }, query: { caseId } });

export const mailPreviewQuery = (
  caseID: number,
  kind: InputOf<typeof caseMailsApi.preview>['body']['kind'],
  caseNarrativeID?: number,
) => ({
  ...queryOptionsOf(caseMailsApi.preview, { body: { caseID, kind, ...(caseNarrativeID ? { caseNarrativeID } : {}) } }),
  staleTime: 0,
});

export const signatureQuery = (clientId: number) => queryOptionsOf(caseMailsApi.signature, { params: { clientId } });
