/** Queries and writes of deliveries. */
import { deliveriesApi } from '@parapet/contract/deliveries.ts';
import { onCallApi } from '@parapet/contract/onCall.ts';
import { type ListQuery, listSchema } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const targetsQuery = (client: number) => queryOptionsOf(deliveriesApi.targets, { params: { client } });
export const targetKindsQuery = queryOptionsOf(deliveriesApi.kinds, {});
export const rulesQuery = (client: number) => queryOptionsOf(deliveriesApi.rules, { params: { client } });
export const deliveryList = listSchema({});
export const deliveriesQuery = (client: number, target: number, query: ListQuery<typeof deliveryList>) =>
  queryOptionsOf(deliveriesApi.list, { params: { client, target }, query });
export const deliveryQuery = (client: number, target: number, delivery: number) =>
  queryOptionsOf(deliveriesApi.get, { params: { client, target, delivery } });

export const ticketSetupQuery = (client: number, target: number, board?: string) =>
  queryOptionsOf(deliveriesApi.ticketSetup, { params: { client, target }, query: board ? { board } : {} });
export const ticketsQuery = (client: number, target: number, pageSize: number) =>
  queryOptionsOf(deliveriesApi.tickets, { params: { client, target }, query: { page: 1, pageSize } });

/** Outcomes arrive within seconds. */
export const refreshMs = 4_000;

const targets = { invalidates: [deliveriesApi.targets] };
const deliveries = { invalidates: [deliveriesApi.targets, deliveriesApi.list, deliveriesApi.get] };
const rules = { invalidates: [deliveriesApi.rules] };

export const useCreateTarget = () =>
  useApiMutation(deliveriesApi.createTarget, { ...targets, success: ({ target }) => `${target.name} was added`, failure: false });
export const useUpdateTarget = () => useApiMutation(deliveriesApi.updateTarget, { ...targets, failure: false });
export const usePauseTarget = () =>
  useApiMutation(deliveriesApi.updateTarget, {
    ...targets,
    success: (_, { body }) => (body.isPaused ? 'Target paused' : 'Target resumed'),
    failure: 'Couldn’t change the target.',
  });
export const useReplaceSecrets = () => useApiMutation(deliveriesApi.replaceSecrets, { ...targets, failure: false });
export const useSaveTicketSetup = () =>
  useApiMutation(deliveriesApi.saveTicketSetup, {
    invalidates: [deliveriesApi.ticketSetup, deliveriesApi.tickets],
    success: 'Tickets were set up',
    failure: false,
  });
export const useSendTest = () => useApiMutation(deliveriesApi.test, { ...deliveries, failure: 'The test wasn’t sent.' });
export const useRemoveTarget = () =>
  useApiMutation(deliveriesApi.removeTarget, {
    invalidates: [deliveriesApi.targets, deliveriesApi.rules],
    success: 'Target removed',
    failure: 'Couldn’t remove the target.',
  });
export const useReplay = () =>
  useApiMutation(deliveriesApi.replay, { ...deliveries, success: 'Queued again', failure: 'Couldn’t replay the delivery.' });
export const useReplayAll = () =>
  useApiMutation(deliveriesApi.replayAll, {
    ...deliveries,
    success: ({ count }) => `${count} queued again`,
    failure: 'Couldn’t replay the deliveries.',
  });
export const useCreateRule = () => useApiMutation(deliveriesApi.createRule, { ...rules, success: 'Rule added', failure: false });
export const useUpdateRule = () => useApiMutation(deliveriesApi.updateRule, { ...rules, success: 'Rule saved', failure: false });
export const useRemoveRule = () =>
  useApiMutation(deliveriesApi.removeRule, { ...rules, success: 'Rule removed', failure: 'Couldn’t remove the rule.' });
export const usePreview = () => useApiMutation(deliveriesApi.preview, { failure: false });
export const useCloseCallbacks = () => useApiMutation(deliveriesApi.closeCallbacks, targets);
export const useOpenCallbacks = () => useApiMutation(deliveriesApi.openCallbacks, { ...targets, failure: false });
export const useSyncTickets = () =>
  useApiMutation(deliveriesApi.syncTickets, {
    invalidates: [deliveriesApi.tickets, deliveriesApi.ticketSetup],
    success: 'Tickets are being read',
    failure: 'Couldn’t read the tickets.',
  });

export const onCallQuery = (client: number) => queryOptionsOf(onCallApi.get, { params: { client } });
const onCall = { invalidates: [onCallApi.get] };
export const useSaveShifts = () => useApiMutation(onCallApi.saveShifts, { ...onCall, success: 'Rota saved', failure: false });
export const useAddOverride = () => useApiMutation(onCallApi.addOverride, { ...onCall, success: 'Swap added', failure: false });
export const useRemoveOverride = () =>
  useApiMutation(onCallApi.removeOverride, { ...onCall, success: 'Swap removed', failure: 'Couldn’t remove the swap.' });
export const useAddOnCallNote = () =>
  useApiMutation(onCallApi.addNote, { ...onCall, success: 'Hand-over note saved', failure: false });
