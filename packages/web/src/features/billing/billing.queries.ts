/** Queries and writes of billing. */
import { billingApi } from '@parapet/contract/billing.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { type ListQuery, listSchema } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export type BillingTarget = AnswerOf<typeof billingApi.targets>['results'][number];
export type Comparison = AnswerOf<typeof billingApi.compare>;

export const billingQuery = (client: number, month: string) =>
  queryOptionsOf(billingApi.list, { params: { client }, query: { month } });
export const billingItemList = listSchema({});
export const billingItemsQuery = (client: number, month: string, query: ListQuery<typeof billingItemList>) =>
  queryOptionsOf(billingApi.items, { params: { client }, query: { month, ...query } });
export const billingTargetsQuery = (client: number) => queryOptionsOf(billingApi.targets, { params: { client } });
export const compareQuery = (client: number, target: number, month: string) =>
  queryOptionsOf(billingApi.compare, { params: { client, target }, query: { month } });

export const useSaveLines = () =>
  useApiMutation(billingApi.saveLines, { invalidates: [billingApi.compare], success: 'Items saved', failure: false });
export const useConfirmQuantities = () =>
  useApiMutation(billingApi.confirm, {
    invalidates: [billingApi.compare],
    success: ({ count }) => (count === 1 ? '1 quantity confirmed' : `${count} quantities confirmed`),
    failure: 'Nothing was written.',
  });
export const useCorrect = () =>
  useApiMutation(billingApi.correct, {
    invalidates: [billingApi.list, billingApi.compare],
    success: 'Correction added',
    failure: false,
  });
