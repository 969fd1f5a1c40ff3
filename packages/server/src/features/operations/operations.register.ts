import type { Feature, Platform } from '../../core/feature.ts';
import { startBackupWorker } from './backup.worker.ts';
import { installationGauges } from './operations.gauges.ts';
import { measure } from './operations.measure.ts';
import { operationsRoutes } from './operations.routes.ts';
import { createOperationsService, type OperationsDeps, type OperationsService } from './operations.service.ts';
import { startHeartbeat } from './processes.worker.ts';

export type OperationsRegisterDeps = Platform & Pick<OperationsDeps, 'requireProvidersHost'>;

export function registerOperations(deps: OperationsRegisterDeps): Feature<OperationsService> {
  const { backup } = deps.config;
  const service = createOperationsService(deps);
  deps.metrics.measureBy((gauge) => {
    const show = installationGauges(gauge, deps.config);
    return async () => show(await measure(deps));
  });
  return {
    service,
    closers: [startHeartbeat(deps)],
    routes: (serving) => operationsRoutes(serving, service),
    workers: backup ? [() => startBackupWorker({ ...deps, backup })] : [],
  };
}
