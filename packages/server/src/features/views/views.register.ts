import type { Feature, Platform } from '../../core/feature.ts';
import { viewsRoutes } from './views.routes.ts';
import { createViewsService, type ViewsService } from './views.service.ts';

export function registerViews({ db }: Platform): Feature<ViewsService> {
  const service = createViewsService({ db });
  return { service, routes: (serving) => viewsRoutes(serving, service) };
}
