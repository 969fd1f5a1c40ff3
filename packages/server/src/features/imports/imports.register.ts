import type { Feature } from '../../core/feature.ts';
import { importsRoutes } from './imports.routes.ts';
import { createImportsService, type ImportsDeps, type ImportsService } from './imports.service.ts';

export function registerImports(deps: ImportsDeps): Feature<ImportsService> {
  const service = createImportsService(deps);
  return { service, routes: (serving) => importsRoutes(serving, service) };
}
