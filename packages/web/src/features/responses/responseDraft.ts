/** The request form as an address opens it; values that do not parse count as absent. */
import type { Response } from '@parapet/contract/caseDetail.ts';
import type { InputOf } from '@parapet/contract/endpoint.ts';
import type { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { maxId, requestActions } from '@parapet/contract/rules/values.ts';
import { oneIn, type Search } from '../../lib/address.ts';

export const responseTabs = ['requests', 'rules', 'protected'] as const;

const idIn = (text: string | undefined): number | undefined => {
  const id = /^\d{1,10}$/.test(text ?? '') ? Number(text) : 0;
  return id >= 1 && id <= maxId ? id : undefined;
};

type RequestBody = InputOf<typeof responseRequestsApi.request>['body'];
export type RequestAction = RequestBody['action'];
/** Actions whose target is the device itself. */
export const isOfDevice = (action: Response['action']) => action === 'isolate' || action === 'unisolate';
/** Actions on accounts of a directory, without a device. */
export const isOfDirectory = (action: Response['action']) => action === 'revokeSessions' || action === 'resetFactors';
/** Actions with an automatic release. */
export const canEnd = (action: RequestAction) => action === 'isolate' || action === 'blockUser';
/** Actions that need a device besides the target. */
export const needsDevice = (action: RequestAction) => action === 'killProcess' || action === 'collectFile';

export interface Draft {
  clientOrganizationID: number;
  action: RequestAction;
  target: string;
  deviceName: string;
  caseID: number | null;
}

/** Draft in an address (`new=1`); other pages link here with one. */
export function draftIn(search: Search, client: number): Draft | undefined {
  if (search.new !== '1') return undefined;
  return {
    clientOrganizationID: client,
    action: oneIn(search.ask, requestActions, 'isolate'),
    target: (search.target ?? '').trim().slice(0, 4_096),
    deviceName: (search.device ?? '').trim().slice(0, 255),
    caseID: idIn(search.of) ?? null,
  };
}
export const noDraft = { new: undefined, ask: undefined, target: undefined, device: undefined, of: undefined };
