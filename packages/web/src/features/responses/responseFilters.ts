/** The list's state, as it stands in the address; what makes no sense there is as if not there. */
import { type Response, responseActions, responseStates } from '@parapet/contract/caseDetail.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { listIn, numberIn, oneIn, type Search } from '../../lib/address.ts';

export const responseTabs = ['requests', 'rules', 'protected'] as const;

export interface ResponseFilters {
  state: Response['state'][];
  action: Response['action'][];
  /** Only of this case. */
  caseID: number | undefined;
  text: string;
  page: number;
  pageSize: number;
}

const defaultPageSize = 50;
const pageSizes = [25, 50, 100];
const idIn = (text: string | undefined): number | undefined => {
  const id = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0;
  return id >= 1 && id <= maxId ? id : undefined;
};

export function responseFiltersIn(search: Search): ResponseFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  return {
    state: responseStates.filter((state) => listIn(search.state).includes(state)),
    action: responseActions.filter((action) => listIn(search.action).includes(action)),
    caseID: idIn(search.case),
    text: (search.text ?? '').trim().slice(0, 200),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const pageChange = (page: number, pageSize: number) => ({
  page: page === 1 ? undefined : page,
  pageSize: pageSize === defaultPageSize ? undefined : pageSize,
  peek: undefined,
});

export const noFilters = { state: undefined, action: undefined, case: undefined, text: undefined, page: undefined };
export const isFiltered = ({ state, action, caseID, text }: ResponseFilters) =>
  state.length > 0 || action.length > 0 || caseID !== undefined || text !== '';

export type Asked = InputOf<typeof responseRequestsApi.request>['body'];
export type AskedAction = Asked['action'];
export const askedActions: readonly AskedAction[] = [
  'isolate',
  'unisolate',
  'blockUser',
  'unblockUser',
  'killProcess',
  'collectFile',
];
/** Those that are done to a whole device: it is the target. */
export const isOfDevice = (action: Response['action']) => action === 'isolate' || action === 'unisolate';
/** Those that end by themselves. */
export const canEnd = (action: AskedAction) => action === 'isolate' || action === 'blockUser';
/** Those that only make sense on a known device. */
export const needsDevice = (action: AskedAction) => action === 'killProcess' || action === 'collectFile';

export interface Draft {
  clientOrganizationID: number;
  action: AskedAction;
  target: string;
  deviceName: string;
  caseID: number | null;
}

/** What is about to be asked for, when the address says so; other pages lead here with it. */
export function draftIn(search: Search, client: number): Draft | undefined {
  if (search.new !== '1') return undefined;
  return {
    clientOrganizationID: client,
    action: oneIn(search.ask, askedActions, 'isolate'),
    target: (search.target ?? '').trim().slice(0, 4_096),
    deviceName: (search.device ?? '').trim().slice(0, 255),
    caseID: idIn(search.of) ?? null,
  };
}
export const noDraft = { new: undefined, ask: undefined, target: undefined, device: undefined, of: undefined };
