import { eventExportsApi } from '@parapet/contract/eventExports.ts';
import { eventsApi } from '@parapet/contract/events.ts';
import { openEventStream } from '../../core/http/event-stream.ts';
import { hasSameAccess } from '../../core/http/live-streams.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import { whenLeft } from '../../core/http/whenLeft.ts';
import type { EventsService } from './events.service.ts';
import type { ExportsService } from './exports.service.ts';

export function eventsRoutes(serving: Serving, events: EventsService, exports: ExportsService): void {
  serve(serving, eventExportsApi.start, ({ actor, body }) => exports.start(actor, body));
  serve(serving, eventExportsApi.list, ({ actor }) => exports.list(actor));
  serve(serving, eventExportsApi.cancel, async ({ actor, params }) => {
    await exports.cancel(actor, params.id);
    return {};
  });
  serve(serving, eventExportsApi.file, ({ actor, params }) => exports.file(actor, params.id));
  serve(serving, eventsApi.search, ({ actor, params, query, reply }) => events.search(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.timeline, ({ actor, params, query, reply }) => events.timeline(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.fields, ({ actor, params, query, reply }) => events.fields(actor, params, query, whenLeft(reply)));
  serve(serving, eventsApi.live, async ({ actor, params, query, request, reply }) => {
    await events.follow(actor, params.client, query, {
      open: () => openEventStream(reply),
      stillAllowed: hasSameAccess(serving.identify, request, eventsApi.live.allow, actor, params.client),
    });
  });
  serving.app.addHook('preClose', async () => events.closeStreams());
  serve(serving, eventsApi.history, ({ actor }) => events.history(actor));
  serve(serving, eventsApi.clearHistory, async ({ actor }) => {
    await events.clearHistory(actor);
    return {};
  });
  serve(serving, eventsApi.keptAside, ({ actor, params, query }) =>
    events.keptAside(actor, params.client, params.start, params.end, query),
  );
}
