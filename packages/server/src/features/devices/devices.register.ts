import type { Feature, Platform } from '../../core/feature.ts';
import type { ReleasesService } from '../agents/releases.service.ts';
import { devicesRoutes } from './devices.routes.ts';
import { createDevicesService, type DevicesService } from './devices.service.ts';

export interface DevicesDeps extends Platform {
  releases: Pick<ReleasesService, 'upgradeDevices'>;
}

export function registerDevices({ db, clock, releases }: DevicesDeps): Feature<DevicesService> {
  const service = createDevicesService({ db, clock, upgrade: releases.upgradeDevices });
  return { service, routes: (serving) => devicesRoutes(serving, service) };
}
