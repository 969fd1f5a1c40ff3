import type { Feature, Platform } from '../../core/feature.ts';
import { startBackupWorker } from './backup.worker.ts';
import { operationsRoutes } from './operations.routes.ts';
import { createOperationsService, type OperationsDeps, type OperationsService } from './operations.service.ts';

export type OperationsRegisterDeps = Platform & Pick<OperationsDeps, 'requireProvidersHost'>;

export function registerOperations(deps: OperationsRegisterDeps): Feature<OperationsService> {
  const { backup } = deps.config;
  const service = createOperationsService(deps);
  return {
    service,
    routes: (serving) => operationsRoutes(serving, service),
    workers: backup ? [() => startBackupWorker({ ...deps, backup })] : [],
  };
}
