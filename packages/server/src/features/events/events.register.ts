import type { Feature, Platform } from '../../core/feature.ts';
import { eventsRoutes } from './events.routes.ts';
import { createEventsService, type EventsService } from './events.service.ts';

export function registerEvents({ db, clock, config }: Platform): Feature<EventsService> {
  const service = createEventsService({ db, clock, eventRetentionDays: config.eventRetentionDays });
  return { service, routes: (serving) => eventsRoutes(serving, service) };
}
