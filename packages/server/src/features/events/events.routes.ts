import { eventsApi } from '@parapet/contract/events.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import { whenLeft } from '../../core/http/whenLeft.ts';
import type { EventsService } from './events.service.ts';

export function eventsRoutes(serving: Serving, events: EventsService): void {
  serve(serving, eventsApi.search, ({ actor, params, query, reply }) => events.search(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.timeline, ({ actor, params, query, reply }) => events.timeline(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.fields, ({ actor, params, query, reply }) => events.fields(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.keptAside, ({ actor, params, query }) =>
    events.keptAside(actor, params.client, params.start, params.end, query),
  );
}
