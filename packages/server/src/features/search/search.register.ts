import type { Feature, Platform } from '../../core/feature.ts';
import { searchRoutes } from './search.routes.ts';
import { createSearchService, type SearchService } from './search.service.ts';

export function registerSearch({ db }: Platform): Feature<SearchService> {
  const service = createSearchService({ db });
  return { service, routes: (serving) => searchRoutes(serving, service) };
}
