import { devicesApi } from '@parapet/contract/devices.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { DevicesService } from './devices.service.ts';

export function devicesRoutes(serving: Serving, devices: DevicesService): void {
  serve(serving, devicesApi.list, ({ actor, params, query }) =>
    devices.list(actor, params.client, params.start, params.end, query),
  );
}
