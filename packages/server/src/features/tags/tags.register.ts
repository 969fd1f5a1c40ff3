import type { Feature, Platform } from '../../core/feature.ts';
import { tagsRoutes } from './tags.routes.ts';
import { createTagsService, type TagsService } from './tags.service.ts';

export function registerTags({ db }: Platform): Feature<TagsService> {
  const service = createTagsService({ db });
  return { service, routes: (serving) => tagsRoutes(serving, service) };
}
