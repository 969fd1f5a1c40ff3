/** Queries and writes of identities. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { identitiesApi } from '@parapet/contract/identities.ts';
import { type ListQuery, listSchema, search } from '../../lib/listSchema.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const identityList = listSchema({ text: search() });
export const identitiesQuery = (client: number, query: ListQuery<typeof identityList>) =>
  queryOptionsOf(identitiesApi.list, { params: { client }, query });

// Open cases are correlated again.
const invalidates = [identitiesApi.list, casesApi.list, casesApi.detail, alertsApi.list];

export const useMerge = () =>
  useApiMutation(identitiesApi.merge, { invalidates, success: 'Identities merged', failure: false, topic: 'case' });

export const useSwitchRule = () =>
  useApiMutation(identitiesApi.switchRule, {
    invalidates,
    success: (_, { body }) => (body.isActive ? 'Rule switched on' : 'Rule switched off'),
    failure: 'Couldn’t change the rule.',
    topic: 'case',
  });
