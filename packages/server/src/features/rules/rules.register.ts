import { scoped } from '../../core/db/scope.ts';
import type { Feature, Platform } from '../../core/feature.ts';
import { removeOldCounts } from './exceptions.reading.ts';
import { queue } from './previews.store.ts';
import { runPreviews, startPreviewWorker } from './previews.worker.ts';
import { rulesRoutes } from './rules.routes.ts';
import { createRulesService, type RulesService } from './rules.service.ts';
import type { RulesDeps } from './rules.sight.ts';

export function registerRules(platform: Platform & RulesDeps): Feature<RulesService> {
  const deps = { ...platform, groupingWindowMs: platform.config.groupingWindowMs };
  const service = createRulesService(deps);
  return {
    service,
    routes: (serving) => rulesRoutes(serving, service),
    jobs: [
      { name: 'rules.stopNoisyShadows', cron: '* * * * *', run: service.stopNoisyShadows },
      { name: 'rules.preview', cron: '* * * * *', run: () => runPreviews(deps) },
      {
        name: 'rules.removeOldPreviews',
        cron: '25 3 * * *',
        run: () =>
          scoped(deps.db, 'system', async (tx) => {
            await queue.removeOld(tx);
            await removeOldCounts(tx);
          }),
      },
    ],
    workers: [() => startPreviewWorker(deps.bus, deps)],
  };
}
