import type { Feature, Platform } from '../../core/feature.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { createProviders } from './assistants.provider.ts';
import { assistantsRoutes } from './assistants.routes.ts';
import { type AssistantsDeps, type AssistantsService, createAssistantsService } from './assistants.service.ts';

export async function registerAssistants(
  deps: Platform & Pick<AssistantsDeps, 'actorOf'> & { brand: Pick<BrandService, 'siteOf'> },
): Promise<Feature<AssistantsService>> {
  const { db, clock, keys, brand, actorOf, log } = deps;
  const providerOf = createProviders({ db, log, cookieKey: await keys.shared('cookies of assistants') });
  const originOf = async (host: string) => (await brand.siteOf(host)).origin;
  const service = createAssistantsService({ db, providerOf, originOf, actorOf });
  return {
    service,
    routes: (serving) => assistantsRoutes(serving, service, { providerOf, clock }),
    jobs: [{ name: 'assistants.sweep', cron: '5-59/10 * * * *', run: service.sweep }],
  };
}
