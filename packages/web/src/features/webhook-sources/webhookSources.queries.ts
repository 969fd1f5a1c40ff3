/** Queries and writes of webhook sources. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import { queryOptionsOf } from '../../lib/query.ts';
import { useApiMutation } from '../../lib/useApiMutation.ts';

export const webhookSourcesQuery = (client: number) => queryOptionsOf(webhookSourcesApi.list, { params: { client } });
export const versionsQuery = (client: number, source: number) =>
  queryOptionsOf(webhookSourcesApi.versions, { params: { client, source } });
export const previewQuery = (client: number, sample: string, mapping: EventMapping) => ({
  ...queryOptionsOf(webhookSourcesApi.preview, { params: { client }, body: { sample, mapping } }),
  // A sample that can’t be read stays so.
  retry: false,
});

const changes = { invalidates: [webhookSourcesApi.list, webhookSourcesApi.versions] };

export const useCreateWebhookSource = () => useApiMutation(webhookSourcesApi.create, { ...changes, failure: false });
export const useSaveMapping = () =>
  useApiMutation(webhookSourcesApi.saveMapping, {
    ...changes,
    invalidatesOnFailure: true,
    success: ({ version }) => `Version ${version} saved`,
    failure: 'Couldn’t save the mapping.',
  });
export const usePauseWebhookSource = () =>
  useApiMutation(webhookSourcesApi.pause, {
    ...changes,
    success: (_, { body }) => (body.isPaused ? 'Webhook paused' : 'Webhook resumed'),
    failure: 'Couldn’t change the webhook.',
  });
export const useReplaceSecret = () =>
  useApiMutation(webhookSourcesApi.replaceSecret, { ...changes, failure: 'Couldn’t replace the secret.' });
export const useRemoveWebhookSource = () =>
  useApiMutation(webhookSourcesApi.remove, {
    ...changes,
    success: 'Webhook removed',
    failure: 'Couldn’t remove the webhook.',
  });
