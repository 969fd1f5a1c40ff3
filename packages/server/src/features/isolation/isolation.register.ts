import { onEach } from '../../core/bus.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { isolationRoutes } from './isolation.routes.ts';
import { createIsolationService, type IsolationDeps, type IsolationService } from './isolation.service.ts';

// For the composition of the application; other features receive them as arguments.
export type { ProbeDeps } from './isolation.probe.ts';

export function registerIsolation(deps: Platform & Omit<IsolationDeps, keyof Platform>): Feature<IsolationService> {
  const service = createIsolationService(deps);
  const { bus, log } = deps;
  const run = () =>
    void service.runRequested().catch((error) => log.error({ err: error }, 'the isolation of organisations was not proved'));
  return {
    service,
    routes: (serving) => isolationRoutes(serving, service),
    // The night's pairs, in slices: a job has a quarter of an hour. Apart from jobs that make and drop months, which wait for every reader.
    jobs: [{ name: 'isolation.try', cron: '12,27,42 2,4,5 * * *', run: service.runNight }],
    workers: [
      () => {
        const end = onEach(bus, 'isolation.requested', run);
        run();
        return async () => {
          end();
          await service.close();
        };
      },
    ],
  };
}
