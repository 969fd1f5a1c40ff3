import { readScoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { createWebhookLookup } from './webhook-sources.lookup.ts';
import type { WebhookLookup } from './webhook-sources.ports.ts';
import { webhookSourcesRoutes } from './webhook-sources.routes.ts';
import { createWebhookSourcesService, type WebhookSourcesService } from './webhook-sources.service.ts';

export function registerWebhookSources(
  deps: Platform & { brand: Pick<BrandService, 'ofMails'> },
): Feature<{ lookup: WebhookLookup; sources: WebhookSourcesService }> {
  const { db, brand } = deps;
  const originOf = (organisationId: number) =>
    readScoped(db, 'system', async (tx) => (await brand.ofMails(tx, organisationId)).origin);
  const service = createWebhookSourcesService({ ...deps, originOf });
  return {
    service: { lookup: createWebhookLookup(deps), sources: service },
    routes: (serving) => webhookSourcesRoutes(serving, service),
  };
}
