import type { Feature, Platform } from '../../core/feature.ts';
import type { ReleasesService } from '../agents/releases.service.ts';
import { devicesRoutes } from './devices.routes.ts';
import { createDevicesService, type DevicesService } from './devices.service.ts';
import { createIdentityService } from './identity.service.ts';

// For the composition of the application; other features receive them as arguments.
export { listCheckIns } from './devices.store.ts';

export interface DevicesDeps extends Platform {
  releases: Pick<ReleasesService, 'upgradeDevices'>;
}

export function registerDevices({ db, clock, bus, log, releases }: DevicesDeps): Feature<DevicesService> {
  const service = createDevicesService({ db, clock, upgrade: releases.upgradeDevices });
  const identity = createIdentityService({ db, clock, log });
  const matchOne = ({ organisationId }: { organisationId: number }) =>
    void identity
      .matchOne(organisationId)
      .catch((error) => log.error({ err: error, organisationId }, 'names of devices could not be matched'));
  return {
    service,
    routes: (serving) => devicesRoutes(serving, service),
    jobs: [{ name: 'devices.match', cron: '17 * * * *', run: identity.match }],
    workers: [() => bus.on('devices.listed', matchOne)],
  };
}
