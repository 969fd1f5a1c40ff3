import { eventsApi } from '@parapet/contract/events.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { EventsService } from './events.service.ts';

export function eventsRoutes(serving: Serving, events: EventsService): void {
  serve(serving, eventsApi.search, ({ actor, params, query }) =>
    events.search(actor, params.client, params.start, params.end, query),
  );
  serve(serving, eventsApi.timeline, ({ actor, params, query }) =>
    events.timeline(actor, params.client, params.start, params.end, query),
  );
  serve(serving, eventsApi.keptAside, ({ actor, params, query }) =>
    events.keptAside(actor, params.client, params.start, params.end, query),
  );
}
