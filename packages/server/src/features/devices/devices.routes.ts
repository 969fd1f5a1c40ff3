import { devicesApi } from '@parapet/contract/devices.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { DevicesService } from './devices.service.ts';

export function devicesRoutes(serving: Serving, devices: DevicesService): void {
  serve(serving, devicesApi.list, ({ actor, params, query }) =>
    devices.list(actor, params.client, params.start, params.end, query),
  );
  serve(serving, devicesApi.checkIns, ({ actor, params }) => devices.checkIns(actor, params.client, params.start, params.end));
  serve(serving, devicesApi.get, ({ actor, params }) => devices.get(actor, params.client, params.name));
  serve(serving, devicesApi.timeline, ({ actor, params, query }) =>
    devices.timeline(actor, params.client, params.name, query.before),
  );
  serve(serving, devicesApi.upgrade, ({ actor, body }) => devices.upgrade(actor, body.devices));
  serve(serving, devicesApi.agentVersions, ({ actor, params }) => devices.agentVersions(actor, params.id));
  serve(serving, devicesApi.merge, ({ actor, body }) => devices.merge(actor, body));
}
